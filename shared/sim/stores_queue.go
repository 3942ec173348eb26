package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// commands is the queue as one process sees it.
type commands struct {
	*process
	world *world
}

func (q commands) Send(ctx context.Context, all []upload.Command) ([]bool, error) {
	what := "publishes"
	for _, c := range all {
		what += fmt.Sprintf(" %s of %s", c.Operation, c.ID.Upload)
	}
	w := q.enter(what, throttled, timeout, lost, part)
	if w == part {
		half := (len(all) + 1) / 2
		accepted, err := q.send(ctx, all[:half])
		if err == nil {
			err = failed(what, w)
		}
		return append(accepted, make([]bool, len(all)-half)...), err
	}
	if !w.done() {
		return make([]bool, len(all)), failed(what, w)
	}
	accepted, err := q.send(ctx, all)
	if w == lost {
		return make([]bool, len(all)), failed(what, w)
	}
	return accepted, err
}

func (q commands) send(ctx context.Context, all []upload.Command) ([]bool, error) {
	q.world.witness.publishes(q.process, all)
	return q.world.queue.Send(ctx, all)
}

func (q commands) Depth(ctx context.Context) (int64, error) {
	const what = "counts the queue"
	if w := q.enter(what, throttled, timeout); !w.done() {
		return 0, failed(what, w)
	}
	return q.world.queue.Depth(ctx)
}

func (q commands) Hide(ctx context.Context, receipt string, d time.Duration) error {
	what := "hides " + messageOf(receipt) + " for " + d.Round(time.Second).String()
	w := q.enter(what, throttled, timeout, lost)
	if !w.done() {
		return failed(what, w)
	}
	if err := q.world.queue.Hide(ctx, receipt, d); err != nil {
		return err
	}
	return failed(what, w)
}

func (q commands) DeadLetter(ctx context.Context, m command.Received, reason string) error {
	what := "gives up " + m.MessageID + ": " + reason
	w := q.enter(what, throttled, timeout, lost)
	if !w.done() {
		return failed(what, w)
	}
	if err := q.world.queue.DeadLetter(ctx, m, reason); err != nil {
		return err
	}
	return failed(what, w)
}
