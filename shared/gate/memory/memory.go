// Package memory is the gate of one process: for tests, the simulation and the
// demo without a cloud. Any number of goroutines share it.
package memory

import (
	"context"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
)

// Gate is a gate in memory. Like a stored one that does not exist yet, a new
// one is report-only.
type Gate struct {
	now  func() time.Time
	by   gate.Decision
	item *item
}

// item is what all handles of a gate share.
type item struct {
	mu    sync.Mutex
	state gate.State
}

// New returns a gate whose workers, operator and server read the clock now.
func New(now func() time.Time) *Gate {
	return &Gate{now: now, by: gate.Decision{Saw: gate.AnyRevision}, item: &item{state: gate.State{Mode: gate.ReportOnly}}}
}

// By returns another handle on the same gate, whose calls are the decision's.
func (g *Gate) By(d gate.Decision) *Gate { return &Gate{now: g.now, by: d, item: g.item} }

// Read returns the state; its ServerTime is the clock's.
func (g *Gate) Read(ctx context.Context) (gate.State, error) {
	if err := ctx.Err(); err != nil {
		return gate.State{}, err
	}
	g.item.mu.Lock()
	defer g.item.mu.Unlock()
	s := g.item.state
	s.ServerTime = g.now()
	return s, nil
}

// Reserve gives a block of slots; see [gate.State.Reserve] for its errors.
func (g *Gate) Reserve(ctx context.Context, slots int) (gate.Grant, error) {
	var grant gate.Grant
	err := g.change(ctx, func(s gate.State) (next gate.State, err error) {
		next, grant, err = s.Reserve(slots, g.now())
		return next, err
	})
	return grant, err
}

// Throttled lowers the rate for everybody, see [gate.State.Throttled], and
// returns the state as it is then.
func (g *Gate) Throttled(ctx context.Context) (gate.State, error) {
	var after gate.State
	err := g.change(ctx, func(s gate.State) (gate.State, error) {
		after, _ = s.Throttled(g.now())
		return after, nil
	})
	return after, err
}

// SetMode chooses whether anything may be deleted.
func (g *Gate) SetMode(ctx context.Context, mode gate.Mode) error {
	if mode == gate.ReportOnly {
		return g.shut(ctx, func(s gate.State) (gate.State, error) { return s.WithMode(mode) })
	}
	return g.open(ctx, func(s gate.State) (gate.State, error) { return s.WithMode(mode) })
}

// Pause stops every worker within [gate.SlotLife].
func (g *Gate) Pause(ctx context.Context) error {
	return g.shut(ctx, func(s gate.State) (gate.State, error) { return s.WithPause(true), nil })
}

// Resume ends a pause.
func (g *Gate) Resume(ctx context.Context) error {
	return g.open(ctx, func(s gate.State) (gate.State, error) { return s.WithPause(false), nil })
}

// SetRate sets the rate in object versions per second, and the burst.
func (g *Gate) SetRate(ctx context.Context, rate, burst int) error {
	return g.open(ctx, func(s gate.State) (gate.State, error) { return s.WithRate(rate, burst, g.now()) })
}

// open is an operator's call that is bound to what they have seen, shut one
// that is bound to nothing.
func (g *Gate) open(ctx context.Context, by func(gate.State) (gate.State, error)) error {
	return g.shut(ctx, func(s gate.State) (gate.State, error) {
		if err := g.by.Check(s); err != nil {
			return s, err
		}
		return by(s)
	})
}

func (g *Gate) shut(ctx context.Context, by func(gate.State) (gate.State, error)) error {
	return g.change(ctx, func(s gate.State) (gate.State, error) {
		next, err := by(s)
		return g.by.Signed(next, g.now()), err
	})
}

func (g *Gate) change(ctx context.Context, by func(gate.State) (gate.State, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.item.mu.Lock()
	defer g.item.mu.Unlock()
	next, err := by(g.item.state)
	if err != nil {
		return err
	}
	g.item.state = next
	return nil
}
