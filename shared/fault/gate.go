package fault

import (
	"context"

	"github.com/strandline-dev/strandline/shared/gate"
)

// GateCalls is what scheduler and worker call of a gate.
type GateCalls interface {
	Read(ctx context.Context) (gate.State, error)
	Reserve(ctx context.Context, slots int) (gate.Grant, error)
	Throttled(ctx context.Context) (gate.State, error)
}

// Gate is a gate whose calls may fail.
type Gate struct {
	next GateCalls
	set  *Set
}

// Gate puts the set in front of a gate.
func (s *Set) Gate(next GateCalls) *Gate { return &Gate{next, s} }

// Read see [GateCalls].
func (g *Gate) Read(ctx context.Context) (gate.State, error) {
	return call(ctx, g.set, "gate.Read", func() (gate.State, error) { return g.next.Read(ctx) })
}

// Reserve see [GateCalls]. A condition that fails says that others were faster,
// each time.
func (g *Gate) Reserve(ctx context.Context, slots int) (gate.Grant, error) {
	return callOr(ctx, g.set, "gate.Reserve", &gate.BusyError{}, func() (gate.Grant, error) { return g.next.Reserve(ctx, slots) })
}

// Throttled see [GateCalls]. A condition that fails says that others were
// faster, each time.
func (g *Gate) Throttled(ctx context.Context) (gate.State, error) {
	return callOr(ctx, g.set, "gate.Throttled", &gate.BusyError{}, func() (gate.State, error) { return g.next.Throttled(ctx) })
}
