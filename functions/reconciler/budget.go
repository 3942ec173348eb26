package reconciler

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	// finishWithin is how long before its deadline an invocation must be done:
	// holds, alarms and the run's report are written last.
	finishWithin = time.Minute
	// stopWithin before its deadline an invocation stops, so that it can still
	// give its lease back.
	stopWithin = 10 * time.Second
)

// rates are how many bytes of an inventory's files a function with two
// processors fetches, verifies and compares in a second, the ledger's scan
// beside it. They are assumed, not measured on Lambda: a rate that is too low
// refuses what could have been done, one that is too high lets an invocation
// run into its deadline, without harm.
var rates = map[inventory.Format]int64{
	inventory.CSV:     15e6,
	inventory.Parquet: 40e6,
	inventory.ORC:     10e6,
}

// estimate is about how long a comparison with the inventory takes.
func estimate(m inventory.Manifest) time.Duration {
	bytes := int64(0)
	for _, f := range m.Files {
		bytes += f.Size
	}
	return time.Duration(float64(bytes) / float64(rates[m.Format]) * float64(time.Second))
}

// affordable refuses an inventory that this invocation would not come to the
// end of, before anything of it is fetched.
func affordable(ctx context.Context, m inventory.Manifest, now time.Time) error {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil
	}
	need, left := estimate(m), deadline.Sub(now)-finishWithin
	if need > left {
		return fmt.Errorf("the inventory's %d files need about %s, and this invocation has %s: see docs/scale.md for what to do: %w",
			len(m.Files), need.Round(time.Second), left.Round(time.Second), upload.ErrRefused)
	}
	return nil
}

// stopping ends the context in time to give the lease back.
func stopping(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-stopWithin))
}
