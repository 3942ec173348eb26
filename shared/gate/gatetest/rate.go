package gatetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
)

func block(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	now := s.clock.Now()
	got := reserve(t, s.operator, 150)
	if want := (gate.Grant{Slots: 150, Start: now, Void: now.Add(gate.SlotLife)}); got != want {
		t.Errorf("first block is %+v: expected %+v", got, want)
	}
	got = reserve(t, s.operator, 150)
	if want := now.Add(time.Second); !got.Start.Equal(want) {
		t.Errorf("second block starts at %s: expected %s, when the rate has made up for it", got.Start, want)
	}
	if state := s.read(t); !state.ArrivalAt.Equal(now.Add(3 * time.Second)) {
		t.Errorf("arrival is %s: expected 3 s of slots after %s", state.ArrivalAt, now)
	}
}

// Without the arrival in the reservation's condition both get the same slots,
// and the rate is doubled.
func sameMemory(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	before := s.read(t)
	one, other := s.handle(), s.handle()
	reserve(t, one, 10)
	reserve(t, other, 10)
	reserve(t, one, 10)
	reserve(t, other, 10)
	if moved := s.read(t).ArrivalAt.Sub(s.clock.Now()); moved != 400*time.Millisecond {
		t.Errorf("four blocks moved the arrival by %s from %s: expected 400ms", moved, before.ArrivalAt)
	}
}

func eightWorkers(t *testing.T, s *stage) {
	const rate, burst, size = 100, 200, 10
	s.opened(t, rate, burst)
	var (
		workers sync.WaitGroup
		mu      sync.Mutex
		grants  []gate.Grant
	)
	attempt := func(worker Gate) {
		grant, err := worker.Reserve(t.Context(), size)
		var busy *gate.BusyError
		if errors.As(err, &busy) {
			return
		}
		if err != nil {
			t.Errorf("reserve: %v", err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		grants = append(grants, grant)
	}
	for range 8 {
		worker := s.handle()
		workers.Go(func() {
			for range 10 {
				attempt(worker)
			}
		})
	}
	workers.Wait()
	last := s.handle()
	for range 80 {
		attempt(last)
	}
	total := 0
	for _, g := range grants {
		total += g.Slots
	}
	if want := burst + rate*int(gate.SlotLife/2/time.Second); total != want {
		t.Errorf("%d slots were given while the clock stood still: expected %d", total, want)
	}
	if most := busiest(grants); most > rate+burst {
		t.Errorf("%d slots start within one second: rate and burst are %d", most, rate+burst)
	}
}

// busiest is the largest number of slots that start in any one second.
func busiest(grants []gate.Grant) int {
	most := 0
	for _, from := range grants {
		slots := 0
		for _, g := range grants {
			if !g.Start.Before(from.Start) && g.Start.Before(from.Start.Add(time.Second)) {
				slots += g.Slots
			}
		}
		most = max(most, slots)
	}
	return most
}

// drain takes blocks until the gate is busy, and returns until when.
func drain(t *testing.T, g Gate, size int) time.Time {
	t.Helper()
	for range 1_000 {
		_, err := g.Reserve(t.Context(), size)
		var busy *gate.BusyError
		if errors.As(err, &busy) {
			return busy.Until
		}
		must(t, err)
	}
	t.Fatal("the gate never was busy")
	return time.Time{}
}

func busy(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	until := drain(t, s.operator, 100)
	before := s.read(t).ArrivalAt
	if again := drain(t, s.operator, 100); !again.Equal(until) || !s.read(t).ArrivalAt.Equal(before) {
		t.Errorf("asking a busy gate changed it: %s, then %s", until, again)
	}
	if !until.After(s.clock.Now()) {
		t.Fatalf("busy until %s, which is over", until)
	}
	s.clock.set(until)
	reserve(t, s.operator, 100)
}

func impossibleBlocks(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	before := s.read(t).ArrivalAt
	for _, slots := range []int{-1, 0, 201} {
		if _, err := s.operator.Reserve(t.Context(), slots); err == nil || errors.Is(err, gate.ErrClosed) {
			t.Errorf("a block of %d slots: %v", slots, err)
		}
	}
	if after := s.read(t).ArrivalAt; !after.Equal(before) {
		t.Errorf("arrival moved from %s to %s", before, after)
	}
}

// Without the revision in the reservation's condition, a worker goes on at the
// old rate for as long as nobody else reserves: the clock stands so that the
// new rate leaves the arrival as it is.
func burstOverMemory(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	worker := s.handle()
	reserve(t, worker, 100)
	s.clock.set(s.clock.Now().Add(time.Hour))
	must(t, s.operator.SetRate(t.Context(), 10, 20))
	if grant, err := worker.Reserve(t.Context(), 100); err == nil {
		t.Errorf("got %+v: expected a block over the new burst to be refused", grant)
	}
	must(t, s.operator.SetRate(t.Context(), 100, 500))
	reserve(t, worker, 300)
}

func rateOverMemory(t *testing.T, s *stage) {
	s.opened(t, 1, 100)
	worker := s.handle()
	drain(t, worker, 100)
	must(t, s.operator.SetRate(t.Context(), 1_000, 10_000))
	reserve(t, worker, 100)
}

func badRate(t *testing.T, s *stage) {
	s.opened(t, 100, 200)
	before := s.read(t)
	for _, c := range [][2]int{{0, 1}, {-1, 1}, {1, 0}, {gate.MaxRate + 1, 1}, {1, gate.MaxBurst + 1}} {
		if err := s.operator.SetRate(t.Context(), c[0], c[1]); err == nil {
			t.Errorf("rate %d and burst %d were accepted", c[0], c[1])
		}
	}
	if after := s.read(t); after.Rate != 100 || after.Burst != 200 || after.Revision != before.Revision {
		t.Errorf("state is %+v: expected %+v", after, before)
	}
}

// An operator's change is decided from the arrival, which the workers move: it
// has to get through all the same, and no reservation may be forgotten by it.
func rateUnderLoad(t *testing.T, s *stage) {
	s.opened(t, 1_000, gate.MaxBurst)
	workers := s.crowd(t, 10, func(Gate) {})
	setRate(t, s.operator)
	workers.Wait()
	state := s.read(t)
	if state.Rate != 500 {
		t.Errorf("rate is %d: expected 500", state.Rate)
	}
	ahead := state.ArrivalAt.Sub(s.clock.Now())
	if want := time.Duration(workers.given.Load()) * time.Second / 500; ahead != want {
		t.Errorf("%d slots were given, the arrival is %s ahead: expected %s", workers.given.Load(), ahead, want)
	}
}

// crowd is eight workers at one gate, and how many slots they were given.
type crowd struct {
	sync.WaitGroup
	given atomic.Int64
}

// crowd has each worker reserve so often, and do something else after each.
func (s *stage) crowd(t *testing.T, times int, also func(worker Gate)) *crowd {
	var all crowd
	for range 8 {
		worker := s.handle()
		all.Go(func() {
			for range times {
				grant, err := worker.Reserve(t.Context(), 1_000)
				var busy *gate.BusyError
				if err != nil && !errors.As(err, &busy) {
					t.Errorf("reserve: %v", err)
				}
				all.given.Add(int64(grant.Slots))
				also(worker)
			}
		})
	}
	return &all
}

func setRate(t *testing.T, operator Gate) {
	t.Helper()
	for range 50 {
		err := operator.SetRate(t.Context(), 500, gate.MaxBurst)
		var busy *gate.BusyError
		if !errors.As(err, &busy) {
			must(t, err)
			return
		}
	}
	t.Error("the rate could not be set")
}
