package gate

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var t0 = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

func open(rate, burst int) State {
	return State{Mode: Delete, Rate: rate, Burst: burst}
}

// busiest is the largest number of slots that start in any one second.
func busiest(grants []Grant) int {
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

// Without the arrival time moved on by every grant, or with the tolerance
// rounded up, more slots start in a second than rate and burst allow: the
// store throttles everybody, customers' requests included.
func TestNoSecondHasMoreThanRateAndBurst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := open(rapid.IntRange(1, 700).Draw(t, "rate"), rapid.IntRange(1, 50).Draw(t, "burst"))
		bound := s.Rate + s.Burst
		var grants []Grant
		now := t0
		for range rapid.IntRange(1, 150).Draw(t, "reservations") {
			now = now.Add(step(t))
			next, g, err := s.Reserve(rapid.IntRange(1, s.Burst).Draw(t, "slots"), now)
			if err == nil {
				grants, s = append(grants, g), next
			}
		}
		if got := busiest(grants); got > bound {
			t.Fatalf("%d slots start within one second: rate and burst are %d", got, bound)
		}
	})
}

// step is a reservation's distance from the one before: mostly little, at
// times long; a clock that is set back makes it negative.
func step(t *rapid.T) time.Duration {
	if rapid.IntRange(0, 9).Draw(t, "set back") == 0 {
		return -time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "back"))
	}
	limit := rapid.SampledFrom([]time.Duration{0, time.Millisecond, 50 * time.Millisecond, 3 * time.Second}).Draw(t, "scale")
	return time.Duration(rapid.Int64Range(0, int64(limit)).Draw(t, "forward"))
}

// Without the conversion of what was given ahead, a lower rate lets a second
// burst go at once; with all of it converted, a higher rate lets blocks start
// beside those that wait for their start already.
func TestAChangedRateNeverAllowsMoreThanTheLargerOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		setting := func() (int, int) {
			return rapid.IntRange(1, 300).Draw(t, "rate"), rapid.IntRange(1, 100).Draw(t, "burst")
		}
		rate, burst := setting()
		s, rates, bursts := open(rate, burst), rate, burst
		var grants []Grant
		now := t0
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "forward")))
			if rapid.IntRange(0, 4).Draw(t, "change") == 0 {
				rate, burst := setting()
				next, err := s.WithRate(rate, burst, now)
				if err != nil {
					t.Fatal(err)
				}
				s, rates, bursts = next, max(rates, rate), max(bursts, burst)
			}
			s, grants = drain(s, grants, rapid.IntRange(1, s.Burst).Draw(t, "slots"), now)
		}
		if got := busiest(grants); got > rates+bursts {
			t.Fatalf("%d slots start within one second: the larger rate and burst are %d", got, rates+bursts)
		}
	})
}

// drain reserves blocks until the gate is busy, as a crowd of workers does.
func drain(s State, grants []Grant, slots int, now time.Time) (State, []Grant) {
	for {
		next, g, err := s.Reserve(slots, now)
		if err != nil {
			return s, grants
		}
		s, grants = next, append(grants, g)
	}
}

// With spans rounded down, a rate that no nanosecond divides is exceeded.
func TestRoundingNeverMakesASlotMore(t *testing.T) {
	const rate, burst = 66_667, 1
	s, slots := open(rate, burst), 0
	for {
		next, g, err := s.Reserve(1, t0)
		if err != nil {
			t.Fatal(err)
		}
		if !g.Start.Before(t0.Add(time.Second)) {
			break
		}
		s, slots = next, slots+1
	}
	if slots > rate+burst {
		t.Fatalf("%d slots start within one second: rate and burst are %d", slots, rate+burst)
	}
}

// Without the bound on the start, a worker would hold slots that begin after a
// pause, or that are void before they begin.
func TestABlockStartsSoonAndIsVoidInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := open(rapid.IntRange(1, MaxRate).Draw(t, "rate"), rapid.IntRange(1, MaxBurst).Draw(t, "burst"))
		s.ArrivalAt = t0.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "ahead")))
		slots := rapid.IntRange(1, s.Burst).Draw(t, "slots")
		next, g, err := s.Reserve(slots, t0)
		var busy *BusyError
		if errors.As(err, &busy) {
			if next != s {
				t.Fatal("busy, and the state changed")
			}
			if !busy.Until.After(t0) {
				t.Fatalf("busy until %s, which is over", busy.Until)
			}
			if _, _, err := s.Reserve(slots, busy.Until); err != nil {
				t.Fatalf("asked again at the instant it said: %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if g.Start.Before(t0) || g.Start.After(t0.Add(SlotLife/2)) {
			t.Fatalf("starts %s after its reservation", g.Start.Sub(t0))
		}
		if !g.Void.Equal(t0.Add(SlotLife)) {
			t.Fatalf("void %s after its reservation", g.Void.Sub(t0))
		}
		if !next.ArrivalAt.After(s.ArrivalAt) {
			t.Fatal("the arrival time did not move on: the next one would get the same slots")
		}
	})
}

