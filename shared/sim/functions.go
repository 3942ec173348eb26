package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/functions/recorder"
	"github.com/strandline-dev/strandline/functions/scheduler"
	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
	"github.com/strandline-dev/strandline/shared/storageevent"
)

// function is a host that runs one Lambda function, invocation after invocation.
type function struct {
	*host
	world *world
	// timer is what calls it: a schedule, a queue. It never dies.
	timer *process
	// timeout is when an invocation is killed.
	timeout time.Duration
}

func (w *world) function(name string, drift, timeout time.Duration) *function {
	h := w.host(name, drift, true)
	return &function{host: h, world: w, timer: &process{host: h}, timeout: timeout}
}

// invoke runs one invocation in the function's present process.
func (f *function) invoke(p *process, do func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), f.timeout)
	defer cancel()
	p.began = f.desk.now()
	f.setUntil(p, p.began.Add(f.timeout))
	do(drifted{ctx, f.drift})
	f.setUntil(p, time.Time{})
}

func (f *function) setUntil(p *process, until time.Time) {
	f.desk.mu.Lock()
	defer f.desk.mu.Unlock()
	p.until = until
}

// warm is the process that is there, or a new one where that has died.
func (f *function) warm() (p *process, fresh bool) {
	if f.now != nil && f.now.alive() {
		return f.now, false
	}
	return f.boot(), true
}

// drifted shows a context's deadline by a host's own clock.
type drifted struct {
	context.Context
	by time.Duration
}

// Deadline is when the invocation ends, as its host would say it.
func (c drifted) Deadline() (time.Time, bool) {
	at, ok := c.Context.Deadline()
	return at.Add(c.by), ok
}

func (w *world) ledgerOf(p *process) records    { return records{p, w} }
func (w *world) storeOf(p *process) objectStore { return objectStore{w.store, p, w} }
func (w *world) gateOf(p *process) sharedGate   { return sharedGate{w.gate, p, w} }
func (w *world) queueOf(p *process) commands    { return commands{p, w} }

func (w *world) scheduler(p *process) (*scheduler.App, error) {
	return scheduler.NewFrom(scheduler.Config{Table: "sim", QueueURL: "sim", Gate: "main", Policy: w.policy}, scheduler.Deps{
		Ledger: w.ledgerOf(p), Gate: w.gateOf(p), Queue: w.queueOf(p), Now: p.host.Now, Log: w.log(), Trail: w.trail(p),
		AtOnce: 1,
	})
}

func (w *world) worker(p *process) (*worker.App, error) {
	return worker.NewFrom(worker.Config{
		Table: "sim", QueueURL: "sim", DeadLetterURL: "sim", Gate: "main",
		Concurrency: 1, DeadlineMargin: 10 * time.Second, Policy: w.policy,
	}, worker.Deps{
		Records: w.ledgerOf(p), Store: w.storeOf(p), Parts: w.storeOf(p), Gate: w.gateOf(p), Queue: w.queueOf(p),
		Log: w.log(), Now: p.host.Now, Sleep: p.Sleep, Trail: w.trail(p),
	})
}

func (w *world) recorder(p *process) (*recorder.App, error) {
	return recorder.NewFrom(recorder.Config{Table: "sim", Concurrency: 1, Policy: w.policy}, recorder.Deps{
		Records: w.ledgerOf(p), Store: w.storeOf(p), Now: p.host.Now, Sleep: p.Sleep, Log: w.log(), Trail: w.trail(p),
	})
}

// trigger sends one event to the scheduler, in a process of its own.
func (f *function) trigger(task string, fired time.Time) (answer scheduler.Answer, err error) {
	p := f.boot()
	app, err := f.world.scheduler(p)
	if err != nil {
		return answer, err
	}
	event, err := json.Marshal(map[string]string{"task": task, "schedule": "passes", "time": fired.UTC().Format(time.RFC3339)})
	if err != nil {
		return answer, err
	}
	f.world.watched()
	f.world.say(f.name, "%s, fired %s", task, fired.UTC().Format("02 15:04:05"))
	f.invoke(p, func(ctx context.Context) { answer, err = app.Handle(ctx, event) })
	if err == nil && !p.alive() {
		err = errDead
	}
	if err != nil && strings.Contains(err.Error(), "another pass") {
		f.world.count("passes met")
	}
	if answer.Pass != nil && err == nil {
		f.world.count("pass " + string(answer.Pass.State))
		f.world.say(f.name, "pass is %s %s", answer.Pass.State, answer.Pass.Reason)
		if sums := answer.Pass.Tally.Check(); sums != nil {
			f.world.witness.breaks("11", "%v", sums)
		}
	}
	return answer, err
}

// batch is a worker's invocation with messages; it returns which are done.
func (f *function) batch(messages []command.Received, apps map[*process]*worker.App) (done []command.Received) {
	p, fresh := f.warm()
	if fresh {
		app, err := f.world.worker(p)
		if err != nil {
			f.world.witness.breaks("world", "%v", err)
			return nil
		}
		apps[p] = app
	}
	f.world.watched()
	raw, err := lambdaevent.Messages(messages...)
	if err != nil {
		f.world.witness.breaks("world", "%v", err)
		return nil
	}
	var answer events.SQSEventResponse
	f.invoke(p, func(ctx context.Context) { answer, err = apps[p].Handle(ctx, raw) })
	if err != nil || !p.alive() {
		return nil
	}
	for _, m := range messages {
		failed := slices.ContainsFunc(answer.BatchItemFailures, func(i events.SQSBatchItemFailure) bool { return i.ItemIdentifier == m.MessageID })
		if !failed {
			done = append(done, m)
		}
	}
	return done
}

// tell hands storage events to the recorder; false if they have to come again.
func (f *function) tell(all []storageevent.Created) bool {
	p := f.boot()
	app, err := f.world.recorder(p)
	if err != nil {
		f.world.witness.breaks("world", "%v", err)
		return false
	}
	raw, err := lambdaevent.Created(all...)
	if err != nil {
		f.world.witness.breaks("world", "%v", err)
		return false
	}
	f.invoke(p, func(ctx context.Context) { _, err = app.Handle(ctx, raw) })
	return err == nil && p.alive()
}

// messageOf is the id of the message whose receipt it is.
func messageOf(receipt string) string {
	id, _, _ := strings.Cut(receipt, "-r-")
	return id
}

func (w *world) must(err error) {
	if err != nil {
		w.witness.breaks("world", "%s", fmt.Sprint(err))
	}
}
