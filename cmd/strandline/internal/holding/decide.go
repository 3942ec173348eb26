package holding

import (
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/quarantine"
)

// Clerk lets a person decide about holds. It shows what a decision would do
// and asks, before it does anything.
type Clerk struct {
	Office
	Desk quarantine.Desk
	// Who decides; it is written beside the decision.
	Who string
	Ask consent.Ask
}

// Keep says that what the holds name stays, and that nobody is asked again.
func (c Clerk) Keep(ctx context.Context, ids []string, why string) error {
	all, err := c.find(ctx, ids)
	if err != nil {
		return err
	}
	if err := c.confirm(all, "These stay, and nobody is asked about them again."); err != nil {
		return err
	}
	for _, h := range all {
		h, err := c.Desk.Keep(ctx, h, c.Who, why)
		if err != nil {
			return err
		}
		if err := c.report(h, "kept"); err != nil {
			return err
		}
	}
	return nil
}

// Restore takes approvals back.
func (c Clerk) Restore(ctx context.Context, ids []string) error {
	all, err := c.find(ctx, ids)
	if err != nil {
		return err
	}
	if err := c.confirm(all, "The approval of these is taken back: they are not deleted, and stand as before."); err != nil {
		return err
	}
	for _, h := range all {
		h, err := c.Desk.Restore(ctx, h.Bucket, h.ID(), c.Who)
		if err != nil {
			return err
		}
		if err := c.report(h, "restored"); err != nil {
			return err
		}
	}
	return nil
}

// Approve lets the holds go: all of them are checked before the person is
// asked, and one that is refused refuses them all.
func (c Clerk) Approve(ctx context.Context, ids []string) error {
	all, err := c.find(ctx, ids)
	if err != nil {
		return err
	}
	var plans []quarantine.Approval
	for _, h := range all {
		plan, err := c.Desk.Plan(ctx, h.Bucket, h.ID())
		if err != nil {
			return err
		}
		plans = append(plans, plan)
	}
	if err := c.confirmApprovals(plans); err != nil {
		return err
	}
	for _, plan := range plans {
		h, err := c.Desk.Execute(ctx, plan, c.Who)
		if err != nil {
			return err
		}
		if err := c.report(h, outcome(h, plan)); err != nil {
			return err
		}
	}
	return nil
}

// confirm shows the holds and asks. With --yes nothing is asked, and what is
// shown is what was done.
func (c Clerk) confirm(all []hold.Hold, what string) error {
	if c.Ask == nil {
		return nil
	}
	lines := newList(c.Now())
	for _, h := range all {
		lines.add(h)
	}
	if err := lines.Write(c.Out); err != nil {
		return err
	}
	return c.Ask.Confirm(what)
}

func (c Clerk) confirmApprovals(plans []quarantine.Approval) error {
	if c.Ask == nil {
		return nil
	}
	for _, p := range plans {
		details(c.Out, p.Hold, c.Now())
		show.Fact(c.Out, "approved", consequence(p))
		fmt.Fprintln(c.Out)
	}
	return c.Ask.Confirm(fmt.Sprintf("Approve %s?", show.These(len(plans))))
}

// consequence says what an approval does.
func consequence(p quarantine.Approval) string {
	if p.Hold.Kind == hold.Multipart {
		return "it is aborted at once, and its parts cannot be restored"
	}
	text := "it may be deleted for good from " + show.Instant(p.DueAt) + " on, and can be restored until then"
	if p.Hides {
		return text + "; a delete marker hides it meanwhile"
	}
	return text + "; it stays visible meanwhile, for " + p.Visible
}

// outcome says what an approval has done.
func outcome(h hold.Hold, p quarantine.Approval) string {
	switch {
	case h.Kind == hold.Multipart:
		return "aborted"
	case h.Marker.VersionID != "":
		return "approved, hidden; due " + show.Instant(p.DueAt)
	}
	return "approved, visible; due " + show.Instant(p.DueAt)
}
