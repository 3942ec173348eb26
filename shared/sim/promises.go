package sim

import (
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// owed is what the owner of an upload was promised, from the events that were
// accepted. Durations count from the true instant of the event, whatever clock
// its writer had: what was promised is a length of time. Instants are zero where
// there is none.
type owed struct {
	lease, hold, deadline, activity time.Time
	marked, givenUp, completed      time.Time
	claimLease                      time.Time
	permanent                       bool
}

// remember notes what an accepted event promised, or ended.
func (o *owed) remember(c upload.Change, now time.Time) {
	b, a := c.Before, c.After
	alive := func() { o.activity, o.marked = now, time.Time{} }
	span := func(until time.Time) time.Time { return trueInstant(until, a.LastActivityAt, now) }
	switch c.Event {
	case upload.KindReserve:
		alive()
		o.lease, o.hold, o.deadline = span(a.LeaseUntil), a.HoldExpiresAt, span(a.DeadlineAt)
	case upload.KindAcquire:
		alive()
		o.lease, o.deadline = span(a.LeaseUntil), latest(o.deadline, span(a.DeadlineAt))
	case upload.KindRenew:
		alive()
		o.lease = span(a.LeaseUntil)
	case upload.KindDeclare, upload.KindHeartbeat, upload.KindRecordObject, upload.KindBeginAssembly:
		alive()
	case upload.KindComplete:
		alive()
		o.lease, o.completed = time.Time{}, now
		o.hold, o.permanent = a.HoldExpiresAt, a.HoldExpiresAt.IsZero()
	case upload.KindExtendHold:
		o.hold, o.marked = a.HoldExpiresAt, time.Time{}
	case upload.KindCancel, upload.KindRelease, upload.KindRepair, upload.KindAdopt:
		o.givenUp, o.marked = now, time.Time{}
	case upload.KindDropReference:
		if a.Refs == 0 {
			o.givenUp, o.marked = now, time.Time{}
		}
	case upload.KindAddReference:
		if b.State == upload.StateCancelled {
			o.givenUp, o.hold, o.permanent = time.Time{}, time.Time{}, true
		}
	case upload.KindExpire:
		o.marked = now
	case upload.KindClaim, upload.KindReclaim:
		o.claimLease = a.LeaseUntil // as its worker's clock has it
	case upload.KindContinue, upload.KindRetry, upload.KindFinish:
		o.claimLease = time.Time{}
	}
}

// trueInstant is an instant of a writer's without what its clock is off by: the
// clock showed then when it was now. Zero stays zero.
func trueInstant(at, then, now time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return now.Add(at.Sub(then))
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// promised is invariant 12, and the part of 4 that is about references.
func (w *witness) promised(c upload.Change) {
	o, now, p, who := w.owed[c.After.ID], w.world.now(), w.world.policy, c.After.Upload
	early := func(what string, until time.Time) {
		w.breaks("12", "%s of %s %v before its %s was over", c.Event, who, until.Sub(now), what)
	}
	switch c.Event {
	case upload.KindExpire, upload.KindRepair:
		switch {
		case o.permanent:
			w.breaks("12", "%s of %s, which is permanent", c.Event, who)
		case c.Before.Refs > 0:
			w.breaks("4", "%s of %s under a live reference", c.Event, who)
		case o.hold.After(now):
			early("hold", o.hold)
		case o.hold.IsZero() && o.deadline.After(now):
			early("deadline", o.deadline)
		case o.activity.Add(p.ActivityGrace).After(now):
			early("activity grace", o.activity.Add(p.ActivityGrace))
		case o.lease.After(now):
			early("lease", o.lease)
		}
	case upload.KindClaim:
		w.condemned(c, early)
	case upload.KindReclaim:
		if o.claimLease.After(now.Add(maxDrift)) {
			early("claim's lease", o.claimLease)
		}
	case upload.KindTrim:
		w.mayTrim(c.Before)
	}
}

func (w *witness) condemned(c upload.Change, early func(string, time.Time)) {
	o, now, p := w.owed[c.After.ID], w.world.now(), w.world.policy
	grace := p.ReleaseGrace
	switch {
	case c.Before.Refs > 0:
		w.breaks("4", "claim of %s under a live reference", c.After.Upload)
	case o.lease.After(now):
		early("lease", o.lease)
	case o.deadline.Add(grace).After(now):
		early("deadline and release grace", o.deadline.Add(grace))
	case o.givenUp.Add(grace).After(now):
		early("release grace", o.givenUp.Add(grace))
	case !o.givenUp.IsZero():
	case o.marked.IsZero():
		w.breaks("12", "claim of %s, which is not marked since its last activity", c.After.Upload)
	case o.marked.Add(p.SecondGrace).After(now):
		early("second grace", o.marked.Add(p.SecondGrace))
	case o.hold.After(now):
		early("hold", o.hold)
	case o.activity.Add(p.ActivityGrace).After(now):
		early("activity grace", o.activity.Add(p.ActivityGrace))
	}
}

func (w *witness) mayTrim(r upload.Record) {
	o, now := w.owed[r.ID], w.world.now()
	if o.completed.IsZero() || latest(o.completed, o.deadline).Add(w.world.policy.ReleaseGrace).After(now) {
		w.breaks("12", "superseded objects of %s condemned before the deadline and its grace were over", r.Upload)
	}
}
