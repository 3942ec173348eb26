package fault

import (
	"context"
	"iter"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// LedgerCalls is what scheduler, worker and intake call of a ledger.
type LedgerCalls interface {
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error)
	Commit(ctx context.Context, change upload.Change) error
	Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error)
	Reference(ctx context.Context, id upload.ID, ref upload.Reference) (ledger.ReferenceState, error)
	KeyUse(ctx context.Context, tenant, owner, key string) (ledger.KeyUse, error)
	Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error]
	Get(ctx context.Context, collection, id string) (ledger.Document, error)
	Put(ctx context.Context, doc ledger.Document) error
	List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error]
}

// Ledger is a ledger whose calls may fail. A commit is named with its event, a
// document's call with its collection: "ledger.Commit claim".
type Ledger struct {
	next LedgerCalls
	set  *Set
}

// Ledger puts the set in front of a ledger.
func (s *Set) Ledger(next LedgerCalls) *Ledger { return &Ledger{next, s} }

// Load see [LedgerCalls].
func (l *Ledger) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	return call(ctx, l.set, "ledger.Load", func() (upload.Record, error) { return l.next.Load(ctx, id) })
}

// LoadMany see [LedgerCalls].
func (l *Ledger) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	return call(ctx, l.set, "ledger.LoadMany", func() ([]upload.Record, error) { return l.next.LoadMany(ctx, ids) })
}

// Commit see [LedgerCalls].
func (l *Ledger) Commit(ctx context.Context, c upload.Change) error {
	return run(ctx, l.set, "ledger.Commit "+string(c.Event), upload.ErrChanged, func() error { return l.next.Commit(ctx, c) })
}

// Due see [LedgerCalls]. Cut off, a page has nothing, and says that more follows.
func (l *Ledger) Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	const operation = "ledger.Due"
	c := l.set.meet(ctx, operation)
	switch c.Kind {
	case "":
		return l.next.Due(ctx, shard, after, until, limit)
	case Cut:
		return ledger.Page{Next: after, More: true}, nil
	}
	return ledger.Page{}, c.Kind.err()
}

// Reference see [LedgerCalls].
func (l *Ledger) Reference(ctx context.Context, id upload.ID, ref upload.Reference) (ledger.ReferenceState, error) {
	return call(ctx, l.set, "ledger.Reference", func() (ledger.ReferenceState, error) { return l.next.Reference(ctx, id, ref) })
}

// KeyUse see [LedgerCalls].
func (l *Ledger) KeyUse(ctx context.Context, tenant, owner, key string) (ledger.KeyUse, error) {
	return call(ctx, l.set, "ledger.KeyUse", func() (ledger.KeyUse, error) { return l.next.KeyUse(ctx, tenant, owner, key) })
}

// Holdings see [LedgerCalls].
func (l *Ledger) Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error] {
	return sequence(ctx, l.set, "ledger.Holdings", l.next.Holdings(ctx, segment, segments))
}

// Get see [LedgerCalls].
func (l *Ledger) Get(ctx context.Context, collection, id string) (ledger.Document, error) {
	return call(ctx, l.set, "ledger.Get "+collection, func() (ledger.Document, error) { return l.next.Get(ctx, collection, id) })
}

// Put see [LedgerCalls].
func (l *Ledger) Put(ctx context.Context, d ledger.Document) error {
	return run(ctx, l.set, "ledger.Put "+d.Collection, upload.ErrChanged, func() error { return l.next.Put(ctx, d) })
}

// List see [LedgerCalls].
func (l *Ledger) List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error] {
	return sequence(ctx, l.set, "ledger.List "+collection, l.next.List(ctx, collection, from, to))
}
