package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

// schedule triggers passes and recounts, on one of perhaps several schedulers;
// some sleep for days.
func (w *world) schedule(name string) {
	f := w.function(name, w.drift(name), 10*time.Minute)
	counted := time.Time{}
	const days = 50 * time.Hour
	pauses := [...]time.Duration{35 * time.Minute, 12 * time.Minute, 20 * time.Minute, 65 * time.Minute, 3 * time.Hour, days}
	for {
		pause := pauses[w.draw("pause of "+name, len(pauses))]
		if !f.timer.sleep(pause) || !w.stormy() {
			return
		}
		if pause == days {
			w.count("slept for days")
		}
		if w.now().Sub(counted) > 20*time.Hour {
			if _, err := f.trigger("census", w.now()); err == nil {
				counted = w.now()
			}
		}
		fired := w.now().Truncate(time.Second)
		if w.draw("triggers", 12) == 11 {
			w.twice(fmt.Sprintf("%s again %d", name, f.lives), fired)
		}
		for range 3 { // the event comes again after an error
			answer, err := f.trigger("pass", fired)
			if err == nil {
				w.approve(f, answer.Pass)
				break
			}
			f.timer.sleep(time.Minute)
		}
	}
}

// twice has a trigger come once more while it is carried out, to another process:
// of the same run, or of one a little later.
func (w *world) twice(again string, fired time.Time) {
	fired = fired.Add(time.Duration(w.draw("triggers", 2)) * time.Second)
	w.start(again, func(string) {
		f := w.function(again, w.drift(again), 10*time.Minute)
		if w.stormy() {
			_, _ = f.trigger("pass", fired)
		}
	})
}

// serve takes batches from the queue for one worker. The queue delivers twice,
// late and in any order.
func (w *world) serve(name string) {
	f := w.function(name, w.drift(name), w.policy.WorkerTimeout)
	apps := map[*process]*worker.App{}
	pauses := [...]time.Duration{5 * time.Minute, time.Second, 20 * time.Second, 17 * time.Minute, 2 * time.Hour}
	for f.timer.sleep(pauses[w.draw("pause of "+name, len(pauses))]) && w.stormy() {
		if batch := w.receive(f.timer); len(batch) > 0 {
			w.acknowledge(f.timer, f.batch(batch, apps))
		}
	}
}

// receive takes what the queue delivers now.
func (w *world) receive(timer *process) []command.Received {
	if !timer.asks("receives") {
		return nil
	}
	ctx, stream := context.Background(), "queue"
	all, err := w.queue.Receive(ctx, command.MaxBatch, 0)
	w.must(err)
	var batch []command.Received
	for _, m := range all {
		at, trouble := w.draw(stream, len(batch)+1), w.draw(stream, 16)
		switch {
		case !w.stormy():
		case trouble == 15: // not now
			w.must(w.queue.Hide(ctx, m.Receipt, time.Duration(1+w.draw(stream, 30))*time.Minute))
			w.count("delayed")
			continue
		case trouble == 14: // and once more to somebody else, at once
			w.must(w.queue.Hide(ctx, m.Receipt, 0))
			w.count("duplicated")
		}
		place := len(batch) - at
		batch = append(batch[:place:place], append([]command.Received{m}, batch[place:]...)...)
	}
	return batch
}

// acknowledge removes what is done. What is not removed comes again.
func (w *world) acknowledge(timer *process, done []command.Received) {
	for _, m := range done {
		if timer.asks("acknowledges " + m.MessageID) {
			w.must(w.queue.Acknowledge(context.Background(), m.Receipt))
		}
	}
}

// asks is a call that is done, or not at all.
func (p *process) asks(what string) bool { return p.enter(what, timeout) == asked }

// record hands storage events to the recorder, in any order, some twice.
func (w *world) record(name string) {
	f := w.function(name, 0, time.Minute) // its contexts go by absolute instants
	pauses := [...]time.Duration{time.Minute, time.Second, 10 * time.Minute, 2 * time.Hour}
	for f.timer.sleep(pauses[w.draw("pause of "+name, len(pauses))]) && w.stormy() {
		w.tellSome(f)
	}
}

// tellSome tells of some of what was stored; what is not taken comes again.
func (w *world) tellSome(f *function) {
	all := w.takeNotices()
	told := all
	if w.stormy() {
		told = append(slices.Clip(all), w.forged()...)
	}
	if len(told) > 0 && !f.tell(told) {
		w.giveBack(all)
	}
}

// forged are events of what never happened: whoever may invoke the function may
// say anything.
func (w *world) forged() []storageevent.Created {
	const stream = "forged events"
	if w.draw(stream, 8) < 7 {
		return nil
	}
	r, ok := w.someUpload(stream)
	if !ok || len(r.Manifest.Attempts) == 0 {
		return nil
	}
	a := r.Manifest.Attempts[w.draw(stream, len(r.Manifest.Attempts))]
	o := r.Manifest.Object(upload.Key{Attempt: a.Number, Seq: 1 + w.draw(stream, a.Declared+1)})
	c := storageevent.Created{Bucket: bucketName, Key: r.ObjectKey(o.Key), VersionID: o.VersionID, Size: 1, ETag: "forged", At: w.now()}
	if w.draw(stream, 2) == 0 {
		c.VersionID = fmt.Sprintf("v%08d", 90_000_000+w.draw(stream, 10))
	}
	w.say(stream, "tell of %s@%s", short(c.Key), c.VersionID)
	w.count("forged")
	return []storageevent.Created{c}
}

func (w *world) takeNotices() (some []storageevent.Created) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var rest []storageevent.Created
	for _, n := range w.notices {
		switch w.dice.draw("notices", 10) {
		case 9: // later
			rest = append(rest, n)
		case 8: // twice
			rest = append(rest, n)
			some = append(some, n)
		default:
			some = append(some, n)
		}
	}
	w.notices = rest
	return some
}

func (w *world) giveBack(all []storageevent.Created) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notices = append(w.notices, all...)
}
