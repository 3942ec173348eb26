package reconcile

import (
	"context"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/upload"
)

// who decides what a run changes.
const who = "reconciler"

// heldLine writes what became of a hold into the audit trail, by its id.
func (r Runner) heldLine(ctx context.Context, what string, h hold.Hold, run string, before hold.State, why string) {
	r.Audit.Write(ctx, audit.Line{
		At: r.Now(), Who: who, What: what, Why: why, Run: run, Tenant: h.Tenant, Upload: h.Upload,
		Hold: h.ID(), Bucket: h.Bucket, Before: string(before), After: string(h.State),
	})
}

// closedLine writes that a run closed a hold; nothing if a person was faster.
func (r Runner) closedLine(ctx context.Context, before, after hold.Hold, run, why string) {
	if after.State == hold.Closed && after.Revision != before.Revision {
		r.heldLine(ctx, audit.HoldClosed, after, run, before.State, why)
	}
}

// tookBack writes that an upload goes back to the worker.
func (x *execution) tookBack(ctx context.Context, c upload.Change, v Verdict, outcome string) {
	l := audit.Of(c, x.runner.Now())
	l.Who, l.Run, l.Why, l.Outcome = who, x.id, string(v), outcome
	x.runner.Audit.Write(ctx, l)
}
