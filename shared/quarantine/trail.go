package quarantine

import (
	"cmp"
	"context"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/upload"
)

// decided writes what a person made of a hold into the audit trail, by its id.
func (d Desk) decided(ctx context.Context, what string, before, after hold.Hold) {
	adopted := cmp.Or(after.Adopted, before.Adopted)
	d.Audit.Write(ctx, audit.Line{
		At: d.Now(), Who: after.Who, What: what, Why: after.Why, Tenant: adopted.Tenant, Upload: adopted.Upload,
		Hold: after.ID(), Bucket: after.Bucket, Before: string(before.State), After: string(after.State),
	})
}

// changed writes what that did to the hold's record.
func (d Desk) changed(ctx context.Context, c upload.Change, h hold.Hold, who, outcome string) {
	l := audit.Of(c, d.Now())
	l.Who, l.Why, l.Hold, l.Bucket, l.Outcome = who, c.After.Reason, h.ID(), h.Bucket, outcome
	d.Audit.Write(ctx, l)
}

// Keep says that what the hold names stays, and that nobody is to be asked
// again; see [hold.Book.Keep].
func (d Desk) Keep(ctx context.Context, h hold.Hold, who, why string) (hold.Hold, error) {
	kept, err := d.Book.Keep(ctx, h, who, why, d.Now())
	if err == nil && kept.Revision != h.Revision {
		d.decided(ctx, audit.HoldKept, h, kept)
	}
	return kept, err
}
