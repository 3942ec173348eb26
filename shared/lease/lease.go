package lease

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
	// Collection is where the leases lie in the ledger.
	Collection = "LEASE"
	// Span is longer than a Lambda function may run (15 minutes), so that no
	// run outlives its lease.
	Span = 18 * time.Minute
	// margin before its lease ends a run begins nothing new.
	margin = time.Minute
)

// Reader is where leases can be looked at.
type Reader interface {
	Get(ctx context.Context, collection, id string) (ledger.Document, error)
}

// Documents is where the leases lie: the ledger.
type Documents interface {
	Reader
	Put(ctx context.Context, doc ledger.Document) error
}

// Lease is one that was taken.
type Lease struct {
	documents Documents
	kind      string
	data      stored
	revision  int64
}

// stored is the lease's document. Until is zero when nobody holds it.
type stored struct {
	Run   string    `json:"run"`
	Token string    `json:"token"`
	Until time.Time `json:"until,omitzero"`
}

// Holder says which run has a lease, and until when at most. The zero Holder:
// none has.
type Holder struct {
	Run   string
	Until time.Time
}

// Look says who has the lease of a kind of run now. It takes nothing.
func Look(ctx context.Context, documents Reader, kind string, now time.Time) (Holder, error) {
	held, _, err := read(ctx, documents, kind)
	if err != nil || !held.Until.After(now) {
		return Holder{}, err
	}
	return Holder{Run: held.Run, Until: held.Until}, nil
}

func read(ctx context.Context, documents Reader, kind string) (held stored, revision int64, err error) {
	doc, err := documents.Get(ctx, Collection, kind)
	if err == nil && doc.Revision > 0 {
		err = json.Unmarshal(doc.Data, &held)
	}
	if err != nil {
		return stored{}, 0, fmt.Errorf("read the %s lease: %w", kind, err)
	}
	return held, doc.Revision, nil
}

// Take takes the lease of a kind of run for one of them. It is
// upload.ErrRefused while another has it.
func Take(ctx context.Context, documents Documents, kind, run string, now time.Time) (*Lease, error) {
	held, revision, err := read(ctx, documents, kind)
	if err != nil {
		return nil, err
	}
	if held.Until.After(now) {
		return nil, fmt.Errorf("another %s is running: %s, until %s: %w",
			kind, held.Run, held.Until.Format(time.RFC3339), upload.ErrRefused)
	}
	l := &Lease{
		documents: documents, kind: kind, revision: revision,
		data: stored{Run: run, Token: rand.Text(), Until: now.Add(Span)},
	}
	err = l.put(ctx)
	if errors.Is(err, upload.ErrChanged) {
		return nil, fmt.Errorf("another %s has just begun: %w", kind, upload.ErrRefused)
	}
	if err != nil {
		return nil, fmt.Errorf("take the %s lease: %w", kind, err)
	}
	return l, nil
}

func (l *Lease) put(ctx context.Context) error {
	data, err := json.Marshal(l.data)
	if err != nil {
		return err
	}
	doc := ledger.Document{Collection: Collection, ID: l.kind, Data: data, Revision: l.revision}
	if err := l.documents.Put(ctx, doc); err != nil {
		return err
	}
	l.revision++
	return nil
}

// Ending reports whether nothing new may begin under the lease.
func (l *Lease) Ending(now time.Time) bool { return !now.Before(l.data.Until.Add(-margin)) }

// Release gives the lease back. If that fails, or somebody else has it by now,
// it ends by itself.
func (l *Lease) Release(ctx context.Context) {
	l.data.Until = time.Time{}
	_ = l.put(context.WithoutCancel(ctx))
}
