package gate

import "time"

// RecoverIn is how long the rate takes to rise from nothing to what was set,
// while nothing throttles: a rate that was halved is whole after half of it.
const RecoverIn = 5 * time.Minute

// leastShare bounds how far throttles lower the rate: to a hundredth of what
// was set, and 1 a second. Less would be a pause that nobody ordered.
const leastShare = 100

// RateAt is the rate in force at now, in object versions per second: what was
// set, or while it is slowed, what it was lowered to and a share of what was
// set for each second since. Never more than what was set.
func (s State) RateAt(now time.Time) int {
	if !s.slowing(now) {
		return s.Rate
	}
	quiet := min(max(now.Sub(s.SlowedAt), 0), RecoverIn)
	raised := int64(s.Rate) * int64(quiet) / int64(RecoverIn)
	return min(s.Rate, s.SlowedTo+int(raised))
}

// Slowed reports whether less than what was set is in force at now.
func (s State) Slowed(now time.Time) bool { return s.RateAt(now) < s.Rate }

// RecoversAt is when what was set is in force again, if nothing throttles until
// then; zero where it never was slowed.
func (s State) RecoversAt() time.Time {
	if s.SlowedTo <= 0 || s.Rate <= 0 {
		return time.Time{}
	}
	missing, rate := int64(max(s.Rate-s.SlowedTo, 0)), int64(s.Rate)
	return s.SlowedAt.Add(time.Duration((missing*int64(RecoverIn) + rate - 1) / rate))
}

// Throttled is the state after a store or the ledger asked at now to slow down:
// half the rate in force, for everybody. False, and the state as it is, where
// it was lowered less than [SlotLife] ago: until then deletes may still begin
// under slots of the rate before, and whoever meets a throttle then meets the
// same one. The slots given ahead stay given, as in [State.WithRate]. It opens
// nothing and is no operator's call: the revision stays.
func (s State) Throttled(now time.Time) (State, bool) {
	rate := s.RateAt(now)
	if rate <= 0 || s.slowing(now) && now.Before(s.SlowedAt.Add(SlotLife)) {
		return s, false
	}
	lowered := max(rate/2, s.Rate/leastShare, 1)
	next := s
	next.SlowedTo, next.SlowedAt = lowered, time.Unix(0, now.UnixNano()).UTC()
	next.ArrivalAt = s.arrivalIn(next, now)
	return next, true
}

// slowing reports whether a throttle is remembered that counts at now. One of
// an instant further ahead than a recovery takes comes from a clock that was
// wrong, and would hold the rate down for as long as it was.
func (s State) slowing(now time.Time) bool {
	return s.SlowedTo > 0 && s.SlowedAt.Before(now.Add(RecoverIn))
}
