package cleanup

import "fmt"

// PurgeTally adds up outcomes. What was taken from the queue is what was
// deleted, retained, is coming back (retrying), was parked, rejected or
// skipped, in uploads, in objects and (of those with a known size) in bytes;
// see [PurgeTally.Check]. A message that comes back is taken, and counted, again.
type PurgeTally struct {
	Taken    Amount `json:"taken"`
	Deleted  Amount `json:"deleted"`  // also trimmed
	Retained Amount `json:"retained"` // kept by a lock, a hold or policy
	Retrying Amount `json:"retrying"` // also waiting, closed, throttled, continued, failed
	Parked   Amount `json:"parked"`
	Rejected Amount `json:"rejected"`
	Skipped  Amount `json:"skipped"`
}

// Add counts the outcomes. The objects of one upload may go to three places:
// those that are gone, those retained, and the rest with the upload's own kind.
func (t *PurgeTally) Add(outcomes ...Outcome) {
	for _, o := range outcomes {
		place := t.place(o.Kind)
		place.Uploads++
		place.Objects += o.Left()
		t.Deleted.Objects += o.Gone
		t.Deleted.Bytes += o.Bytes
		t.Retained.Objects += o.Retained.Count
		t.Taken = t.Taken.Plus(Amount{Uploads: 1, Objects: o.Objects, Bytes: o.Bytes})
	}
}

func (t *PurgeTally) place(kind OutcomeKind) *Amount {
	switch kind {
	case KindDeleted, KindTrimmed:
		return &t.Deleted
	case KindRetained:
		return &t.Retained
	case KindParked:
		return &t.Parked
	case KindRejected:
		return &t.Rejected
	case KindSkipped:
		return &t.Skipped
	}
	return &t.Retrying
}

// Check is an error when the counts do not add up.
func (t PurgeTally) Check() error {
	sum := t.Deleted.Plus(t.Retained).Plus(t.Retrying).Plus(t.Parked).Plus(t.Rejected).Plus(t.Skipped)
	if sum != t.Taken {
		return fmt.Errorf("purge tally: %+v taken, %+v accounted for", t.Taken, sum)
	}
	return nil
}

// Plus is the sum of two tallies: of two batches, or of two workers.
func (t PurgeTally) Plus(o PurgeTally) PurgeTally {
	return PurgeTally{
		Taken:    t.Taken.Plus(o.Taken),
		Deleted:  t.Deleted.Plus(o.Deleted),
		Retained: t.Retained.Plus(o.Retained),
		Retrying: t.Retrying.Plus(o.Retrying),
		Parked:   t.Parked.Plus(o.Parked),
		Rejected: t.Rejected.Plus(o.Rejected),
		Skipped:  t.Skipped.Plus(o.Skipped),
	}
}
