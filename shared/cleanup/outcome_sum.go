package cleanup

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
