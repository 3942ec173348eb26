package gate

import (
	"math"
	"time"
)

// pace is how slots are given as time goes by: at a rate that is low until an
// instant, and rises evenly from there to what was set. An arrival time is
// reckoned by it, so that what was given ahead at a low rate is used up as the
// rate rises: at the rate of the reservation a burst would shut the gate for
// minutes after a slowdown.
//
// Slots are counted in billionths, since an instant is in nanoseconds. At a rate
// that stands still that is exact, for all that can be owed.
type pace struct {
	at        time.Time
	low, full float64 // slots a second
	rises     float64 // for so many nanoseconds
}

// paceAt is the pace of a gate with a rate, as it is seen at now.
func (s State) paceAt(now time.Time) pace {
	full := float64(s.Rate)
	if !s.Slowed(now) {
		return pace{at: now, low: full, full: full}
	}
	return pace{at: s.SlowedAt, low: float64(s.SlowedTo), full: full, rises: float64(s.RecoversAt().Sub(s.SlowedAt))}
}

// rise is what the rate gains in a nanosecond.
func (p pace) rise() float64 { return p.full / float64(RecoverIn) }

// given is how many billionths of a slot are given from the pace's instant to t;
// negative for one before it.
func (p pace) given(t time.Time) float64 {
	d := float64(t.Sub(p.at))
	rising := min(max(d, 0), p.rises)
	return p.low*d + p.rise()*rising*(d-rising/2)
}

// when is the instant by which so many are given. It is rounded up: a nanosecond
// never makes a slot more.
func (p pace) when(given float64) time.Time {
	d := given / p.low
	if top := p.given(p.at.Add(time.Duration(p.rises))); given > top {
		d = p.rises + (given-top)/p.full
	} else if given > 0 {
		d = 2 * given / (p.low + math.Sqrt(p.low*p.low+2*p.rise()*given))
	}
	return p.at.Add(time.Duration(math.Ceil(min(d, math.MaxInt64/2))))
}

// after is when so many slots more than by t are given; fewer, if slots is
// negative.
func (p pace) after(t time.Time, slots int64) time.Time {
	return p.when(p.given(t) + float64(slots)*float64(time.Second))
}
