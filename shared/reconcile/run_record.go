package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/ledger"
)

const (
	// runs is where the runs lie in the ledger.
	runs = "RUN#reconcile"
	// leaseKind names the lease that one run, or sweep, at a time has.
	leaseKind = "reconciliation"
)

// runData is a run's document. A run that was begun and not finished is done
// again from the beginning: everything it writes may be written twice.
type runData struct {
	Begun    time.Time `json:"begun"`
	Finished time.Time `json:"finished,omitzero"`
	Report   Report    `json:"report"`
}

// settled returns the report of an inventory that has nothing to say any more:
// it was reconciled before, or a later one was; the zero Report if it has.
func (r Runner) settled(ctx context.Context, m inventory.Manifest) (Report, error) {
	id := RunID(m)
	data, _, err := r.loadRun(ctx, id)
	if err != nil {
		return Report{}, err
	}
	if !data.Finished.IsZero() {
		data.Report.Repeated = true
		return data.Report, nil
	}
	view, err := r.book().View(ctx, m.SourceBucket)
	if err != nil || !view.Inventory.After(m.Created) {
		return Report{}, err
	}
	return Report{Run: id, Bucket: m.SourceBucket, Inventory: m.Created, Superseded: true}, nil
}

func (r Runner) loadRun(ctx context.Context, id string) (data runData, revision int64, err error) {
	d, err := r.Documents.Get(ctx, runs, id)
	if err != nil {
		return runData{}, 0, fmt.Errorf("look up run %s: %w", id, err)
	}
	if d.Revision > 0 {
		if err := json.Unmarshal(d.Data, &data); err != nil {
			return runData{}, 0, fmt.Errorf("read run %s: %w", id, err)
		}
	}
	return data, d.Revision, nil
}

// putRun writes what is known of a run over what was, whoever wrote it: only
// the holder of the lease does.
func (r Runner) putRun(ctx context.Context, id string, change func(*runData)) error {
	data, revision, err := r.loadRun(ctx, id)
	if err != nil {
		return err
	}
	change(&data)
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	doc := ledger.Document{
		Collection: runs, ID: id, Data: raw, Revision: revision, ExpiresAt: r.Now().Add(r.Policy.TombstoneTTL),
	}
	if err := r.Documents.Put(ctx, doc); err != nil {
		return fmt.Errorf("record run %s: %w", id, err)
	}
	return nil
}
