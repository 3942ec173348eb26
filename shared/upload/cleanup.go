package upload

import "time"

func applyDefer(s *step) {
	next := s.nextLook()
	if !next.IsZero() {
		next = later(next, s.now)
	}
	s.record.DueAt = next
}

// nextLook is the earliest instant at which the record could be eligible, or,
// while it is assembling, at which it is to be flagged; zero for never.
// Instants that a guard compares strictly come a millisecond later.
func (s *step) nextLook() time.Time {
	const tick = time.Millisecond
	r, p := s.before, s.policy
	quiet := r.LastActivityAt.Add(p.ActivityGrace)
	switch r.State {
	case StateReceiving:
		if r.HoldExpiresAt.IsZero() {
			return later(r.DeadlineAt, quiet).Add(tick)
		}
		return later(r.HoldExpiresAt, quiet).Add(tick)
	case StateAssembling:
		stuck := r.LastActivityAt.Add(p.StuckAfter)
		if stuck.After(s.now) {
			return stuck
		}
		return s.now.Add(p.PassEvery - p.SafetyMargin)
	case StateExpired:
		over := later(r.HoldExpiresAt, r.DeadlineAt.Add(p.ReleaseGrace)).Add(tick)
		return later(r.ExpiredAt.Add(p.SecondGrace), over)
	case StateComplete:
		if r.HoldExpiresAt.IsZero() || r.Refs > 0 {
			return r.SupersededDueAt
		}
		return earlier(r.SupersededDueAt, later(r.HoldExpiresAt, quiet).Add(tick))
	}
	return r.DueAt
}

func applyExpire(s *step) {
	r := s.record
	r.MarkedFrom, r.State = r.State, StateExpired
	r.ExpiredAt = s.now
	r.DueAt = s.now.Add(s.policy.SecondGrace)
}

// applyClaim begins a purge: from the first object, whatever a trim had found.
func applyClaim(s *step) {
	e := s.event.(Claim)
	s.record.PurgedThrough, s.record.Retained = 0, Retained{}
	s.claim(e.Worker, e.Token)
}

// applyReclaim goes on with a purge where its last progress was written.
func applyReclaim(s *step) {
	e := s.event.(Reclaim)
	s.claim(e.Worker, e.Token)
}

// claim makes the worker the holder of what is condemned.
func (s *step) claim(worker, token string) {
	r := s.record
	r.State = StateDeleting
	r.Fence++
	r.Holder, r.Token = worker, token
	r.LeaseUntil = s.now.Add(s.policy.ClaimLease)
	r.DueAt = r.LeaseUntil
	r.MarkedFrom, r.ExpiredAt = StateNone, time.Time{}
	s.giveBack()
}

// unclaim gives the claim back; the fence stays.
func (s *step) unclaim(due time.Time) {
	r := s.record
	r.Holder, r.Token, r.LeaseUntil = "", "", time.Time{}
	r.DueAt = due
}

func applyTrim(s *step) {
	e := s.event.(Trim)
	r := s.record
	r.SupersededDueAt = time.Time{}
	r.Retained = e.Retained
	if e.Retained.Count > 0 && !e.Retained.Until.IsZero() {
		r.SupersededDueAt = later(e.Retained.Until, s.now)
	} else {
		r.Trimmed = true
	}
	r.DueAt = r.SupersededDueAt
	if r.Refs == 0 && !r.HoldExpiresAt.IsZero() {
		r.DueAt = earlier(r.DueAt, later(r.HoldExpiresAt, s.now))
	}
	s.recount()
}

func applyResupersede(s *step) {
	s.record.Trimmed = false
	s.record.SupersededDueAt = s.now
	s.record.DueAt = s.now
	s.record.UncertainAt = s.now // what stands must be listed, not assumed
	s.recount()
}

func applyContinue(s *step) {
	e := s.event.(Continue)
	s.record.PurgedThrough = e.Through
	s.record.Retained = s.record.Retained.Add(e.Retained)
	s.unclaim(s.now)
}

func applyRetry(s *step) {
	e := s.event.(Retry)
	r := s.record
	r.Attempts++
	r.LastError = e.Error
	s.unclaim(s.now.Add(max(e.Backoff, 0)))
	if r.Attempts >= s.policy.MaxAttempts {
		r.ParkedAt = s.now
		r.DueAt = time.Time{}
	}
}

func applyUnpark(s *step) {
	s.record.ParkedAt = time.Time{}
	s.record.Attempts = 0
	s.record.DueAt = s.now
}

func applyFinish(s *step) {
	e := s.event.(Finish)
	r := s.record
	r.State = StateDeleted
	r.Retained = r.Retained.Add(e.Retained)
	r.PurgedThrough = r.Manifest.declared()
	r.Objects = r.Retained.Count
	s.unclaim(time.Time{})
	if r.Retained.Count > 0 && !r.Retained.Until.IsZero() {
		r.DueAt = later(r.Retained.Until, s.now)
		return
	}
	r.Bytes = 0
	r.TombstoneUntil = s.now.Add(s.policy.TombstoneTTL)
}

func applyReopen(s *step) {
	r := s.record
	r.State = StateDeleting
	r.PurgedThrough, r.Retained, r.Attempts = 0, Retained{}, 0
	r.TombstoneUntil = time.Time{}
	r.UncertainAt = s.now // what stands must be listed, not assumed
	s.unclaim(s.now)
	s.recount()
}

// applyWithdraw leaves a tombstone that names nothing: no purge finds anything
// in it, and what the record named is unowned again.
func applyWithdraw(s *step) {
	r := s.record
	r.State, r.Reason = StateDeleted, s.event.(Withdraw).Reason
	r.Manifest = Manifest{}
	r.Retained, r.PurgedThrough = Retained{}, 0
	r.DueAt = time.Time{}
	r.TombstoneUntil = s.now.Add(s.policy.TombstoneTTL)
	s.recount()
}
