package installation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"time"

	"github.com/strandline-dev/strandline/functions/reconciler"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/quarantine"
	"github.com/strandline-dev/strandline/shared/reconcile"
)

// inventoryBucket is what the reconciler is told that inventories lie in.
const inventoryBucket = "inventories"

// Reconcile tells the reconciler that the inventory with this manifest.json has
// been delivered, as S3 does: its checksum was created.
func (i *Installation) Reconcile(ctx context.Context, manifestKey string) (reconcile.Report, error) {
	answer, err := i.tell(ctx, map[string]any{"Records": []any{map[string]any{
		"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "eventTime": i.Clock.Now().UTC().Format(time.RFC3339Nano),
		"s3": map[string]any{
			"bucket": map[string]any{"name": inventoryBucket},
			"object": map[string]any{"key": url.QueryEscape(path.Join(path.Dir(manifestKey), "manifest.checksum"))},
		},
	}}})
	switch {
	case err != nil:
		return reconcile.Report{}, err
	case len(answer.Runs) != 1:
		return reconcile.Report{}, fmt.Errorf("reconciler: %d runs over one inventory", len(answer.Runs))
	}
	return answer.Runs[0], nil
}

// Sweep triggers the sweep of unfinished multipart uploads as its schedule
// would now.
func (i *Installation) Sweep(ctx context.Context) (reconcile.Swept, error) {
	answer, err := i.tell(ctx, map[string]any{
		"task": "sweep", "schedule": i.schedule, "time": i.Clock.Now().UTC().Format(time.RFC3339),
	})
	if err != nil || len(answer.Swept) != 1 {
		return reconcile.Swept{}, err
	}
	return answer.Swept[0], nil
}

func (i *Installation) tell(ctx context.Context, event map[string]any) (reconciler.Answer, error) {
	if i.reconciler == nil {
		return reconciler.Answer{}, errors.New("the installation has no reconciler: no inventories are delivered")
	}
	raw, err := json.Marshal(event)
	if err != nil {
		return reconciler.Answer{}, err
	}
	answer, err := i.reconciler.Handle(ctx, raw)
	if err != nil {
		return answer, fmt.Errorf("reconciler: %w", err)
	}
	return answer, nil
}

// Desk is where an operator of the installation decides about holds.
func (i *Installation) Desk(markers quarantine.Markers) quarantine.Desk {
	return quarantine.Desk{
		Policy: i.Policy, Book: hold.Book{Documents: i.Stores.Ledger, Forget: i.Policy.TombstoneTTL},
		Records: i.Stores.Ledger, Store: i.Stores.Objects, Markers: markers, Parts: i.Stores.Objects, Now: i.Clock.Now,
		Audit: i.trail.Writer(),
	}
}
