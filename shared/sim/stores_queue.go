package sim

import (
	"context"
	"fmt"
	"time"

	gates "github.com/strandline-dev/strandline/shared/gate/memory"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// sharedGate is the gate as one process sees it, by its own clock.
type sharedGate struct {
	*gates.Gate
	process *process
	world   *world
}

// by lets the gate see the clock of whoever calls. Only one call is under way.
func (g sharedGate) by(do func() error) error {
	g.world.gateDrift = g.process.host.drift
	defer func() { g.world.gateDrift = 0 }()
	return do()
}

func (g sharedGate) Read(ctx context.Context) (gate.State, error) {
	const what = "reads the gate"
	if w := g.process.enter(what, throttled, timeout); !w.done() {
		return gate.State{}, failed(what, w)
	}
	state, err := g.Gate.Read(ctx) // the server's clock is nobody's
	switch g.world.broken {
	case ownClock:
		state.ServerTime = g.process.host.Now()
	case everOpen:
		state.Mode, state.Paused = gate.Delete, false
	}
	return state, err
}

func (g sharedGate) Reserve(ctx context.Context, slots int) (grant gate.Grant, err error) {
	what := fmt.Sprintf("reserves %d slots", slots)
	w := g.process.enter(what, throttled, timeout, lost)
	if !w.done() {
		return gate.Grant{}, failed(what, w)
	}
	close := g.world.reopened(ctx)
	err = g.by(func() error {
		grant, err = g.Gate.Reserve(ctx, slots)
		return err
	})
	close()
	if err != nil {
		return gate.Grant{}, err
	}
	if w != asked {
		return gate.Grant{}, failed(what, w)
	}
	if g.world.broken != freeSlots {
		g.process.slots += grant.Slots
	}
	return grant, nil
}

// Throttled tells everybody to go slower.
func (g sharedGate) Throttled(ctx context.Context) (state gate.State, err error) {
	const what = "lowers the rate"
	w := g.process.enter(what, throttled, timeout, lost)
	if !w.done() {
		return gate.State{}, failed(what, w)
	}
	err = g.by(func() error {
		state, err = g.Gate.Throttled(ctx)
		return err
	})
	if err != nil {
		return state, err
	}
	return state, failed(what, w)
}

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
