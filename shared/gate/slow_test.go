package gate

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// throttled is the state after a throttle that lowers.
func throttled(t *testing.T, s State, now time.Time) State {
	t.Helper()
	next, lowered := s.Throttled(now)
	if !lowered {
		t.Fatalf("a throttle at %s lowered nothing: %+v", now, s)
	}
	return next
}

func TestAThrottleHalvesTheRateAndQuietRaisesItInEqualSteps(t *testing.T) {
	s := throttled(t, open(600, 1000), t0)
	for after, want := range map[time.Duration]int{
		-time.Minute: 300, 0: 300, time.Second: 302, time.Minute: 420, 2 * time.Minute: 540,
		RecoverIn/2 - time.Millisecond: 599, RecoverIn / 2: 600, time.Hour: 600,
	} {
		if got := s.RateAt(t0.Add(after)); got != want {
			t.Errorf("%s after the throttle the rate is %d, want %d", after, got, want)
		}
	}
	if s.Rate != 600 || s.Burst != 1000 {
		t.Errorf("what was set has become %d and %d", s.Rate, s.Burst)
	}
	if at := s.RecoversAt(); !at.Equal(t0.Add(RecoverIn/2)) || s.Slowed(at) || !s.Slowed(at.Add(-time.Millisecond)) {
		t.Errorf("it recovers at %s", at)
	}
	if (State{}).Slowed(t0) || open(600, 1000).Slowed(t0) || !open(600, 1000).RecoversAt().IsZero() {
		t.Error("a gate that nothing throttled is slowed")
	}
}

// Without the episode, eight workers that meet the same second of throttles
// bring the rate to a 256th, and cleanup stands still for minutes.
func TestAThrottleThatEightWorkersMeetLowersOnceAndTheNextOneAgain(t *testing.T) {
	s := throttled(t, open(800, 1000), t0)
	for i := range 8 {
		at := t0.Add(time.Duration(i-2) * time.Second) // two clocks are behind
		next, lowered := s.Throttled(at)
		if lowered || next != s {
			t.Fatalf("worker %d lowered it again, to %d", i+1, next.SlowedTo)
		}
	}
	again := throttled(t, s, t0.Add(SlotLife))
	if want := s.RateAt(t0.Add(SlotLife)) / 2; again.SlowedTo != want {
		t.Errorf("once the slots of the old rate are void, a throttle lowers to %d, want %d", again.SlowedTo, want)
	}
}

func TestThrottlesWithoutEndLeaveAHundredthOfTheRateAndAtLeastOne(t *testing.T) {
	for rate, least := range map[int]int{5000: 50, 500: 5, 99: 1, 2: 1, 1: 1} {
		s, now := open(rate, 10), t0
		for range 20 {
			s = throttled(t, s, now)
			now = now.Add(SlotLife)
		}
		if s.SlowedTo < least || s.SlowedTo > max(least, rate/20) {
			t.Errorf("of %d a second %d are left, want %d or a few", rate, s.SlowedTo, least)
		}
		if s.Slowed(s.RecoversAt()) {
			t.Errorf("rate %d never recovers", rate)
		}
	}
}

// Were a throttle able to open the gate, or to count as an operator's call, the
// store's bad minute would end a pause, or refuse the operator who ends one.
func TestAThrottleOpensNothingAndIsNoDecision(t *testing.T) {
	for name, s := range map[string]State{
		"paused":      {Mode: Delete, Paused: true, Rate: 500, Burst: 1000, Revision: 3, DecidedBy: "ann"},
		"report-only": {Mode: ReportOnly, Rate: 500, Burst: 1000, Revision: 3, DecidedBy: "ann"},
		"open":        {Mode: Delete, Rate: 500, Burst: 1000, Revision: 3, DecidedBy: "ann"},
	} {
		next := throttled(t, s, t0)
		next.SlowedTo, next.SlowedAt = 0, time.Time{}
		if next != s {
			t.Errorf("%s: it changed %+v to %+v", name, s, next)
		}
	}
	if next, lowered := (State{}).Throttled(t0); lowered || next != (State{}) {
		t.Errorf("a gate without a rate was slowed: %+v", next)
	}
}

// Forgetting what was given ahead would let a second burst go right after the
// store asked to slow down.
func TestWhatWasGivenAheadStaysGivenAtTheLowerRate(t *testing.T) {
	s, _, err := open(500, 1000).Reserve(1000, t0)
	if err != nil {
		t.Fatal(err)
	}
	s = throttled(t, s, t0)
	if got := s.ArrivalAt.Sub(t0).Round(100 * time.Millisecond); got != 3900*time.Millisecond {
		t.Errorf("1,000 slots at 250 a second and rising are used up after about %s: expected 3.9s", got)
	}
	if _, g, err := s.Reserve(250, t0); err != nil || g.Start.Sub(t0).Round(10*time.Millisecond) != time.Second {
		t.Errorf("the next 250 start at %s (%v): expected about a second later", g.Start, err)
	}
}

