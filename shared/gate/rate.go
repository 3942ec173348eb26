package gate

import (
	"fmt"
	"time"
)

// maxDebt is the most slots that can have been given ahead of time: a burst,
// and what starts within half a [SlotLife]. An arrival time further away comes
// from a clock that was wrong.
const maxDebt = MaxBurst + MaxRate*int64(SlotLife/2/time.Second)

// Reserve computes the state after slots more were given at now, and the
// grant. ErrClosed if the gate is not open, a *BusyError if they would start
// later than SlotLife allows; an error if slots is not between 1 and Burst.
func (s State) Reserve(slots int, now time.Time) (State, Grant, error) {
	if !s.Open() {
		return s, Grant{}, ErrClosed
	}
	rate := s.RateAt(now)
	if rate <= 0 || s.Burst <= 0 {
		return s, Grant{}, fmt.Errorf("gate rate %d and burst %d must be positive", s.Rate, s.Burst)
	}
	if slots < 1 || slots > s.Burst {
		return s, Grant{}, fmt.Errorf("gate block of %d slots: it must be between 1 and the burst of %d", slots, s.Burst)
	}
	arrival := s.ArrivalAt
	if arrival.Before(now) {
		arrival = now
	}
	arrival = arrival.Add(span(int64(slots), rate))
	start := arrival.Add(-s.tolerance(rate))
	if start.Before(now) {
		start = now
	}
	if start.After(now.Add(SlotLife / 2)) {
		return s, Grant{}, &BusyError{Until: start.Add(-SlotLife / 2)}
	}
	s.ArrivalAt = arrival
	return s, Grant{Slots: slots, Start: start, Void: now.Add(SlotLife)}, nil
}

// WithMode is the state after an operator chose a mode.
func (s State) WithMode(mode Mode) (State, error) {
	if mode != ReportOnly && mode != Delete {
		return s, fmt.Errorf("gate mode is %q: expected %q or %q", mode, ReportOnly, Delete)
	}
	s.Mode = mode
	s.Revision++
	return s, nil
}

// WithPause is the state after an operator paused or resumed.
func (s State) WithPause(paused bool) State {
	s.Paused = paused
	s.Revision++
	return s
}

// WithRate is the state after an operator set the rate at now. The slots given
// ahead of time stay given: at the new rate, they are used up by then. What
// was given ahead by a clock that was wrong is cut to what can be right. It
// ends a slowdown: whoever sets a rate wants that one.
func (s State) WithRate(rate, burst int, now time.Time) (State, error) {
	if rate < 1 || rate > MaxRate {
		return s, fmt.Errorf("gate rate is %d: expected 1 to %d", rate, MaxRate)
	}
	if burst < 1 || burst > MaxBurst {
		return s, fmt.Errorf("gate burst is %d: expected 1 to %d", burst, MaxBurst)
	}
	s.ArrivalAt = s.arrivalAt(rate, now)
	s.Rate, s.Burst = rate, burst
	s.SlowedTo, s.SlowedAt = 0, time.Time{}
	s.Revision++
	return s, nil
}

// arrivalAt is the arrival time when the rate in force becomes another at now.
func (s State) arrivalAt(rate int, now time.Time) time.Time {
	was := s.RateAt(now)
	if was <= 0 || !s.ArrivalAt.After(now) {
		return s.ArrivalAt
	}
	return now.Add(converted(s.ArrivalAt.Sub(now), was, rate))
}

// converted is how long a rate takes for the slots that another gave ahead.
// When it is raised, the blocks that are still to start keep their second:
// others must not start beside them at the new rate already.
func converted(ahead time.Duration, was, rate int) time.Duration {
	kept := time.Duration(0)
	if rate > was {
		kept = min(ahead, SlotLife/2)
	}
	rest := min(ahead-kept, span(maxDebt, was))
	return kept + time.Duration(ceilDiv(int64(rest)*int64(was), int64(rate)))
}

// tolerance is how far the arrival time may run ahead of a start at a rate.
// Rounded down, as span is rounded up: a nanosecond never makes a slot more.
func (s State) tolerance(rate int) time.Duration {
	return time.Duration(int64(s.Burst) * int64(time.Second) / int64(rate))
}

// span is how long the rate takes to give n slots.
func span(n int64, rate int) time.Duration {
	return time.Duration(ceilDiv(n*int64(time.Second), int64(rate)))
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
