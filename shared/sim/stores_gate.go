package sim

import (
	"context"
	"fmt"

	gates "github.com/strandline-dev/strandline/shared/gate/memory"

	"github.com/strandline-dev/strandline/shared/gate"
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
	closeAgain := g.world.reopened(ctx)
	err = g.by(func() error {
		grant, err = g.Gate.Reserve(ctx, slots)
		return err
	})
	closeAgain()
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
