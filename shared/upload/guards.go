package upload

import "time"

// fenceOf returns the fence that an event shows.
func fenceOf(e Event) (int64, bool) {
	switch e := e.(type) {
	case Renew:
		return e.Fence, true
	case Heartbeat:
		return e.Fence, true
	case Declare:
		return e.Fence, true
	case RecordObject:
		return e.Fence, true
	case BeginAssembly:
		return e.Fence, true
	case Complete:
		return e.Fence, true
	case Cancel:
		return e.Fence, true
	case Continue:
		return e.Fence, true
	case Unclear:
		return e.Fence, true
	case Retry:
		return e.Fence, true
	case Finish:
		return e.Fence, true
	}
	return 0, false
}

// versionOf returns the record version and the cutoff that a command names.
func versionOf(e Event) (version int64, cutoff time.Time) {
	switch e := e.(type) {
	case Defer:
		return e.Version, e.Cutoff
	case Repair:
		return e.Version, e.Cutoff
	case Expire:
		return e.Version, e.Cutoff
	case Claim:
		return e.Version, e.Cutoff
	case Trim:
		return e.Version, e.Cutoff
	}
	return 0, time.Time{}
}

// Guards that several rows share.
var (
	fenceEqual = guard{"the fence is the record's", ErrFenceLost, func(s *step) bool {
		shown, _ := fenceOf(s.event)
		return shown == s.before.Fence
	}}
	versionEqual = guard{"the version is the one the command saw", ErrChanged, func(s *step) bool {
		named, _ := versionOf(s.event)
		return named == s.before.Version
	}}
	// A cutoff that lies in the margin, or in the future, is nobody's.
	cutoffPast = guard{"the cutoff is a safety margin ago", ErrRefused, func(s *step) bool {
		return !s.cutoff().After(s.now.Add(-s.policy.SafetyMargin))
	}}
	policySafe = guard{"the policy is at or above its floors", ErrRefused, func(s *step) bool {
		return s.policy.Safe()
	}}
	leaseOver = guard{"the lease is over", ErrRefused, func(s *step) bool {
		return !s.before.LeaseUntil.After(s.now)
	}}
	noReferences = guard{"there is no live reference", ErrRefused, func(s *step) bool {
		return s.before.Refs == 0
	}}
	markedReceiving = guard{"it was receiving or is not marked", ErrRefused, func(s *step) bool {
		return s.before.State != StateExpired || s.before.MarkedFrom == StateReceiving
	}}
	hasHold = guard{"there is a hold", ErrRefused, func(s *step) bool {
		return !s.before.HoldExpiresAt.IsZero()
	}}
	noHold = guard{"there is no hold", ErrRefused, func(s *step) bool {
		return s.before.HoldExpiresAt.IsZero()
	}}
	holdOver = guard{"the hold was over at the cutoff", ErrRefused, func(s *step) bool {
		return s.before.HoldExpiresAt.Before(s.cutoff())
	}}
	activityOver = guard{"the activity grace was over at the cutoff", ErrRefused, func(s *step) bool {
		return s.before.LastActivityAt.Add(s.policy.ActivityGrace).Before(s.cutoff())
	}}
	deadlineOver = guard{"the deadline was over at the cutoff", ErrRefused, func(s *step) bool {
		return s.before.DeadlineAt.Before(s.cutoff())
	}}
	deadlineGraceOver = guard{"the deadline and the release grace were over at the cutoff", ErrRefused, func(s *step) bool {
		return s.before.DeadlineAt.Add(s.policy.ReleaseGrace).Before(s.cutoff())
	}}
	secondGraceOver = guard{"the second grace was over at the cutoff", ErrRefused, func(s *step) bool {
		return !s.before.ExpiredAt.Add(s.policy.SecondGrace).After(s.cutoff())
	}}
	dueByCutoff = guard{"it was due at the cutoff", ErrRefused, func(s *step) bool {
		return !s.before.DueAt.IsZero() && !s.before.DueAt.After(s.cutoff())
	}}
	supersededDue = guard{"superseded objects were due at the cutoff", ErrRefused, func(s *step) bool {
		due := s.before.SupersededDueAt
		return !due.IsZero() && !due.After(s.cutoff())
	}}
	notParked = guard{"it is not parked", ErrRefused, func(s *step) bool {
		return s.before.ParkedAt.IsZero()
	}}
	hasDue = guard{"it has a due", ErrRefused, func(s *step) bool {
		return !s.before.DueAt.IsZero()
	}}
	leaseBounded = guard{"the lease is positive and at most MaxLease", ErrRefused, func(s *step) bool {
		asked := leaseAsked(s.event)
		return asked > 0 && asked <= s.policy.MaxLease
	}}
	deadlinePositive = guard{"the deadline is positive", ErrRefused, func(s *step) bool {
		return deadlineAsked(s) > 0
	}}
	completedBefore = guard{"it was complete before", ErrRefused, func(s *step) bool {
		return !s.before.CompletedAt.IsZero()
	}}
	notEligible = guard{"it is not eligible yet", ErrRefused, func(s *step) bool {
		return !s.eligible()
	}}
	laterDue = guard{"it can only be eligible later than its due", ErrRefused, func(s *step) bool {
		next := s.nextLook()
		return next.IsZero() || next.After(s.before.DueAt)
	}}
)

func leaseAsked(e Event) time.Duration {
	switch e := e.(type) {
	case Reserve:
		return e.Lease
	case Acquire:
		return e.Lease
	case Renew:
		return e.Lease
	}
	return 0
}

func deadlineAsked(s *step) time.Duration {
	asked := time.Duration(0)
	switch e := s.event.(type) {
	case Reserve:
		asked = e.Deadline
	case Acquire:
		asked = e.Deadline
	}
	if asked == 0 {
		return s.policy.UploadDeadline
	}
	return asked
}

func (s *step) cutoff() time.Time {
	_, c := versionOf(s.event)
	return c
}

// eligible reports whether any condemning event of the scheduler or the worker
// would be accepted at the event's version and cutoff. It asks the table
// itself, so that it cannot disagree with it.
func (s *step) eligible() bool {
	version, cutoff := versionOf(s.event)
	asking := &step{table: s.table, policy: s.policy, now: s.now, before: s.before}
	for _, e := range condemning(*s.before, version, cutoff) {
		if asking.accepts(e) {
			return true
		}
	}
	return false
}

// condemning lists the events that lead a record towards deletion.
func condemning(r Record, version int64, cutoff time.Time) []Event {
	return []Event{
		Expire{Version: version, Cutoff: cutoff},
		Repair{Version: version, Cutoff: cutoff},
		Claim{Version: version, Cutoff: cutoff, Token: "asked only"},
		Trim{Version: version, Cutoff: cutoff, Gone: r.Manifest.superseded()},
	}
}
