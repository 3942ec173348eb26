package controls

import (
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/gate"
)

// Report lets nothing be deleted any more. It is not asked about.
func (c Controls) Report(ctx context.Context) error {
	err := c.By(c.blind()).SetMode(ctx, gate.ReportOnly)
	if err := c.note(ctx, audit.GateMode, "", string(gate.ReportOnly), err); err != nil {
		return NotStopped(err)
	}
	return c.stopped(ctx, "report-only: "+noneAfter)
}

// Pause stops every worker. It is not asked about, and it is written whatever
// the gate is and whoever has decided meanwhile.
func (c Controls) Pause(ctx context.Context) error {
	err := c.By(c.blind()).Pause(ctx)
	if err := c.note(ctx, audit.GatePause, "", "paused", err); err != nil {
		return NotStopped(err)
	}
	return c.stopped(ctx, "paused: "+noneAfter)
}

// neverOpen is said of a gate that has no rate, so that it has never given a
// slot: to stop it stops nobody. It may be that of a new installation, or one
// that a wrong name has just made beside the gate that lets deletes go on.
const neverOpen = "but this gate has never let anything be deleted: if deletes go on, --gate or --table is not the installation's"

// stopped is done for what stops.
func (c Controls) stopped(ctx context.Context, what string) error {
	v, err := c.look(ctx)
	if err != nil {
		return notSeen(what, err)
	}
	if v.Rate <= 0 {
		v.note = neverOpen
	}
	return c.tell(v, what)
}

// noneAfter is what a closed gate promises: see [gate.SlotLife].
var noneAfter = fmt.Sprintf("no delete starts later than %s from now, whatever is queued", gate.SlotLife)

// blind is a decision that nobody can come before.
func (c Controls) blind() gate.Decision { return gate.Decision{By: c.Who, Saw: gate.AnyRevision} }

// NotStopped is the error of a stop that was none, or may have been none. It
// matches ErrUnsettled.
func NotStopped(err error) error { return notStopped{err} }

type notStopped struct{ error }

func (e notStopped) Error() string {
	return "deletes may go on: " + e.error.Error() + "; try again, or take the concurrency of the worker's function to 0"
}

func (e notStopped) Unwrap() []error { return []error{e.error, ErrUnsettled} }

// Delete lets workers delete. A rate or burst of 0 is the gate's own, or the
// policy's where it has none.
func (c Controls) Delete(ctx context.Context, rate, burst int) error {
	v, err := c.look(ctx)
	if err != nil {
		return err
	}
	next, err := c.rated(v.State, rate, burst)
	if err != nil {
		return err
	}
	setsRate := !same(next, v.State)
	if v.Mode == gate.Delete && !setsRate {
		return c.done(ctx, "the mode is delete already; nothing was done")
	}
	if err := c.confirm(v, c.opening(v, next, setsRate), "Turn deletion on?"); err != nil {
		return err
	}
	if setsRate {
		if v.State, err = c.setRate(ctx, v.State, next); err != nil {
			return err
		}
	}
	if err := c.open(ctx, v.State); err != nil {
		if setsRate {
			return fmt.Errorf("the rate is set, the mode is not: %w", err)
		}
		return err
	}
	return c.done(ctx, "deletion is on")
}

// open sets the mode to delete, in the state that was seen.
func (c Controls) open(ctx context.Context, s gate.State) error {
	next, err := s.WithMode(gate.Delete)
	if err != nil {
		return err
	}
	err = c.By(gate.Decision{By: c.Who, Saw: s.Revision}).SetMode(ctx, gate.Delete)
	return c.note(ctx, audit.GateMode, c.stands(s), c.stands(next), err)
}

// opening says what turning deletion on would do.
func (c Controls) opening(v view, next gate.State, setsRate bool) []string {
	lines := []string{
		"Workers then delete for good what the ledger condemns, at most " + rateOf(next.Rate, next.Burst) + ".",
	}
	if setsRate {
		lines = append(lines, "The rate is set to that first.")
	}
	if v.Paused {
		lines = append(lines, "The gate is paused: nothing is deleted before it is resumed.")
	}
	return append(lines, waiting(v)...)
}

// Resume ends a pause.
func (c Controls) Resume(ctx context.Context) error {
	v, err := c.look(ctx)
	if err != nil {
		return err
	}
	if !v.Paused {
		return c.done(ctx, "it is not paused; nothing was done")
	}
	what := []string{"Workers then go on deleting for good what the ledger condemns, at most " + rateOf(v.Rate, v.Burst) + "."}
	if v.Mode != gate.Delete {
		what = []string{"The mode is report-only: nothing is deleted before it is set to delete."}
	}
	if err := c.confirm(v, append(what, waiting(v)...), "Resume?"); err != nil {
		return err
	}
	err = c.By(gate.Decision{By: c.Who, Saw: v.Revision}).Resume(ctx)
	if err := c.note(ctx, audit.GateResume, c.stands(v.State), c.stands(v.WithPause(false)), err); err != nil {
		return err
	}
	return c.done(ctx, "resumed")
}

// waiting says what is queued, and when it is taken up.
func waiting(v view) []string {
	if v.queued <= 0 {
		return nil
	}
	return []string{"Queued: " + commands(v.queued) + ". What a closed gate has turned away comes back within a quarter of an hour."}
}
