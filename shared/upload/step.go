package upload

import (
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// Step applies one event to a record at an instant. It is the whole protocol:
// pure, total and deterministic. The input stays as it is.
//
// An event that is not in the table for the record's state, or whose guard
// does not hold, returns a *[Refusal] and no change. An event whose result is
// there already returns a Change that changes nothing.
func Step(p policy.Policy, r Record, e Event, now time.Time) (Change, error) {
	return protocol.step(p, r, e, now)
}

// table is the protocol's §2: what may happen in which state.
type table struct {
	rows []row
	// without names a guard that is left out: a mutant, in tests only.
	without string
}

// row is one line of the table.
type row struct {
	name   string
	on     Kind
	from   []State
	guards []guard
	apply  func(*step)
}

// guard is a condition of a row. Its name is what a refusal says.
type guard struct {
	name  string
	kind  error
	holds func(*step) bool
}

// step is one application of an event in progress.
type step struct {
	table   table
	policy  policy.Policy
	now     time.Time
	event   Event
	before  *Record
	record  *Record // becomes the record afterwards; nil while only guards are asked
	effects []Effect
}

func (t table) step(p policy.Policy, r Record, e Event, now time.Time) (Change, error) {
	s := &step{table: t, policy: p, now: instant(now), event: e, before: &r}
	found, err := s.admit()
	if err != nil {
		return Change{}, err
	}
	if found == nil {
		return Change{Event: e.Kind(), Before: r, After: r}, nil
	}
	after := r
	s.record = &after
	found.apply(s)
	after.Schema = Schema
	after.Version++
	return Change{Event: e.Kind(), Before: r, After: after, Effects: s.effects}, nil
}

// accepts reports whether the event would be taken, and applies nothing: a pass
// asks several times about every candidate, and no record is copied.
func (s *step) accepts(e Event) bool {
	s.event = e
	_, err := s.admit()
	return err == nil
}

// admit finds the row of the event, all of whose guards hold; none if what the
// event would do is there already.
func (s *step) admit() (*row, error) {
	r, e := s.before, s.event
	if r.Schema > Schema {
		return nil, s.refuse("the record's schema is known", ErrRefused)
	}
	if repeated(*r, e) {
		return nil, nil
	}
	found, ok := s.table.find(r.State, e.Kind())
	if !ok {
		return nil, s.refuse("", s.outOfTurn())
	}
	for _, g := range found.guards {
		if without := s.table.without; without != "" && without == found.name+": "+g.name {
			continue
		}
		if !g.holds(s) {
			return nil, s.refuse(g.name, g.kind)
		}
	}
	return found, nil
}

func (t table) find(from State, on Kind) (*row, bool) {
	for i := range t.rows {
		if r := &t.rows[i]; r.on == on && slices.Contains(r.from, from) {
			return r, true
		}
	}
	return nil, false
}

func (s *step) refuse(guard string, kind error) error {
	return &Refusal{ID: s.before.ID, Event: s.event.Kind(), State: s.before.State, Guard: guard, kind: kind}
}

// outOfTurn says what a writer or worker learns from a state that has no row
// for its event: that its fence is lost, if it is; else that it is refused.
func (s *step) outOfTurn() error {
	if shown, ok := fenceOf(s.event); ok && shown != s.before.Fence {
		return ErrFenceLost
	}
	return ErrRefused
}

// instant is UTC in milliseconds, the ledger's precision.
func instant(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}
