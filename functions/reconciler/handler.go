package reconciler

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/strandline-dev/strandline/shared/manifest"
	"github.com/strandline-dev/strandline/shared/reconcile"
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
	for _, c := range e.created {
		d, why := a.foreign(c)
		if why != "" {
			a.runner.Log.Info("event ignored", "bucket", c.bucket, "why", why)
			answer.Ignored++
			continue
		}
		if err := a.reconcile(ctx, d, &answer); err != nil {
			return answer, err
		}
	}
	return answer, nil
}

// scheduled reconciles every bucket's newest complete inventory.
func (a *App) scheduled(ctx context.Context, e event) (answer Answer, err error) {
	for _, source := range a.config.SourceBuckets {
		d, err := a.newest(ctx, source, e.fired)
		if err != nil {
			return answer, fmt.Errorf("choose an inventory of bucket %s: %w", source, err)
		}
		if err := a.reconcile(ctx, d, &answer); err != nil {
			return answer, err
		}
	}
	return answer, nil
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
	answer.Runs = append(answer.Runs, report)
	return nil
}

// sweep looks for unfinished multipart uploads in every bucket.
func (a *App) sweep(ctx context.Context) (answer Answer, err error) {
	for _, bucket := range a.config.SourceBuckets {
		swept, err := a.runner.Sweep(ctx, bucket)
		if err != nil {
			return answer, err
		}
		a.runner.Log.Info("multipart uploads swept", "swept", swept)
		answer.Swept = append(answer.Swept, swept)
	}
	return answer, nil
}
