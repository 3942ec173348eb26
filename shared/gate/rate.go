package gate

import (
	"fmt"
	"time"
)

// maxDebt is the most slots that can have been given ahead of time: a burst,
// and what starts within half a [SlotLife]. An arrival time further away comes
// from a clock that was wrong.
const maxDebt = MaxBurst + MaxRate*int(SlotLife/2/time.Second)

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
	pace := s.paceAt(now)
	arrival := s.ArrivalAt
	if arrival.Before(now) {
		arrival = now
	}
	arrival = pace.after(arrival, int64(slots))
	start := pace.after(arrival, -int64(s.Burst))
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
	next := s
	next.Rate, next.Burst = rate, burst
	next.SlowedTo, next.SlowedAt = 0, time.Time{}
	next.Revision++
	next.ArrivalAt = s.arrivalIn(next, now)
	return next, nil
}

// arrivalIn is the arrival time when another rate is in force from now on: that
// of next. When it is raised, the blocks that are still to start keep their
// second: others must not start beside them at the new rate already.
func (s State) arrivalIn(next State, now time.Time) time.Time {
	if s.RateAt(now) <= 0 || !s.ArrivalAt.After(now) {
		return s.ArrivalAt
	}
	from := now
	if next.RateAt(now) > s.RateAt(now) {
		from = now.Add(min(s.ArrivalAt.Sub(now), SlotLife/2))
	}
	pace := s.paceAt(now)
	ahead := min(pace.given(s.ArrivalAt)-pace.given(from), float64(maxDebt)*float64(time.Second))
	to := next.paceAt(now)
	return to.when(to.given(from) + ahead)
}
