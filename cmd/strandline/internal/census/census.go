package census

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Clock is where the store's own clock is read.
type Clock interface {
	Read(ctx context.Context) (gate.State, error)
}

// Office shows the census and counts it again.
type Office struct {
	Census cleanup.Census
	Policy policy.Policy
	// Clock is needed for counting only.
	Clock Clock
	Out   io.Writer
	// JSON writes one document for programs.
	JSON bool
	Ask  consent.Ask
	// Progress, where set, is told how many uploads were counted; Clear takes
	// it away before something is printed.
	Progress func(uploads int64)
	Clear    func()
}

// Show shows the census that is stored.
func (o Office) Show(ctx context.Context) error {
	counted, err := o.Census.Read(ctx)
	if err != nil {
		return err
	}
	return o.write(counted, nil)
}

// Recount counts every bucket from the ledger and stores it. It stores nothing
// unless every record could be read.
func (o Office) Recount(ctx context.Context) error {
	before, err := o.Census.Read(ctx)
	if err != nil {
		return err
	}
	if err := o.checkClock(ctx); err != nil {
		return err
	}
	if err := o.confirm(before); err != nil {
		return err
	}
	c := o.Census
	if o.Progress != nil {
		c.Ledger = &counting{inner: c.Ledger, tell: o.Progress}
	}
	_, err = c.Recount(ctx)
	if o.Clear != nil {
		o.Clear()
	}
	if errors.Is(err, upload.ErrChanged) {
		return fmt.Errorf("somebody else has counted meanwhile; \"strandline census show\" shows it: %w", err)
	}
	if err != nil {
		return err
	}
	after, err := o.Census.Read(ctx)
	if err != nil {
		return err
	}
	return o.write(after, &before)
}

// checkClock keeps a census from being dated by a clock that is wrong: dated in
// the future it holds every purge back, in the past it looks stale at once.
func (o Office) checkClock(ctx context.Context) error {
	state, err := o.Clock.Read(ctx)
	if err != nil {
		return fmt.Errorf("read the store's clock: %w", err)
	}
	return cleanup.CheckClock(o.Policy, state, o.Census.Now())
}

func (o Office) confirm(before cleanup.Counted) error {
	if o.Ask == nil {
		return nil
	}
	last := "It was never counted."
	if all := before.All; !all.AsOf.IsZero() {
		last = fmt.Sprintf("It was last counted at %s: %s objects.", show.Instant(all.AsOf), bytesize.Count(all.Objects))
	}
	return o.Ask.Confirm("This reads every record of the ledger, and its result is what the limits of later passes are a percentage of. " + last + " Count?")
}

// write shows a census; before, where given, is the one that it replaced.
func (o Office) write(c cleanup.Counted, before *cleanup.Counted) error {
	now := o.Census.Now()
	stale := c.Stale(o.Policy, now)
	if o.JSON {
		return show.JSON(o.Out, pageOf(c, stale))
	}
	if c.All.AsOf.IsZero() {
		_, err := fmt.Fprintln(o.Out, "the buckets were never counted, so nothing is published for deletion; \"strandline census recount\" counts them")
		return err
	}
	by := ""
	if c.All.By != "" {
		by = ", by " + show.Plain(c.All.By)
	}
	fmt.Fprintf(o.Out, "counted at %s, from the %s%s\n", show.Since(now, c.All.AsOf), c.All.From, by)
	if stale != "" {
		fmt.Fprintln(o.Out, stale)
	}
	fmt.Fprintln(o.Out)
	return table(c, before, o.Policy).Write(o.Out)
}
