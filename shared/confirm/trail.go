package confirm

import (
	"cmp"
	"context"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/upload"
)

// who decides, in the audit trail.
const who = "recorder"

// decided writes that an upload was completed or cancelled by an event into the
// audit trail. That one of its objects has come is no decision.
func (t *turn) decided(ctx context.Context, c upload.Change, outcome string) {
	if c.Event == upload.KindRecordObject || c.Nothing() {
		return
	}
	l := t.line(c)
	l.Outcome = outcome
	t.Audit.Write(ctx, l)
}

// decidedPerhaps does so for a write whose answer was lost, from the record as
// it was read again, if it could be.
func (t *turn) decidedPerhaps(ctx context.Context, c upload.Change, unread error) {
	if unread != nil {
		t.decided(ctx, c, audit.Unclear)
		return
	}
	if l, done := audit.Lost(t.line(c), c, t.claim.Record); done {
		t.decided(ctx, c, l.Outcome)
	}
}

func (t *turn) line(c upload.Change) audit.Line {
	l := audit.Of(c, t.Now())
	l.Who, l.Why = who, cmp.Or(c.After.Reason, "every declared object has come")
	return l
}
