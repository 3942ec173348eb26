package gatetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
)

func slow(t *testing.T, g Gate) gate.State {
	t.Helper()
	s, err := g.Throttled(t.Context())
	must(t, err)
	return s
}

// justBelow: a lowered rate rises at once, so that what it gives takes a little
// less than at the rate that a throttle has left.
func justBelow(d, bound time.Duration) bool { return d < bound && d > bound-bound/20 }

// Without the slowdown in the reservation's condition, a worker goes on at the
// old rate for as long as nobody else reserves: the gate is idle, so that the
// throttle leaves the arrival as it is.
func slowOverMemory(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	worker, other := s.handle(), s.handle()
	reserve(t, worker, 100)
	s.clock.set(s.clock.Now().Add(time.Hour))
	now := s.clock.Now()
	if state := slow(t, other); state.SlowedTo != 50 || !state.SlowedAt.Equal(now) || state.RateAt(now) != 50 {
		t.Errorf("after a throttle the state is %+v", state)
	}
	reserve(t, worker, 100)
	if ahead := s.read(t).ArrivalAt.Sub(now); !justBelow(ahead, 2*time.Second) {
		t.Errorf("100 slots moved the arrival by %s: expected about 2s, at 50 a second", ahead)
	}
}

func slowOnce(t *testing.T, s *stage) {
	s.opened(t, 800, 1000)
	var workers sync.WaitGroup
	var states [8]gate.State
	for i := range states {
		worker := s.handle()
		workers.Go(func() {
			var err error
			states[i], err = worker.Throttled(t.Context())
			if err != nil {
				t.Errorf("throttled: %v", err)
			}
		})
	}
	workers.Wait()
	for _, state := range states {
		if state.SlowedTo != 400 {
			t.Errorf("one of eight that meet a throttle sees %+v", state)
		}
	}
	s.clock.set(s.clock.Now().Add(gate.SlotLife))
	if state := slow(t, s.operator); state.SlowedTo >= 250 {
		t.Errorf("the next throttle leaves %d a second", state.SlowedTo)
	}
}

func slowGives(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	reserve(t, s.handle(), 200)
	slow(t, s.handle())
	state := s.read(t)
	if ahead := state.ArrivalAt.Sub(s.clock.Now()); !justBelow(ahead, 4*time.Second) {
		t.Errorf("200 slots given ahead are used up after %s: expected about 4s", ahead)
	}
	s.clock.set(state.RecoversAt())
	now := s.clock.Now()
	reserve(t, s.handle(), 200)
	if ahead := s.read(t).ArrivalAt.Sub(now); ahead != 2*time.Second {
		t.Errorf("after the quiet 200 slots take %s: expected 2s, at the rate that was set", ahead)
	}
}

func slowEnds(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	slow(t, s.handle())
	must(t, s.operator.Pause(t.Context()))
	must(t, s.operator.Resume(t.Context()))
	must(t, s.operator.SetMode(t.Context(), gate.ReportOnly))
	must(t, s.operator.SetMode(t.Context(), gate.Delete))
	if state := s.read(t); state.RateAt(s.clock.Now()) != 50 {
		t.Errorf("after other decisions the state is %+v: expected it to be slowed still", state)
	}
	must(t, s.operator.SetRate(t.Context(), 100, 200))
	if state := s.read(t); state.Slowed(s.clock.Now()) || state.SlowedTo != 0 || !state.SlowedAt.IsZero() {
		t.Errorf("after the rate was set the state is %+v", state)
	}
	reserve(t, s.handle(), 100)
	if ahead := s.read(t).ArrivalAt.Sub(s.clock.Now()); ahead != time.Second {
		t.Errorf("100 slots take %s: expected 1s", ahead)
	}
}

// Were it a decision, an operator who ends a pause would be refused because the
// store had a bad second meanwhile.
func slowDecidesNothing(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	must(t, s.by(gate.Decision{By: "ann", Saw: gate.AnyRevision}).Pause(t.Context()))
	saw := s.read(t)
	slow(t, s.handle())
	state := s.read(t)
	if !state.Paused || state.Revision != saw.Revision || state.DecidedBy != "ann" || state.SlowedTo != 50 {
		t.Errorf("after a throttle the state is %+v, was %+v", state, saw)
	}
	wantClosed(t, s.handle())
	must(t, s.by(gate.Decision{By: "bob", Saw: saw.Revision}).Resume(t.Context()))
	if state := s.read(t); state.RateAt(s.clock.Now()) != 50 {
		t.Errorf("the resume has ended the slowdown: %+v", state)
	}
}

func slowNothing(t *testing.T, s *stage) {
	if state := slow(t, s.handle()); state.Rate != 0 || state.SlowedTo != 0 || state.Open() {
		t.Errorf("a new gate was slowed: %+v", state)
	}
	if state := s.read(t); state.Revision != 0 || state.SlowedTo != 0 {
		t.Errorf("and is there now: %+v", state)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.opened(t, 100, 200)
	if _, err := s.handle().Throttled(ctx); err == nil {
		t.Error("a cancelled throttle succeeded")
	}
	if state := s.read(t); state.Slowed(s.clock.Now()) {
		t.Errorf("and has slowed the gate: %+v", state)
	}
}

// A slowdown is decided from the arrival, which the workers move: it has to get
// through all the same, and no reservation may be forgotten by it.
func slowUnderLoad(t *testing.T, s *stage) {
	s.opened(t, 1_000, gate.MaxBurst)
	workers := s.crowd(t, 5, func(worker Gate) {
		var busy *gate.BusyError
		if _, err := worker.Throttled(t.Context()); err != nil && !errors.As(err, &busy) {
			t.Errorf("throttled: %v", err)
		}
	})
	workers.Wait()
	if state := s.read(t); state.SlowedTo != 500 {
		t.Errorf("the state is %+v: expected it to be slowed once", state)
	}
	setRate(t, s.operator)
	state := s.read(t)
	ahead := state.ArrivalAt.Sub(s.clock.Now())
	if want := time.Duration(workers.given.Load()) * time.Second / 500; ahead.Round(time.Microsecond) != want || state.Slowed(s.clock.Now()) {
		t.Errorf("%d slots were given, the arrival is %s ahead: expected %s", workers.given.Load(), ahead, want)
	}
}
