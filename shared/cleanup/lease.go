package cleanup

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	leases      = "LEASE"
	leaseOfPass = "pass"
	// passLease is longer than a Lambda function may run (15 minutes), so that
	// a pass never outlives its lease; one that is killed blocks the next for
	// the rest of it.
	passLease = 18 * time.Minute
	// leaseMargin before its lease ends a pass begins nothing new.
	leaseMargin = time.Minute
)

// leaseData is the lease's document. Until is zero when nobody holds it.
type leaseData struct {
	Run   string    `json:"run"`
	Token string    `json:"token"`
	Until time.Time `json:"until,omitzero"`
}

// lease lets one pass at a time run. Two at once would only cost duplicates,
// but could be judged each on its own and together exceed the limit.
type lease struct {
	documents Documents
	data      leaseData
	revision  int64
}

// acquire takes the lease, or says upload.ErrRefused.
func (p Pass) acquire(ctx context.Context, run string, now time.Time) (*lease, error) {
	doc, err := p.Documents.Get(ctx, leases, leaseOfPass)
	if err != nil {
		return nil, fmt.Errorf("read the pass lease: %w", err)
	}
	var held leaseData
	if doc.Revision > 0 {
		if err := json.Unmarshal(doc.Data, &held); err != nil {
			return nil, fmt.Errorf("pass lease: %w", err)
		}
	}
	if held.Until.After(now) {
		return nil, fmt.Errorf("%w: another pass is running: %s, until %s",
			upload.ErrRefused, held.Run, held.Until.Format(time.RFC3339))
	}
	l := &lease{
		documents: p.Documents, revision: doc.Revision,
		data: leaseData{Run: run, Token: rand.Text(), Until: now.Add(passLease)},
	}
	err = l.put(ctx)
	if errors.Is(err, upload.ErrChanged) {
		return nil, fmt.Errorf("%w: another pass has just begun", upload.ErrRefused)
	}
	if err != nil {
		return nil, fmt.Errorf("take the pass lease: %w", err)
	}
	return l, nil
}

func (l *lease) put(ctx context.Context) error {
	data, err := json.Marshal(l.data)
	if err != nil {
		return err
	}
	doc := ledger.Document{Collection: leases, ID: leaseOfPass, Data: data, Revision: l.revision}
	if err := l.documents.Put(ctx, doc); err != nil {
		return err
	}
	l.revision++
	return nil
}

// ending reports whether nothing new may begin under the lease.
func (l *lease) ending(now time.Time) bool {
	return !now.Before(l.data.Until.Add(-leaseMargin))
}

// release gives the lease back. If that fails, or somebody else has it by now,
// it ends by itself.
func (l *lease) release(ctx context.Context) {
	l.data.Until = time.Time{}
	_ = l.put(context.WithoutCancel(ctx))
}
