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
	now   func() time.Time
	mu    sync.Mutex
	state gate.State
}

// New returns a gate whose workers, operator and server read the clock now.
func New(now func() time.Time) *Gate {
	return &Gate{now: now, state: gate.State{Mode: gate.ReportOnly}}
}

// Read returns the state; its ServerTime is the clock's.
func (g *Gate) Read(ctx context.Context) (gate.State, error) {
	if err := ctx.Err(); err != nil {
		return gate.State{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.state
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

// SetMode chooses whether anything may be deleted.
func (g *Gate) SetMode(ctx context.Context, mode gate.Mode) error {
	return g.change(ctx, func(s gate.State) (gate.State, error) { return s.WithMode(mode) })
}

// Pause stops every worker within [gate.SlotLife].
func (g *Gate) Pause(ctx context.Context) error {
	return g.change(ctx, func(s gate.State) (gate.State, error) { return s.WithPause(true), nil })
}

// Resume ends a pause.
func (g *Gate) Resume(ctx context.Context) error {
	return g.change(ctx, func(s gate.State) (gate.State, error) { return s.WithPause(false), nil })
}

// SetRate sets the rate in object versions per second, and the burst.
func (g *Gate) SetRate(ctx context.Context, rate, burst int) error {
	return g.change(ctx, func(s gate.State) (gate.State, error) { return s.WithRate(rate, burst, g.now()) })
}

func (g *Gate) change(ctx context.Context, by func(gate.State) (gate.State, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	next, err := by(g.state)
	if err != nil {
		return err
	}
	g.state = next
	return nil
}