func TestAnOperatorsRateEndsASlowdownAndOtherDecisionsDoNot(t *testing.T) {
	s := throttled(t, open(500, 1000), t0)
	paused := s.WithPause(true).WithPause(false)
	if paused.RateAt(t0) != 250 {
		t.Errorf("a pause and its end have left %d a second", paused.RateAt(t0))
	}
	set, err := s.WithRate(500, 1000, t0)
	if err != nil || set.RateAt(t0) != 500 || set.Slowed(t0) || !set.RecoversAt().IsZero() {
		t.Errorf("after the same rate was set: %+v (%v)", set, err)
	}
}

func TestASlowdownOfAClockThatWasWrongIsOver(t *testing.T) {
	s := throttled(t, open(500, 1000), t0.AddDate(1, 0, 0))
	if s.Slowed(t0) {
		t.Error("a throttle of next year slows the gate until then")
	}
	if s = throttled(t, s, t0); s.RateAt(t0) != 250 {
		t.Errorf("and a throttle of today leaves %d a second", s.RateAt(t0))
	}
}

// Reckoning spans at the rate that was set, or the tolerance at the one in force
// and the spans not, gives more in some second, or less than what is in force.
func TestASlowedGateGivesTheRateInForceAndNeverMoreThanWasSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate, burst := rapid.IntRange(1, 400).Draw(t, "rate"), rapid.IntRange(1, 100).Draw(t, "burst")
		s, now := open(rate, burst), t0
		var grants []Grant
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "forward")))
			if rapid.Bool().Draw(t, "throttle") {
				s, _ = s.Throttled(now)
			}
			s, grants = drain(s, grants, rapid.IntRange(1, burst).Draw(t, "slots"), now)
		}
		if got := busiest(grants); got > rate+burst {
			t.Fatalf("%d slots start within one second: rate and burst are %d", got, rate+burst)
		}
	})
}

// A crowd takes what it can get for a minute after a throttle: it gets what the
// rate in force gives, second by second, but for what was given ahead.
func TestACrowdGetsTheLoweredRateAndItsRise(t *testing.T) {
	s := open(600, 600)
	s, _ = drain(s, nil, 10, t0)
	s = throttled(t, s, t0)
	given := map[int]int{}
	for tick := range 600 {
		now := t0.Add(time.Duration(tick) * 100 * time.Millisecond)
		for {
			next, g, err := s.Reserve(10, now)
			var busy *BusyError
			if errors.As(err, &busy) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			s = next
			given[int(g.Start.Sub(t0)/time.Second)] += 10
		}
	}
	for second := 20; second < 60; second++ {
		want := s.RateAt(t0.Add(time.Duration(second) * time.Second))
		if got := given[second]; got < want-15 || got > want+15 {
			t.Errorf("in second %d start %d, the rate in force is %d", second, got, want)
		}
	}
}

// What was given ahead, reckoned at the lowered rate however far that has risen by
// then, takes minutes: a burst of 1,000 at 10 a second shuts the gate for longer
// than the rate takes to be almost whole. Less would be a pause that nobody
// ordered.
func TestABusyGateIsNotShutByWhatWasGivenBeforeItRecovers(t *testing.T) {
	for _, c := range []struct{ rate, burst, size int }{{500, 1000, 5}, {100, 1000, 1}, {5000, 1000, 10}, {20, 20, 1}} {
		s, now := open(c.rate, c.burst), t0
		take := func() (n int) {
			for {
				next, _, err := s.Reserve(c.size, now)
				if err != nil {
					return n
				}
				s, n = next, n+c.size
			}
		}
		take()
		for range 8 { // while all are busy
			s = throttled(t, s, now)
			now = now.Add(SlotLife)
			take()
		}
		for s.Slowed(now) {
			got, want := 0, 0
			for range 10 {
				want += s.RateAt(now)
				now = now.Add(time.Second)
				got += take()
			}
			if got < want-want/10-c.size {
				t.Fatalf("%d a second, slowed to %d: until %s later %d slots were given in 10s, and the rate in force gives %d",
					c.rate, s.SlowedTo, now.Sub(s.SlowedAt), got, want)
			}
		}
	}
}
