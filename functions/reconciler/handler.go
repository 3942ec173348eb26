package reconciler

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/strandline-dev/strandline/shared/manifest"
	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// Answer is what an invocation did. It holds no object key.
type Answer struct {
	Runs  []reconcile.Report `json:"runs,omitempty"`
	Swept []reconcile.Swept  `json:"swept,omitempty"`
	// Ignored is how many created objects were none of ours.
	Ignored int `json:"ignored,omitempty"`
}

// Handle takes one event of S3, of EventBridge or of a schedule. An error makes
// Lambda invoke again, and after that gives the event to the function's own
// dead-letter queue; the run is then taken up again from its beginning.
func (a *App) Handle(ctx context.Context, raw json.RawMessage) (Answer, error) {
	e, err := readEvent(raw)
	if err != nil {
		return Answer{}, fmt.Errorf("reconciler event: %w", err)
	}
	defer a.trailDelivered(ctx) // with the time that is left when work has stopped
	ctx, cancel := stopping(ctx)
	defer cancel()
	switch e.task {
	case taskSweep:
		return a.sweep(ctx)
	case taskReconcile:
		return a.scheduled(ctx, e)
	}
	return a.delivered(ctx, e)
}

// delivered reconciles the inventories whose checksums were created.
func (a *App) delivered(ctx context.Context, e event) (answer Answer, err error) {
	err = each(ctx, e.created, func(c storageevent.Created) error {
		d, why := a.foreign(c)
		if why != "" {
			a.runner.Log.Info("event ignored", "bucket", c.Bucket, "why", why)
			answer.Ignored++
			return nil
		}
		return a.reconcile(ctx, d, &answer)
	})
	return answer, err
}

// scheduled reconciles every bucket's newest complete inventory.
func (a *App) scheduled(ctx context.Context, e event) (answer Answer, err error) {
	err = each(ctx, a.config.SourceBuckets, func(source string) error {
		d, err := a.newest(ctx, source, e.fired)
		if err != nil {
			return fmt.Errorf("choose an inventory of bucket %s: %w", source, err)
		}
		return a.reconcile(ctx, d, &answer)
	})
	return answer, err
}

// each goes on with the next where one fails, and returns what failed, in one
// line: a bucket whose inventories have stopped must not keep the others from
// being looked at, every day.
func each[T any](ctx context.Context, all []T, do func(T) error) error {
	var failed error
	for _, one := range all {
		err := do(one)
		switch {
		case err == nil:
		case failed == nil:
			failed = err
		default:
			failed = fmt.Errorf("%w; %w", failed, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}

func (a *App) reconcile(ctx context.Context, d delivery, answer *Answer) error {
	in, err := a.open(ctx, d.manifestKey)
	if err != nil {
		return fmt.Errorf("inventory of bucket %s: %w", d.source, err)
	}
	m := in.Manifest()
	if m.SourceBucket != d.source {
		return fmt.Errorf("inventory of bucket %s: %w", d.source, errOtherBucket)
	}
	if err := affordable(ctx, m, a.runner.Now()); err != nil {
		return fmt.Errorf("inventory of bucket %s: %w", d.source, err)
	}
	report, err := a.runner.Run(ctx, reconcile.Task{
		Inventory: in, ManifestAt: a.runner.Now(), Against: d.against,
		Manifest: manifest.OfLedger(a.ledger, manifest.LedgerOptions{
			Bucket: m.SourceBucket, Segments: a.config.Segments, TombstoneTTL: a.config.Policy.TombstoneTTL,
		}),
	})
	if err != nil {
		return err
	}
	a.runner.Log.Info("inventory reconciled", "report", report)
	a.measure(measured(report))
	answer.Runs = append(answer.Runs, report)
	return nil
}

// trailDelivered brings the rest of the audit trail to its group, at the end of
// every invocation.
func (a *App) trailDelivered(ctx context.Context) {
	lost := a.trail.Flush(ctx, telemetry.Within(ctx, a.runner.Now()))
	a.measure(telemetry.Values{Plain: map[telemetry.Name]float64{telemetry.AuditUndelivered: float64(lost)}})
}

func (a *App) measure(v telemetry.Values) {
	if err := a.metrics.Put(a.runner.Now(), v); err != nil {
		a.runner.Log.Error("metrics not written", "error", err)
	}
}

// sweep looks for unfinished multipart uploads in every bucket.
func (a *App) sweep(ctx context.Context) (answer Answer, err error) {
	err = each(ctx, a.config.SourceBuckets, func(bucket string) error {
		swept, err := a.runner.Sweep(ctx, bucket)
		if err != nil {
			return err
		}
		a.runner.Log.Info("multipart uploads swept", "swept", swept)
		answer.Swept = append(answer.Swept, swept)
		return nil
	})
	return answer, err
}
