package gatetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

func signed(t *testing.T, s *stage) {
	for i, call := range calls() {
		at := s.clock.Now().Add(time.Duration(i)*time.Hour + 123456789*time.Nanosecond)
		s.clock.set(at)
		must(t, call.do(t.Context(), s.by(gate.Decision{By: "ann", Saw: gate.AnyRevision})))
		state := s.read(t)
		if state.DecidedBy != "ann" || !state.DecidedAt.Equal(at.Truncate(time.Millisecond)) {
			t.Errorf("%s: decided by %q at %s: expected ann at %s", call.name, state.DecidedBy, state.DecidedAt, at)
		}
		must(t, call.do(t.Context(), s.operator))
		if state := s.read(t); state.DecidedBy != "" {
			t.Errorf("%s by nobody: the state still names %s", call.name, state.DecidedBy)
		}
	}
	must(t, s.by(gate.Decision{By: "ann", Saw: gate.AnyRevision}).Resume(t.Context()))
	must(t, s.operator.SetMode(t.Context(), gate.Delete))
	must(t, s.by(gate.Decision{By: "bob", Saw: gate.AnyRevision}).SetRate(t.Context(), 100, 200))
	reserve(t, s.handle(), 10)
	if state := s.read(t); state.DecidedBy != "bob" {
		t.Errorf("after a reservation the gate was decided by %q: expected bob", state.DecidedBy)
	}
}

// Without the check a person who was shown ann's pause, and thinks about it,
// ends the one that bob made meanwhile for another reason.
func lookedAt(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	must(t, s.operator.Pause(t.Context()))
	saw := s.read(t).Revision
	must(t, s.operator.Pause(t.Context()))
	for _, call := range calls()[2:] {
		if err := call.do(t.Context(), s.by(gate.Decision{By: "ann", Saw: saw})); !errors.Is(err, upload.ErrChanged) {
			t.Errorf("%s: got %v: expected %v", call.name, err, upload.ErrChanged)
		}
	}
	if state := s.read(t); !state.Paused || state.Revision != saw+1 {
		t.Fatalf("state is %+v: expected the second pause", state)
	}
	must(t, s.by(gate.Decision{By: "ann", Saw: saw + 1}).Resume(t.Context()))
	reserve(t, s.handle(), 10)
}

func closedBlindly(t *testing.T, s *stage) {
	for _, call := range calls()[:2] {
		s.opened(t, 100, 200)
		must(t, s.operator.Resume(t.Context()))
		if err := call.do(t.Context(), s.by(gate.Decision{By: "ann", Saw: 0})); err != nil {
			t.Errorf("%s of an old look: %v", call.name, err)
		}
		wantClosed(t, s.handle())
	}
}

// calls are what an operator may do: first what closes, then what opens.
func calls() []operation {
	return []operation{
		{"pause", func(ctx context.Context, g Gate) error { return g.Pause(ctx) }},
		{"report-only", func(ctx context.Context, g Gate) error { return g.SetMode(ctx, gate.ReportOnly) }},
		{"resume", func(ctx context.Context, g Gate) error { return g.Resume(ctx) }},
		{"delete", func(ctx context.Context, g Gate) error { return g.SetMode(ctx, gate.Delete) }},
		{"set rate", func(ctx context.Context, g Gate) error { return g.SetRate(ctx, 50, 60) }},
	}
}

type operation struct {
	name string
	do   func(context.Context, Gate) error
}
