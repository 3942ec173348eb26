package upload

import (
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// Foreseen is one look of a pass at a record, at an instant ahead.
type Foreseen struct {
	// At is the earliest start of a pass that would find the record due.
	At       time.Time
	Decision Decision
	// After is the record after what the pass itself would write; after a purge
	// or a skip it is as it was.
	After Record
}

// mostForeseen bounds how far ahead is looked. No record needs half of it: a
// hold, an activity and a mark are deferred once each.
const mostForeseen = 12

// Foresee tells what passes would decide about a record from now on, if nobody
// but them did anything: its writer, its owner and the workers all may. It ends
// with a purge, with what waits for a person, or where the record is due never.
//
// It is [Decide] and [Step] asked about instants ahead, so that it cannot say
// what the passes will not do. The error is ErrFuture, as Decide's.
func Foresee(p policy.Policy, r Record, now time.Time) ([]Foreseen, error) {
	return protocol.foresee(p, r, now)
}

func (t table) foresee(p policy.Policy, r Record, now time.Time) (all []Foreseen, err error) {
	if _, err := t.decide(p, r, now.Add(-p.SafetyMargin), now); err != nil {
		return nil, err
	}
	for due := r.DueAt; len(all) < mostForeseen && !due.IsZero(); {
		now = whole(later(now, due.Add(p.SafetyMargin)))
		seen, on, err := t.look(p, r, now)
		if err != nil {
			return all, err
		}
		all = append(all, seen)
		if !on {
			break
		}
		due = seen.After.DueAt
		if seen.Decision.Action == Keep {
			// A pass that happens to look just here puts the next look off. One
			// that looks a little later would not have, and takes it.
			s := step{policy: p, now: now, before: &r}
			due = s.nextLook()
			if r.State == StateAssembling { // flagged by the clock, not by the cutoff
				due = due.Add(-p.SafetyMargin)
			}
		}
		r = seen.After
	}
	return all, nil
}

// whole is the first whole millisecond, the precision in which a pass counts,
// that is not before the instant.
func whole(t time.Time) time.Time {
	if down := t.Truncate(time.Millisecond); !down.Equal(t) {
		return down.Add(time.Millisecond)
	}
	return t
}

// look is one decision and what follows from it at once; on reports whether
// there is more to foresee.
func (t table) look(p policy.Policy, r Record, now time.Time) (seen Foreseen, on bool, err error) {
	cutoff := now.Add(-p.SafetyMargin)
	seen = Foreseen{At: now, After: r}
	if seen.Decision, err = t.decide(p, r, cutoff, now); err != nil {
		return seen, false, err
	}
	e := seen.Decision.Event
	if seen.Decision.Operation == OpTrim { // the upload itself lives on
		e = Trim{Version: r.Version, Cutoff: cutoff, Gone: r.Manifest.superseded()}
	}
	if e == nil {
		return seen, false, nil
	}
	change, err := t.step(p, r, e, now)
	if err != nil {
		return seen, false, err
	}
	seen.After = change.After
	return seen, seen.Decision.Action != Stuck && !seen.After.DueAt.Equal(r.DueAt), nil
}

// Obstacle is a guard that keeps a record from an event.
type Obstacle struct {
	Event Kind
	Guard string
}

// Obstacles says what keeps a record from deletion at a cutoff: of each event
// that leads there and that its state has, every guard that does not hold.
func Obstacles(p policy.Policy, r Record, cutoff, now time.Time) []Obstacle {
	var all []Obstacle
	for _, e := range leading(r, cutoff) {
		found, ok := protocol.find(r.State, e.Kind())
		if !ok {
			continue
		}
		s := &step{table: protocol, policy: p, now: instant(now), event: e, before: &r}
		for _, g := range found.guards {
			if !g.holds(s) {
				all = append(all, Obstacle{e.Kind(), g.name})
			}
		}
	}
	return all
}

// AllObstacles lists every obstacle that there can be, in the order of the
// table.
func AllObstacles() []Obstacle {
	leads := map[Kind]bool{}
	for _, e := range leading(Record{}, time.Time{}) {
		leads[e.Kind()] = true
	}
	var all []Obstacle
	seen := map[Obstacle]bool{}
	for _, r := range protocol.rows {
		for _, g := range r.guards {
			o := Obstacle{r.on, g.name}
			if leads[r.on] && !seen[o] {
				seen[o] = true
				all = append(all, o)
			}
		}
	}
	return all
}

// leading lists the events that lead a record towards deletion, also those of
// one that is condemned already.
func leading(r Record, cutoff time.Time) []Event {
	return append(condemning(r, r.Version, cutoff), Reclaim{Token: "asked only"}, Reopen{})
}
