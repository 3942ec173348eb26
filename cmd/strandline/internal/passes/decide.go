package passes

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Clerk lets a person run passes, and approve paused ones. It shows what that
// does and asks, before it does anything.
type Clerk struct {
	Office
	// Who decides; it is written beside the decision.
	Who string
	Ask consent.Ask
	// OtherPolicy lets a pass run although the policy here is not that of the
	// last one that a schedule ran.
	OtherPolicy bool
}

// ErrNeedsAPerson: the run came to its end, and was paused or stopped. It has
// been printed.
var ErrNeedsAPerson = errors.New("the run is paused or stopped")

// Run makes a pass now, as a schedule would, under [ByHand].
func (c Clerk) Run(ctx context.Context) error {
	like, err := c.ready(ctx)
	if err != nil {
		return err
	}
	if c.Ask != nil {
		v, err := c.watched().Preview(ctx)
		c.clear()
		if err != nil {
			return err
		}
		if err := c.preview(v, like); err != nil {
			return err
		}
		fmt.Fprintln(c.Out)
		if err := c.Ask.Confirm(runQuestion(v)); err != nil {
			return err
		}
		fmt.Fprintln(c.Out)
	}
	pass := c.watched()
	pass.Who = c.Who
	r, err := pass.Run(ctx, cleanup.Trigger{Schedule: ByHand, FireTime: pass.Now(), By: c.Who})
	c.clear()
	return c.ended(ctx, r, err)
}

func runQuestion(v cleanup.Preview) string {
	const anew = " It plans anew, so its numbers may differ."
	switch v.Would {
	case cleanup.RunReported:
		return "Run this pass? It writes its report and nothing else." + anew
	case cleanup.RunPaused:
		return "Run this pass? It stores its plan, and does nothing of it until that is approved." + anew
	case cleanup.RunStopped:
		return "Run this pass? It writes that it was stopped."
	}
	return "Run this pass?" + anew
}

// ended shows what became of the run, also where it failed on its way.
func (c Clerk) ended(ctx context.Context, r cleanup.Report, err error) error {
	if r.Run != "" && !errors.Is(err, upload.ErrRefused) {
		if shown := c.outcome(r); shown != nil {
			return shown
		}
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case r.State == cleanup.RunPaused, r.State == cleanup.RunStopped:
		return ErrNeedsAPerson
	}
	return nil
}

func (c Clerk) outcome(r cleanup.Report) error {
	if c.JSON {
		return show.JSON(c.Out, r)
	}
	return c.report(r)
}

// Approve lets the plan of a paused run go: once, and only the plan whose
// digest this is. The plan is shown first.
func (c Clerk) Approve(ctx context.Context, run, digest string) error {
	if _, err := c.ready(ctx); err != nil {
		return err
	}
	r, plan, err := c.Pass.ToApprove(ctx, run, digest)
	if errors.Is(err, upload.ErrAbsent) {
		return fmt.Errorf("there is no run %s; \"strandline runs list --state paused\" shows those that wait", run)
	}
	if errors.Is(err, upload.ErrRefused) {
		return fmt.Errorf("%w; \"strandline mode\" shows the gate, and \"strandline runs show %s\" the run with its digest", err, show.Arguments(run))
	}
	if err != nil {
		return err
	}
	if !c.JSON {
		if err := c.stake(r, plan); err != nil {
			return err
		}
	}
	if c.Ask != nil {
		fmt.Fprintln(c.Out)
		if err := c.Ask.Confirm(approveQuestion(plan.Stats())); err != nil {
			return err
		}
	}
	if !c.JSON {
		fmt.Fprintln(c.Out)
	}
	r, err = c.watched().Approve(ctx, run, digest, c.Who)
	c.clear()
	return c.ended(ctx, r, err)
}

// stake shows what an approval lets go.
func (c Clerk) stake(r cleanup.Report, plan *cleanup.Plan) error {
	now := c.Pass.Now()
	show.Fact(c.Out, "run", r.Run)
	show.Fact(c.Out, "digest", r.Digest)
	show.Fact(c.Out, "paused", show.Since(now, r.PausedAt)+": "+r.Reason)
	show.Fact(c.Out, "approvable", "until "+show.Instant(r.ApprovableUntil()))
	show.Fact(c.Out, "oldest due", show.Since(now, plan.Stats().OldestDue))
	return c.plan(plan, r.Buckets, now)
}

func approveQuestion(st cleanup.Stats) string {
	var purges cleanup.Amount
	for _, a := range st.Purges {
		purges = purges.Plus(a)
	}
	return fmt.Sprintf("Let exactly this plan go, once? It asks the workers to delete %s of %s for good; each is decided about again before it goes.",
		show.Counted(purges.Objects, "object version"), show.Counted(purges.Uploads, "upload"))
}

// ready refuses what must be set before anything is shown, and a policy that is
// not the installation's.
func (c Clerk) ready(ctx context.Context) (likeness, error) {
	if err := upload.ValidID("--who", c.Who); err != nil {
		return likeness{}, err
	}
	like, err := c.comparePolicy(ctx)
	if err == nil && like.differs() && !c.OtherPolicy {
		return like, fmt.Errorf("%s: give this command what the functions have, or --other-policy", like)
	}
	return like, err
}
