package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Ledger is the whole contract of an adapter. Engines declare the few methods
// that they need.
type Ledger interface {
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error)
	Commit(ctx context.Context, c upload.Change) error
	Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error)
	Reference(ctx context.Context, id upload.ID, ref upload.Reference) (ledger.ReferenceState, error)
	KeyUse(ctx context.Context, tenant, owner, key string) (ledger.KeyUse, error)
	QuotaUsed(ctx context.Context, tenant, owner string) (int64, error)
	Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error]
	Owned(ctx context.Context, segment, segments int) iter.Seq2[upload.Record, error]
	Parked(ctx context.Context, segment, segments int) iter.Seq2[upload.Record, error]
	References(ctx context.Context, id upload.ID) iter.Seq2[ledger.ReferenceUse, error]
	Get(ctx context.Context, collection, id string) (ledger.Document, error)
	Put(ctx context.Context, d ledger.Document) error
	List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error]
}

// Run asserts the contract. open returns an empty ledger each time.
func Run(t *testing.T, open func(t *testing.T) Ledger) {
	for _, group := range []map[string]func(*testing.T, Ledger){
		recordTests, effectTests, dueTests, largeTests, documentTests, holdingTests, ownedTests, parkedTests, referenceTests,
	} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) { test(t, open(t)) })
		}
	}
}

// start is when every story begins.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func id(n int) upload.ID { return upload.ID{Tenant: "acme", Upload: fmt.Sprintf("u-%05d", n)} }

// reserving is a reservation of an upload by owner alice, without anything
// beside the record.
func reserving(u upload.ID) upload.Reserve {
	return upload.Reserve{
		ID: u, Owner: "alice", Holder: "writer-1", Lease: 5 * time.Minute,
		HoldUntil: start.Add(48 * time.Hour), Bucket: "bucket", Prefix: "up", Declared: 3,
	}
}

// change decides an event; the test ends if the core refuses it.
func change(t *testing.T, r upload.Record, e upload.Event, now time.Time) upload.Change {
	t.Helper()
	c, err := upload.Step(policy.Default(), r, e, now)
	if err != nil {
		t.Fatalf("the core refuses: %v", err)
	}
	return c
}

// commit decides and stores an event, and returns the record afterwards.
func commit(t *testing.T, l Ledger, r upload.Record, e upload.Event, now time.Time) upload.Record {
	t.Helper()
	c := change(t, r, e, now)
	if err := l.Commit(t.Context(), c); err != nil {
		t.Fatalf("commit: %v", err)
	}
	return c.After
}

// expectStored fails unless exactly this record is stored.
func expectStored(t *testing.T, l Ledger, want upload.Record) {
	t.Helper()
	if diff := cmp.Diff(want, load(t, l, want.ID)); diff != "" {
		t.Errorf("stored is another (-want +got):\n%s", diff)
	}
}

func load(t *testing.T, l Ledger, u upload.ID) upload.Record {
	t.Helper()
	r, err := l.Load(t.Context(), u)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return r
}

func expectError(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func expectQuota(t *testing.T, l Ledger, owner string, want int64) {
	t.Helper()
	got, err := l.QuotaUsed(t.Context(), "acme", owner)
	if err != nil || got != want {
		t.Errorf("%d places of the quota are taken (%v), want %d", got, err, want)
	}
}
