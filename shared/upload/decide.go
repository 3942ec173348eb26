package upload

import (
	"errors"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// Action is what a pass would do with a candidate.
type Action uint8

const (
	// Keep: nothing to do now. With a Defer event, its due is moved.
	Keep Action = iota
	// Mark: pass one, the Expire event.
	Mark
	// Fix: an overdue transfer is cancelled, the Repair event.
	Fix
	// Purge: a command to the worker.
	Purge
	// Stuck: assembling for too long; flagged, kept.
	Stuck
	// Skip: cannot be judged now; the reason says why.
	Skip
)

func (a Action) String() string {
	return [...]string{"keep", "mark", "repair", "purge", "stuck", "skip"}[a]
}

// Operation is what a command asks a worker to do.
type Operation string

// The operations of a command. The worker decides again from the record.
const (
	OpClaim   Operation = "claim"
	OpReclaim Operation = "reclaim"
	OpTrim    Operation = "trim"
	OpReopen  Operation = "reopen"
)

// Decision is what a pass decides about one record. Event is what to apply
// (nil for none), Operation what to command.
type Decision struct {
	Action    Action
	Reason    string
	Event     Event
	Operation Operation
}

// ErrFuture: the record shows activity later than the clock allows. A pass
// that meets it stops.
var ErrFuture = errors.New("activity lies in the future")

// Decide is the scheduler's decision about a due candidate: pure, and made by
// asking [Step] which event it would accept, so that it cannot go beyond the
// table. The error is ErrFuture.
func Decide(p policy.Policy, r Record, cutoff, now time.Time) (Decision, error) {
	return protocol.decide(p, r, cutoff, now)
}

func (t table) decide(p policy.Policy, r Record, cutoff, now time.Time) (Decision, error) {
	if r.LastActivityAt.After(now.Add(p.MaxClockSkew)) {
		return Decision{}, ErrFuture
	}
	if r.Schema > Schema {
		return Decision{Action: Skip, Reason: "schema unknown"}, nil
	}
	asking := &step{table: t, policy: p, now: instant(now), before: &r}
	accepts := asking.accepts
	switch {
	case r.State == StateDeleting && !r.ParkedAt.IsZero():
		return Decision{Action: Skip, Reason: "parked"}, nil
	case r.State == StateDeleting && r.LeaseUntil.After(now):
		return Decision{Action: Skip, Reason: "claim alive"}, nil
	case accepts(Reclaim{Token: "asked only"}):
		return Decision{Action: Purge, Reason: "claim over", Operation: OpReclaim}, nil
	case r.State == StateDeleted && accepts(Reopen{}):
		return Decision{Action: Purge, Reason: "retention over", Operation: OpReopen}, nil
	case accepts(Claim{Version: r.Version, Cutoff: cutoff, Token: "asked only"}):
		return Decision{Action: Purge, Reason: r.State.String(), Operation: OpClaim}, nil
	case accepts(Trim{Version: r.Version, Cutoff: cutoff, Gone: r.Manifest.superseded()}):
		return Decision{Action: Purge, Reason: "superseded", Operation: OpTrim}, nil
	case accepts(Expire{Version: r.Version, Cutoff: cutoff}):
		return Decision{Action: Mark, Reason: "hold over", Event: Expire{Version: r.Version, Cutoff: cutoff}}, nil
	case accepts(Repair{Version: r.Version, Cutoff: cutoff}):
		return Decision{Action: Fix, Reason: "timed out", Event: Repair{Version: r.Version, Cutoff: cutoff}}, nil
	}
	return t.keep(p, r, cutoff, now), nil
}

// keep flags what is stuck and defers what can be deferred.
func (t table) keep(p policy.Policy, r Record, cutoff, now time.Time) Decision {
	d := Decision{Action: Keep, Reason: "not eligible"}
	if r.State == StateAssembling && !r.LastActivityAt.Add(p.StuckAfter).After(now) {
		d = Decision{Action: Stuck, Reason: "assembling too long"}
	}
	later := Defer{Version: r.Version, Cutoff: cutoff}
	if (&step{table: t, policy: p, now: instant(now), before: &r}).accepts(later) {
		d.Event = later
	}
	return d
}

// Command is what the pass tells a worker. It carries no key: the ledger is
// the only source of what to delete.
type Command struct {
	Run       string
	Operation Operation
	ID        ID
	Version   int64
	Cutoff    time.Time
	Reason    string
}

// Verdict is what a worker does with a command.
type Verdict uint8

const (
	// DoClaim: go on, under a slot of the gate. So do the next three.
	DoClaim Verdict = iota
	// DoReclaim: take over a claim whose lease is over.
	DoReclaim
	// DoTrim: delete what is superseded.
	DoTrim
	// DoReopen: take the tombstone back, and claim.
	DoReopen
	// Drop: the command has nothing to do any more; acknowledge it.
	Drop
	// Wait: come back at Until.
	Wait
	// Reject: cannot be; to the dead-letter queue with the reason.
	Reject
)

// Recheck is a worker's decision about a command, from a consistent read. A
// zero record means that there is none.
type Recheck struct {
	Verdict Verdict
	Reason  string
	Until   time.Time
}

// Check decides about a command once more, from the record as it is now. The
// command's cutoff is never believed beyond the worker's own safety margin.
func Check(p policy.Policy, r Record, c Command, now time.Time) Recheck {
	return protocol.check(p, r, c, now)
}

func (t table) check(p policy.Policy, r Record, c Command, now time.Time) Recheck {
	if out, done := checkRecord(p, r, c, now); done {
		return out
	}
	switch r.State {
	case StateDeleting:
		return t.checkDeleting(p, r, now)
	case StateDeleted:
		if _, err := t.step(p, r, Reopen{}, now); err == nil {
			return Recheck{Verdict: DoReopen, Reason: "retention over"}
		}
		return Recheck{Verdict: Drop, Reason: "already deleted"}
	case StateComplete:
		return t.checkEvent(p, r, Trim{Version: c.Version, Cutoff: c.Cutoff, Gone: r.Manifest.superseded()}, DoTrim, now)
	case StateExpired, StateCancelled:
		return t.checkEvent(p, r, Claim{Version: c.Version, Cutoff: c.Cutoff, Token: "asked only"}, DoClaim, now)
	}
	return Recheck{Verdict: Drop, Reason: "revived"}
}

// checkRecord rules out what no honest pass can have sent.
func checkRecord(p policy.Policy, r Record, c Command, now time.Time) (Recheck, bool) {
	switch {
	case r.State == StateNone:
		return Recheck{Verdict: Reject, Reason: "no such upload of this tenant"}, true
	case r.ID != c.ID:
		return Recheck{Verdict: Reject, Reason: "tenant or upload differs from the record"}, true
	case r.Schema > Schema:
		return Recheck{Verdict: Reject, Reason: "record schema unknown"}, true
	case c.Version > r.Version:
		return Recheck{Verdict: Wait, Reason: "record older than the command", Until: now.Add(p.SafetyMargin)}, true
	case c.Cutoff.After(now.Add(p.MaxClockSkew)):
		return Recheck{Verdict: Reject, Reason: "cutoff lies in the future"}, true
	case c.Cutoff.After(now.Add(-p.SafetyMargin)):
		return Recheck{Verdict: Wait, Reason: "cutoff within the safety margin", Until: c.Cutoff.Add(p.SafetyMargin)}, true
	}
	return Recheck{}, false
}

func (t table) checkDeleting(p policy.Policy, r Record, now time.Time) Recheck {
	switch {
	case !r.ParkedAt.IsZero():
		return Recheck{Verdict: Drop, Reason: "parked"}
	case r.LeaseUntil.After(now):
		return Recheck{Verdict: Wait, Reason: "held by another worker", Until: r.LeaseUntil}
	}
	if _, err := t.step(p, r, Reclaim{Token: "asked only"}, now); err != nil {
		return Recheck{Verdict: Drop, Reason: err.Error()}
	}
	return Recheck{Verdict: DoReclaim, Reason: "claim over"}
}

func (t table) checkEvent(p policy.Policy, r Record, e Event, do Verdict, now time.Time) Recheck {
	_, err := t.step(p, r, e, now)
	switch {
	case err == nil:
		return Recheck{Verdict: do, Reason: r.State.String()}
	case errors.Is(err, ErrChanged):
		return Recheck{Verdict: Drop, Reason: "newer version"}
	}
	return Recheck{Verdict: Drop, Reason: "not eligible"}
}
