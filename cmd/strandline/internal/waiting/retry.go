package waiting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/explanation"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Clerk lets parked purges go on for a person. It shows what that would do and
// asks, before it does anything.
type Clerk struct {
	Office
	// Around is where it is read what keeps the passes from going on.
	Around explanation.Sources
	// Who decides, and Why; both are written into the audit trail.
	Who, Why string
	// Audit takes the decisions; nil for nobody.
	Audit audit.To
	Ask   consent.Ask
}

// retriedPage is what became of one upload, as it is written for programs.
type retriedPage struct {
	Tenant string `json:"tenant"`
	Upload string `json:"upload"`
	// Outcome is "retried", or "not parked any more": somebody else was first.
	Outcome string    `json:"outcome"`
	DueAt   time.Time `json:"due_at,omitzero"`
}

// Retry lets one parked purge go on, and says what comes next.
func (c Clerk) Retry(ctx context.Context, id upload.ID) error {
	if err := id.Validate(); err != nil {
		return err
	}
	r, err := c.Ledger.Load(ctx, id)
	if err != nil {
		return err
	}
	if r.State != upload.StateDeleting || r.ParkedAt.IsZero() {
		return notParked(id, r)
	}
	if err := c.confirmOne(r); err != nil {
		return err
	}
	if err := c.unpark(ctx, id); err != nil || c.JSON {
		return err
	}
	facts, err := c.Around.Gather(ctx, id)
	if err != nil {
		return err
	}
	for _, step := range facts.Next() {
		fmt.Fprintf(c.Out, "next: from %s %s\n", show.Instant(step.From), step.Words)
	}
	return c.hinders(facts)
}

func notParked(id upload.ID, r upload.Record) error {
	if r.State == upload.StateNone {
		return fmt.Errorf("tenant %s has no upload %s", id.Tenant, id.Upload)
	}
	return fmt.Errorf("upload %s of tenant %s is not parked: it is %s; \"strandline explain\" says more", id.Upload, id.Tenant, r.State)
}

func (c Clerk) confirmOne(r upload.Record) error {
	if c.Ask == nil {
		return nil
	}
	list := newParkedRows(c.Office)
	if err := addParked(list, r, c.Now()); err != nil {
		return err
	}
	if err := list.flush(); err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "\nIts attempts begin at zero. A worker then tries again to delete for good what is left of it: up to %s.\n",
		show.Counted(max(0, r.Objects-r.PurgedThrough), "object"))
	return c.Ask.Confirm("Retry it?")
}

// unpark does it, and says what became of it.
func (c Clerk) unpark(ctx context.Context, id upload.ID) error {
	now := c.Now().UTC()
	change, err := cleanup.Unpark(ctx, c.Ledger, c.Policy, id, now)
	first := !errors.Is(err, upload.ErrRefused) && !errors.Is(err, upload.ErrAbsent) && !change.Nothing()
	if err != nil && first {
		return err
	}
	page := retriedPage{Tenant: id.Tenant, Upload: id.Upload, Outcome: "not parked any more"}
	if first {
		line := audit.Of(change, now)
		line.Who, line.Why = c.Who, c.Why
		c.Audit.Write(ctx, line)
		page.Outcome, page.DueAt = "retried", change.After.DueAt
	}
	if c.JSON {
		return c.line(page)
	}
	c.Clear()
	_, err = fmt.Fprintf(c.Out, "%s  %s  %s\n", show.Name(id.Tenant), show.Name(id.Upload), page.Outcome)
	return err
}

// hinders says why nothing may come of it yet.
func (c Clerk) hinders(facts explanation.Facts) error {
	for _, words := range facts.Hinders() {
		if _, err := fmt.Fprintln(c.Out, words); err != nil {
			return err
		}
	}
	return nil
}

// heap is what is parked for one failure.
type heap struct {
	cleanup.Amount
	oldest time.Time
}

// mostFailures is how many kinds of failure are told apart: errors may name
// uploads, and no two of those are alike.
const mostFailures = 20

const otherFailures = "other failures"

// RetryAll lets everything go on that is parked now. What is parked while the
// person thinks is not of it.
func (c Clerk) RetryAll(ctx context.Context) error {
	until := c.Now().UTC()
	all, heaps, err := c.heaps(ctx, until)
	if err != nil {
		return err
	}
	if all.Uploads == 0 {
		if c.JSON {
			return nil
		}
		_, err := fmt.Fprintln(c.Out, "nothing is parked")
		return err
	}
	if err := c.confirmAll(all, heaps); err != nil {
		return err
	}
	for r, err := range c.parked(ctx) {
		if err != nil {
			return err
		}
		if r.ParkedAt.After(until) {
			continue
		}
		if err := c.unpark(ctx, r.ID); err != nil {
			return err
		}
	}
	c.Clear()
	if c.JSON {
		return nil
	}
	return c.afterAll(ctx, c.Now().UTC())
}

// heaps sums up what is parked, by failure.
func (c Clerk) heaps(ctx context.Context, until time.Time) (cleanup.Amount, map[string]heap, error) {
	var all cleanup.Amount
	heaps := map[string]heap{}
	for r, err := range c.parked(ctx) {
		if err != nil {
			return all, nil, err
		}
		if r.ParkedAt.After(until) {
			continue
		}
		why := failure(r)
		if _, known := heaps[why]; !known && len(heaps) >= mostFailures {
			why = otherFailures
		}
		h := heaps[why]
		amount := cleanup.Amount{Uploads: 1, Objects: max(0, r.Objects-r.PurgedThrough), Bytes: r.Bytes}
		h.Amount, all = h.Plus(amount), all.Plus(amount)
		if h.oldest.IsZero() || r.ParkedAt.Before(h.oldest) {
			h.oldest = r.ParkedAt
		}
		heaps[why] = h
	}
	c.Clear()
	return all, heaps, nil
}

func (c Clerk) confirmAll(all cleanup.Amount, heaps map[string]heap) error {
	if c.Ask == nil {
		return nil
	}
	if err := heapTable(heaps, c.Now()).Write(c.Out); err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "\nTheir attempts begin at zero. Workers then try again to delete for good what is left of them: up to %s (%s known).\n",
		show.Counted(all.Objects, "object"), bytesize.Text(all.Bytes))
	return c.Ask.Confirm(fmt.Sprintf("Retry %s?", show.Counted(all.Uploads, "upload")))
}

func (c Clerk) afterAll(ctx context.Context, now time.Time) error {
	fmt.Fprintf(c.Out, "next: passes that start from %s hand them to the workers\n", show.Instant(now.Add(c.Policy.SafetyMargin)))
	around, err := c.Around.Surround(ctx, now, upload.ID{})
	if err != nil {
		return err
	}
	return c.hinders(explanation.Facts{Now: now, Policy: c.Policy, Surroundings: around})
}
