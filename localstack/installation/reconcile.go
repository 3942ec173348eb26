package installation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/strandline-dev/strandline/functions/reconciler"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
	"github.com/strandline-dev/strandline/shared/quarantine"
	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/storageevent"
)

// inventoryBucket is what the reconciler is told that inventories lie in.
const inventoryBucket = "inventories"

// Reconcile tells the reconciler that the inventory with this manifest.json has
// been delivered, as S3 does: its checksum was created.
func (i *Installation) Reconcile(ctx context.Context, manifestKey string) (reconcile.Report, error) {
	event, err := lambdaevent.Created(storageevent.Created{
		Bucket: inventoryBucket, Key: path.Join(path.Dir(manifestKey), "manifest.checksum"), At: i.Clock.Now(),
	})
	if err != nil {
		return reconcile.Report{}, err
	}
	answer, err := i.tell(ctx, event)
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
	event, err := json.Marshal(map[string]string{
		"task": "sweep", "schedule": i.schedule, "time": i.Clock.Now().UTC().Format(time.RFC3339),
	})
	if err != nil {
		return reconcile.Swept{}, err
	}
	answer, err := i.tell(ctx, event)
	if err != nil || len(answer.Swept) != 1 {
		return reconcile.Swept{}, err
	}
	return answer.Swept[0], nil
}

func (i *Installation) tell(ctx context.Context, event json.RawMessage) (reconciler.Answer, error) {
	if i.reconciler == nil {
		return reconciler.Answer{}, errors.New("the installation has no reconciler: no inventories are delivered")
	}
	answer, err := i.reconciler.Handle(ctx, event)
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
