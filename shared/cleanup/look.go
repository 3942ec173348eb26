package cleanup

import (
	"context"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Look is when the passes come by a record's entry in the due index.
type Look struct {
	// From: no pass that starts earlier looks at it. Zero: it is due never.
	From time.Time
	// Passed: the passes have come by since it was due. What they published is
	// with the queue and the workers; the next round comes by again.
	Passed bool
}

// LookAt is when a pass next looks at a record, as the cursors are now. It
// reads one document and writes nothing. A pass may still be too late for it:
// it is out of time, or its share of MaxPerPass is used up.
func LookAt(ctx context.Context, documents Documents, p policy.Policy, r upload.Record, now time.Time) (Look, error) {
	if r.DueAt.IsZero() {
		return Look{}, nil
	}
	c, err := Pass{Documents: documents}.readCursor(ctx, ledger.Shard(r.ID))
	if err != nil {
		return Look{}, err
	}
	from := now
	if due := r.DueAt.Add(p.SafetyMargin); due.After(from) {
		from = due
	}
	if !c.passed(r) {
		return Look{From: from}, nil
	}
	if round := c.nextRound(r, p.RepublishAfter, now); round.After(from) {
		from = round
	}
	return Look{From: from, Passed: true}, nil
}

// passed reports whether the front is behind the record's entry. Of several
// entries of one instant it is only known of the last.
func (c cursor) passed(r upload.Record) bool {
	return r.DueAt.Before(c.Front.At) || r.DueAt.Equal(c.Front.At) && c.Front.ID == r.ID
}

// nextRound is the earliest instant at which a round may come by an entry that
// the front has passed.
func (c cursor) nextRound(r upload.Record, after time.Duration, now time.Time) time.Time {
	switch {
	case c.Round == nil && r.DueAt.After(c.NextUntil): // in the round after the next
		return c.Rested.Add(2 * after)
	case c.Round == nil:
		return c.Rested.Add(after)
	case r.DueAt.Before(c.Round.At.At) || r.DueAt.After(c.Round.Until) || c.Round.At.ID == r.ID:
		return now.Add(after) // this round does not; the next one rests first
	}
	return now
}
