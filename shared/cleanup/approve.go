package cleanup

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/upload"
)

// approvableFor is how long after its pause a plan can be approved.
const approvableFor = 24 * time.Hour

// pause stores the plan and ends the run: nothing of it is executed, marks and
// defers neither, until a person approves exactly this plan.
func (w work) pause(ctx context.Context, plan *Plan, over string) (Report, error) {
	p, r := w.pass, w.run
	pages, err := p.storePlan(ctx, plan, r.report.Started)
	if err != nil {
		return r.fail(ctx, p.Now(), err)
	}
	r.hold(plan, SkipOverLimit)
	r.report.Pages, r.report.PausedAt = pages, p.start()
	report, err := r.end(ctx, r.report.PausedAt, RunPaused, over)
	if err == nil {
		p.Audit.Write(ctx, audit.Line{
			At: report.PausedAt, Who: r.who(p), What: audit.RunPaused, Why: over, Run: report.Run,
			Before: string(RunRunning), After: string(RunPaused),
		})
	}
	return report, err
}

// Approve executes the plan of a paused run, once, within 24 hours of its
// pause. The digest is the one the person saw, who is that person. Every
// re-check still applies: what has changed since is skipped, and workers decide
// again. What is published so does not count against later passes.
//
// An error that matches upload.ErrRefused says why nothing was done: another
// digest, used already, too old, not paused, the gate closed, a pass running.
func (p Pass) Approve(ctx context.Context, runID, digest, who string) (Report, error) {
	if err := p.Validate(); err != nil {
		return Report{}, err
	}
	if err := upload.ValidID("approver", who); err != nil {
		return Report{}, fmt.Errorf("%w: %w", upload.ErrRefused, err)
	}
	start := p.start()
	if err := p.mayExecute(ctx, start); err != nil {
		return Report{}, err
	}
	held, err := lease.Take(ctx, p.Documents, leaseKind, runID, start)
	if err != nil {
		return Report{}, err
	}
	defer held.Release(ctx)
	r, err := p.openRun(ctx, runID)
	if err != nil {
		return Report{}, err
	}
	if err := r.report.approvable(digest, start); err != nil {
		return r.report, err
	}
	plan, err := p.loadPlan(ctx, r.report)
	if err != nil {
		return r.report, err
	}
	// From here on the approval is used, whatever becomes of the execution.
	paused := r.report
	r.report.State, r.report.Reason = RunApproved, ""
	r.report.Approval = &Approval{By: who, At: start}
	if err := r.save(ctx); err != nil {
		return paused, err // nothing was let go: it must not look approved
	}
	r.log.InfoContext(ctx, "plan approved", "by", who, "digest", digest)
	p.Audit.Write(ctx, audit.Line{
		At: start, Who: who, What: audit.RunApproved, Why: "digest " + digest, Run: runID,
		Before: string(RunPaused), After: string(RunApproved),
	})
	w := work{pass: p, run: r, lease: held, recheck: true}
	return w.finish(ctx, plan, RunApproved)
}

// mayExecute reads the gate: it must be open, and the clocks must agree.
func (p Pass) mayExecute(ctx context.Context, start time.Time) error {
	state, err := p.Switch.Read(ctx)
	if err != nil {
		return fmt.Errorf("read the gate: %w", err)
	}
	if err := p.checkClock(state, start); err != nil {
		return err
	}
	if !state.Open() {
		return fmt.Errorf("%w: the gate is closed: %s", upload.ErrRefused, closedReason(state))
	}
	return nil
}

func (r Report) approvable(digest string, now time.Time) error {
	refuse := func(why string) error {
		return fmt.Errorf("%w: approve run %s: %s", upload.ErrRefused, r.Run, why)
	}
	switch {
	case r.Approval != nil:
		return refuse("approved already, by " + r.Approval.By)
	case r.State != RunPaused:
		return refuse(fmt.Sprintf("it is %q, not paused", r.State))
	case now.Sub(r.PausedAt) > approvableFor:
		return refuse(fmt.Sprintf("it was paused at %s, more than %v ago", r.PausedAt.Format(time.RFC3339), approvableFor))
	case digest != r.Digest:
		return refuse("the digest is not that of its plan")
	}
	return nil
}
