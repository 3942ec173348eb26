package cleanup

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
)

const cursors = "CURSOR"

// cursor says how far the passes have come in one shard of the due index.
//
// Front only moves on: it passes each entry once, as it becomes due. What it
// has passed and what still stands in the index is visited by rounds from the
// beginning. A round starts RepublishAfter after the one before it ended, and
// goes to where Front had come by then: so whatever it meets was published no
// sooner than RepublishAfter ago.
type cursor struct {
	// Front is behind the last entry that was handled.
	Front ledger.Position `json:"front"`
	// Passed: everything due until then has been handled.
	Passed time.Time `json:"passed,omitzero"`
	// Round is the round that is under way.
	Round *round `json:"round,omitempty"`
	// Rested is when the last round ended, NextUntil how far the next one goes.
	Rested    time.Time `json:"rested,omitzero"`
	NextUntil time.Time `json:"next_until,omitzero"`

	revision int64
}

type round struct {
	At    ledger.Position `json:"at"`
	Until time.Time       `json:"until"`
}

func cursorID(shard int) string { return fmt.Sprintf("%02d", shard) }

func (p Pass) readCursor(ctx context.Context, shard int) (cursor, error) {
	doc, err := p.Documents.Get(ctx, cursors, cursorID(shard))
	if err != nil {
		return cursor{}, fmt.Errorf("read the cursor of shard %d: %w", shard, err)
	}
	var c cursor
	if doc.Revision > 0 {
		if err := json.Unmarshal(doc.Data, &c); err != nil {
			return cursor{}, fmt.Errorf("cursor of shard %d: %w", shard, err)
		}
	}
	c.revision = doc.Revision
	return c, nil
}

// saveCursor stores the cursor unless another pass has moved it since it was
// read: then upload.ErrChanged.
func (p Pass) saveCursor(ctx context.Context, shard int, c *cursor) error {
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("cursor of shard %d: %w", shard, err)
	}
	doc := ledger.Document{Collection: cursors, ID: cursorID(shard), Data: data, Revision: c.revision}
	if err := p.Documents.Put(ctx, doc); err != nil {
		return fmt.Errorf("save the cursor of shard %d: %w", shard, err)
	}
	c.revision++
	return nil
}

// startRound begins a round if one is due, and reports whether one is under
// way.
func (c *cursor) startRound(now time.Time, after time.Duration) bool {
	if c.Round == nil && !c.NextUntil.IsZero() && now.Sub(c.Rested) >= after {
		c.Round = &round{Until: c.NextUntil}
	}
	return c.Round != nil
}

// advance returns the cursor after the first handled candidates of the plan.
func (s *shardPlan) advance(handled int, now time.Time) cursor {
	next := s.cursor
	inRound := min(handled, s.round.Count)
	if next.Round != nil && inRound > 0 {
		next.Round = &round{At: s.place(inRound - 1), Until: s.round.Until}
	}
	if inFront := handled - s.round.Count; inFront >= 0 {
		next.moveFront(s, inFront)
	}
	if next.Round != nil && inRound == s.round.Count && s.round.Ended {
		next.Round, next.Rested, next.NextUntil = nil, now, next.Passed
	}
	if next.Round == nil && next.NextUntil.IsZero() { // nothing was passed yet, or only now
		next.Rested, next.NextUntil = now, next.Passed
	}
	return next
}

// moveFront moves behind the first n entries of the front leg.
func (c *cursor) moveFront(s *shardPlan, n int) {
	passed := c.Passed
	if n > 0 {
		c.Front = s.place(s.round.Count + n - 1)
		passed = c.Front.At.Add(-time.Millisecond) // others of this instant may follow
	}
	if n == s.front.Count && s.front.Ended {
		passed = s.front.Until
	}
	if passed.After(c.Passed) {
		c.Passed = passed
	}
}