func TestAnIdleGateGivesItsBurstAtOnceAndThenItsRate(t *testing.T) {
	s, start := open(500, 1000), []time.Duration{}
	for range 14 {
		next, g, err := s.Reserve(250, t0)
		if err != nil {
			t.Fatal(err)
		}
		s, start = next, append(start, g.Start.Sub(t0))
	}
	for i, got := range start {
		want := max(0, time.Duration(i-3)*500*time.Millisecond)
		if got != want {
			t.Errorf("block %d starts after %s: expected %s", i+1, got, want)
		}
	}
	_, _, err := s.Reserve(250, t0)
	var busy *BusyError
	if !errors.As(err, &busy) || !busy.Until.Equal(t0.Add(500*time.Millisecond)) {
		t.Errorf("fifteenth block: %v, expected busy for half a second", err)
	}
}

// Without this, a new installation, or one that somebody stopped, deletes.
func TestAGateThatIsNotOpenGivesNothing(t *testing.T) {
	for name, s := range map[string]State{
		"no item yet":     {},
		"report-only":     {Mode: ReportOnly, Rate: 500, Burst: 1000},
		"unknown mode":    {Mode: "DELETE", Rate: 500, Burst: 1000},
		"paused":          {Mode: Delete, Paused: true, Rate: 500, Burst: 1000},
		"paused and idle": {Mode: ReportOnly, Paused: true},
	} {
		if next, g, err := s.Reserve(1, t0); !errors.Is(err, ErrClosed) || g != (Grant{}) || next != s {
			t.Errorf("%s: got %+v, %v", name, g, err)
		}
	}
}

func TestABlockOfAnImpossibleSizeIsAnError(t *testing.T) {
	for _, slots := range []int{-1, 0, 1001} {
		_, _, err := open(500, 1000).Reserve(slots, t0)
		var busy *BusyError
		if err == nil || errors.As(err, &busy) || errors.Is(err, ErrClosed) {
			t.Errorf("%d slots: %v", slots, err)
		}
	}
	if _, _, err := (State{Mode: Delete}).Reserve(1, t0); err == nil || errors.Is(err, ErrClosed) {
		t.Errorf("no rate set: %v", err)
	}
}

func TestALowerRateUsesUpWhatWasGivenFirst(t *testing.T) {
	s, _, err := open(500, 1000).Reserve(1000, t0)
	if err != nil {
		t.Fatal(err)
	}
	s, err = s.WithRate(50, 1000, t0)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.ArrivalAt.Sub(t0); got != 20*time.Second {
		t.Errorf("1,000 slots at 50 a second are used up after %s: expected 20s", got)
	}
}

func TestAHigherRateDoesNotWaitForTheLowerOne(t *testing.T) {
	s, _, err := open(1, 1000).Reserve(1000, t0)
	if err != nil {
		t.Fatal(err)
	}
	s, err = s.WithRate(500, 1000, t0)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.ArrivalAt.Sub(t0); got < SlotLife/2 || got > SlotLife {
		t.Errorf("used up after %s: expected not much more than %s", got, SlotLife/2)
	}
}

func TestSettingTheRateFreesAGateThatAWrongClockBlocked(t *testing.T) {
	s := open(500, 1000)
	s.ArrivalAt = t0.AddDate(200, 0, 0)
	s, err := s.WithRate(500, 1000, t0)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.ArrivalAt.Sub(t0); got > time.Hour {
		t.Errorf("still blocked for %s", got)
	}
}

func TestARateOutOfBoundsIsRefusedAndNamed(t *testing.T) {
	for _, c := range [][2]int{{0, 1}, {-1, 1}, {MaxRate + 1, 1}, {1, 0}, {1, MaxBurst + 1}} {
		before := open(500, 1000)
		if after, err := before.WithRate(c[0], c[1], t0); err == nil || after != before {
			t.Errorf("rate %d, burst %d: accepted", c[0], c[1])
		}
	}
	if _, err := (State{}).WithMode("on"); err == nil {
		t.Error(`mode "on" was accepted`)
	}
}
