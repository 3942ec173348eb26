package reconcile

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Where runs and the lease lie.
const (
	runs          = "RUN#reconcile"
	leases        = "LEASE"
	leaseOfRunner = "reconcile"
	// runLease is longer than a Lambda function may run (15 minutes); one that
	// is killed blocks the next for the rest of it.
	runLease    = 18 * time.Minute
	leaseMargin = time.Minute
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

// leaseData is the lease's document. Until is zero when nobody holds it.
type leaseData struct {
	Run   string    `json:"run"`
	Token string    `json:"token"`
	Until time.Time `json:"until,omitzero"`
}

// lease lets one run at a time work. Two at once would do everything twice,
// and could each judge from a half of what the other wrote.
type lease struct {
	documents hold.Documents
	data      leaseData
	revision  int64
}

func (r Runner) acquire(ctx context.Context, run string) (*lease, error) {
	doc, err := r.Documents.Get(ctx, leases, leaseOfRunner)
	if err != nil {
		return nil, fmt.Errorf("read the reconciler's lease: %w", err)
	}
	var held leaseData
	if doc.Revision > 0 {
		if err := json.Unmarshal(doc.Data, &held); err != nil {
			return nil, fmt.Errorf("reconciler's lease: %w", err)
		}
	}
	now := r.Now()
	if held.Until.After(now) {
		return nil, fmt.Errorf("another run is under way: %s, until %s: %w",
			held.Run, held.Until.Format(time.RFC3339), upload.ErrRefused)
	}
	l := &lease{
		documents: r.Documents, revision: doc.Revision,
		data: leaseData{Run: run, Token: rand.Text(), Until: now.Add(runLease)},
	}
	err = l.put(ctx)
	if errors.Is(err, upload.ErrChanged) {
		return nil, fmt.Errorf("another run has just begun: %w", upload.ErrRefused)
	}
	if err != nil {
		return nil, fmt.Errorf("take the reconciler's lease: %w", err)
	}
	return l, nil
}

func (l *lease) put(ctx context.Context) error {
	data, err := json.Marshal(l.data)
	if err != nil {
		return err
	}
	err = l.documents.Put(ctx, ledger.Document{Collection: leases, ID: leaseOfRunner, Data: data, Revision: l.revision})
	if err == nil {
		l.revision++
	}
	return err
}

// ending reports whether nothing new may begin under the lease.
func (l *lease) ending(now time.Time) bool { return !now.Before(l.data.Until.Add(-leaseMargin)) }

// release gives the lease back. If that fails, or somebody else has it by now,
// it ends by itself.
func (l *lease) release(ctx context.Context) {
	l.data.Until = time.Time{}
	_ = l.put(context.WithoutCancel(ctx))
}
