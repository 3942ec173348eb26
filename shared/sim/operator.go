package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// operate is a person who pauses, resumes, and changes the rate now and then.
func (w *world) operate(name string) {
	h := w.host(name, 0, false)
	p, ctx := h.boot(), context.Background()
	for range w.draw(name, 5) {
		if !p.sleep(time.Duration(1+w.draw(name, 600))*time.Minute) || !w.stormy() {
			break
		}
		switch w.draw(name, 4) {
		case 0:
			w.pause(name, p, time.Duration(1+w.draw(name, 300))*time.Minute)
		case 1:
			w.say(name, "sets report-only")
			w.must(w.gate.SetMode(ctx, gate.ReportOnly))
			w.seeGate()
			p.sleep(time.Duration(1+w.draw(name, 300)) * time.Minute)
			w.say(name, "sets delete")
			w.must(w.gate.SetMode(ctx, gate.Delete))
			w.seeGate()
		case 2:
			w.say(name, "sets another rate")
			w.must(w.gate.SetRate(ctx, 1+w.draw(name, 100), 1+w.draw(name, 100)))
		default:
			w.unpark(p)
		}
		w.count("operated")
	}
	w.must(w.gate.Resume(ctx))
	w.must(w.gate.SetMode(ctx, gate.Delete))
	w.seeGate()
}

// pause closes the gate for a while.
func (w *world) pause(name string, p *process, d time.Duration) {
	ctx := context.Background()
	w.say(name, "pauses")
	w.must(w.gate.Pause(ctx))
	w.seeGate()
	p.sleep(d / 2)
	w.approveLate(name)
	p.sleep(d / 2)
	w.say(name, "resumes")
	w.must(w.gate.Resume(ctx))
	w.seeGate()
}

// seeGate has the witness know whether the gate is open.
func (w *world) seeGate() {
	state, err := w.gate.Read(context.Background())
	w.must(err)
	w.witness.shut(!state.Open())
}

// watched may have a person watch an invocation that begins.
func (w *world) watched() {
	if w.stormy() && w.draw("interruptions", 30) == 29 {
		w.mu.Lock()
		w.persons++
		name := fmt.Sprintf("person-%d", w.persons)
		w.mu.Unlock()
		w.start(name, w.interrupt)
	}
}

// interrupt is a second person, who pauses when a pass or a batch is some way on.
func (w *world) interrupt(name string) {
	p := w.host(name, 0, false).boot()
	for range 1 + w.draw(name, 40) {
		if w.draw(name, 3) == 2 {
			p.sleep(time.Duration(1+w.draw(name, 8)) * time.Second)
		}
		p.enter("watches")
	}
	if w.stormy() {
		w.count("interrupted")
		w.pause(name, p, time.Duration(1+w.draw(name, 100))*time.Minute)
	}
}

// approve lets a paused run's plan go, if the person looks at it at all. Some
// ask once more for what must be refused.
func (w *world) approve(f *function, report *cleanup.Report) {
	if report == nil || report.State != cleanup.RunPaused {
		return
	}
	w.pauses = append(w.pauses, approval{run: report.Run, digest: report.Digest, paused: report.PausedAt})
	if w.stormy() && w.draw("operator approves", 2) == 1 {
		return
	}
	last := len(w.pauses) - 1
	w.approvePlan(f, last, report.Digest)
	if !w.stormy() {
		return
	}
	switch w.draw("operator approves", 4) {
	case 2:
		w.approvePlan(f, w.draw("operator approves", last+1), report.Digest)
	case 3:
		at := w.draw("operator approves", last+1)
		w.approvePlan(f, at, w.pauses[at].digest)
	}
}

// approveLate approves some plan of before, whether it may be or not.
func (w *world) approveLate(name string) {
	if len(w.pauses) == 0 || !w.stormy() || w.draw("operator approves", 2) == 0 {
		return
	}
	at := w.draw("operator approves", len(w.pauses))
	w.approvePlan(w.function("scheduler of "+name, 0, 10*time.Minute), at, w.pauses[at].digest)
}

// approvePlan approves one of the plans that were ever paused, under a digest.
func (w *world) approvePlan(f *function, at int, digest string) {
	a := &w.pauses[at]
	why := a.mayNot(digest, w.now())
	p := f.boot()
	p.approved = true
	app, err := w.scheduler(p)
	w.must(err)
	w.say(f.name, "a person approves the plan of run %s", a.run)
	f.invoke(p, func(ctx context.Context) { _, err = app.Approve(ctx, a.run, digest, "operator") })
	switch {
	case err == nil && why != "":
		w.witness.breaks("approval", "run %s was approved %s", a.run, why)
	case err == nil:
		a.used = true
		w.count("approved")
	case why != "":
		w.count("approval refused")
	}
}

// unpark lets every parked purge go on.
func (w *world) unpark(p *process) {
	for _, id := range w.witness.uploads() {
		r, err := w.ledger.Load(context.Background(), id)
		w.must(err)
		if r.State != upload.StateDeleting || r.ParkedAt.IsZero() {
			continue
		}
		if _, err := cleanup.Unpark(context.Background(), w.ledgerOf(p), w.policy, id, p.host.Now()); err == nil {
			w.count("unparked")
		}
	}
}
