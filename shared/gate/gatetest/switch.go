package gatetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/strandline-dev/strandline/shared/gate"
)

func wantClosed(t *testing.T, g Gate) {
	t.Helper()
	if grant, err := g.Reserve(t.Context(), 1); !errors.Is(err, gate.ErrClosed) || grant != (gate.Grant{}) {
		t.Fatalf("got %+v and %v: expected %v", grant, err, gate.ErrClosed)
	}
}

// Without this a new installation would delete before anybody allowed it.
func newGate(t *testing.T, s *stage) {
	state := s.read(t)
	if state.Mode != gate.ReportOnly || state.Paused || state.Revision != 0 || state.Open() {
		t.Errorf("state is %+v: expected report-only, not paused, revision 0", state)
	}
	if state.ServerTime.IsZero() {
		t.Error("the state has no server time: nobody could see that a clock is wrong")
	}
	wantClosed(t, s.operator)
}

func pausedFirst(t *testing.T, s *stage) {
	must(t, s.operator.Pause(t.Context()))
	if state := s.read(t); !state.Paused || state.Mode != gate.ReportOnly {
		t.Errorf("state is %+v: expected paused and report-only", state)
	}
	must(t, s.operator.Resume(t.Context()))
	if state := s.read(t); state.Paused || state.Mode != gate.ReportOnly {
		t.Errorf("state is %+v: expected report-only, not paused", state)
	}
	wantClosed(t, s.operator)
}

func noRate(t *testing.T, s *stage) {
	must(t, s.operator.SetMode(t.Context(), gate.Delete))
	grant, err := s.operator.Reserve(t.Context(), 1)
	if err == nil || errors.Is(err, gate.ErrClosed) || grant != (gate.Grant{}) {
		t.Fatalf("got %+v and %v: expected an error about the rate", grant, err)
	}
}

func pause(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	must(t, s.operator.Pause(t.Context()))
	wantClosed(t, s.operator)
	must(t, s.operator.Pause(t.Context()))
	if state := s.read(t); !state.Paused || state.Mode != gate.Delete || state.Rate != 100 || state.Burst != 200 {
		t.Errorf("state is %+v: expected only the pause to be new", state)
	}
	must(t, s.operator.Resume(t.Context()))
	must(t, s.operator.Resume(t.Context()))
	reserve(t, s.operator, 10)
}

func reportOnly(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	must(t, s.operator.SetMode(t.Context(), gate.ReportOnly))
	wantClosed(t, s.operator)
	must(t, s.operator.SetMode(t.Context(), gate.Delete))
	reserve(t, s.operator, 10)
}

// Without the switch in the condition of the reservation itself, a worker goes
// on deleting for as long as it believes what it read before the pause.
func pauseOverMemory(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	worker := s.handle()
	reserve(t, worker, 10)
	must(t, s.operator.Pause(t.Context()))
	wantClosed(t, worker)
}

func reportOnlyOverMemory(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	worker := s.handle()
	reserve(t, worker, 10)
	must(t, s.operator.SetMode(t.Context(), gate.ReportOnly))
	wantClosed(t, worker)
}

func resumeOverMemory(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	must(t, s.operator.Pause(t.Context()))
	worker := s.handle()
	wantClosed(t, worker)
	wantClosed(t, worker)
	must(t, s.operator.Resume(t.Context()))
	reserve(t, worker, 10)
}

// As above, with many writes under way when the pause comes.
func pauseUnderLoad(t *testing.T, s *stage) {
	s.opened(t, gate.MaxRate, gate.MaxBurst)
	var paused atomic.Bool
	var workers, started sync.WaitGroup
	for range 8 {
		worker := s.handle()
		started.Add(1)
		workers.Go(func() {
			begin := sync.OnceFunc(started.Done)
			defer begin()
			for after := 0; after < 3; {
				wasPaused := paused.Load()
				_, err := worker.Reserve(t.Context(), 1)
				begin()
				if !wasPaused {
					continue
				}
				after++
				if !errors.Is(err, gate.ErrClosed) {
					t.Errorf("a reservation begun after the pause: %v, expected %v", err, gate.ErrClosed)
				}
			}
		})
	}
	started.Wait()
	err := s.operator.Pause(t.Context())
	paused.Store(true)
	workers.Wait()
	must(t, err)
}

func badMode(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	before := s.read(t)
	if err := s.operator.SetMode(t.Context(), "DELETE"); err == nil {
		t.Error(`mode "DELETE" was accepted`)
	}
	if after := s.read(t); after.Revision != before.Revision || after.Mode != before.Mode {
		t.Errorf("state is %+v: expected %+v", after, before)
	}
}

func revision(t *testing.T, s *stage) {
	last := int64(0)
	for i, call := range []func() error{
		func() error { return s.operator.SetRate(t.Context(), 100, 200) },
		func() error { return s.operator.SetMode(t.Context(), gate.Delete) },
		func() error { return s.operator.Pause(t.Context()) },
		func() error { return s.operator.Resume(t.Context()) },
		func() error { return s.operator.SetMode(t.Context(), gate.ReportOnly) },
		func() error { return s.operator.SetMode(t.Context(), gate.Delete) },
	} {
		must(t, call())
		now := s.read(t).Revision
		if now <= last {
			t.Errorf("call %d: revision %d after %d", i+1, now, last)
		}
		last = now
	}
	reserve(t, s.operator, 10)
	if now := s.read(t).Revision; now != last {
		t.Errorf("a reservation made revision %d of %d", now, last)
	}
}

func cancelled(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	before := s.read(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.operator.Reserve(ctx, 10); err == nil {
		t.Error("reserve succeeded")
	}
	if _, err := s.operator.Read(ctx); err == nil {
		t.Error("read succeeded")
	}
	if err := s.operator.Pause(ctx); err == nil {
		t.Error("pause succeeded")
	}
	after := s.read(t)
	after.ServerTime = before.ServerTime
	if after != before {
		t.Errorf("state is %+v: expected %+v", after, before)
	}
}
