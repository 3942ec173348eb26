package purging

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	smithytime "github.com/aws/smithy-go/time"

	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/shared/cleanup"
	queues "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// What each call takes, in front of the stores in memory.
const (
	LedgerTakes = 5 * time.Millisecond
	StoreTakes  = 30 * time.Millisecond
	// readAtOnce is how many records the ledger's adapter reads with one call;
	// its calls follow each other.
	readAtOnce = 100
)

// Slow is what one worker came to over slow stores.
type Slow struct {
	// Seconds it took, and what all its calls together take.
	Seconds, Calls float64
}

// Bound is the least that the concurrency allows, in seconds: all that calls
// take, so many of them at once.
func (s Slow) Bound() float64 { return s.Calls / Concurrency }

// OverSlowStores purges so many uploads of so many objects with one worker.
func OverSlowStores(ctx context.Context, uploads, perUpload int) (Slow, error) {
	const bucket = "uploads"
	now, p := time.Now, policy.Default()
	ledger, store, open := ledgers.New(), stores.New(now), gates.New(now)
	store.CreateBucket(bucket, stores.BucketOptions{})
	if err := open.SetRate(ctx, gate.MaxRate, gate.MaxBurst); err != nil {
		return Slow{}, err
	}
	if err := open.SetMode(ctx, gate.Delete); err != nil {
		return Slow{}, err
	}
	records := make([]upload.Record, uploads)
	for i := range records {
		id, versions := nameOf(i), make([]string, perUpload)
		for n := range versions {
			versions[n] = store.Write(bucket, keyOf(id, n+1), []byte("data"), now().Add(-long)).VersionID
		}
		r, err := cancelled(id, bucket, versions, now())
		if err != nil {
			return Slow{}, err
		}
		if records[i], err = write(ctx, ledger, r); err != nil {
			return Slow{}, err
		}
	}
	d := &delays{}
	app, err := worker.NewFrom(worker.Config{Concurrency: Concurrency, DeadlineMargin: 10 * time.Second, Policy: p}, worker.Deps{
		Records: slowRecords{ledger, d}, Store: slowStore{store, d}, Parts: store, Gate: slowGate{open, d},
		Queue: queues.New(now, p.VisibilityTimeout),
		Log:   slog.New(slog.NewJSONHandler(io.Discard, nil)), Now: now, Sleep: smithytime.SleepWithContext,
	})
	if err != nil {
		return Slow{}, err
	}
	begun := time.Now()
	for batch := range slices.Chunk(records, BatchSize) {
		event, err := eventOf(batch, now())
		if err != nil {
			return Slow{}, err
		}
		if err := handleEvent(ctx, app, event); err != nil {
			return Slow{}, err
		}
	}
	took := time.Since(begun)
	if left := len(store.All(bucket)); left > 0 {
		return Slow{}, fmt.Errorf("%d versions are left", left)
	}
	return Slow{Seconds: took.Seconds(), Calls: time.Duration(d.sum.Load()).Seconds()}, nil
}

// delays sums up what calls took, as they were told.
type delays struct{ sum atomic.Int64 }

func (d *delays) wait(each time.Duration) {
	d.sum.Add(int64(each))
	time.Sleep(each)
}

type slowRecords struct {
	cleanup.Records
	d *delays
}

func (s slowRecords) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	s.d.wait(LedgerTakes)
	return s.Records.Load(ctx, id)
}

func (s slowRecords) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	for range slices.Chunk(ids, readAtOnce) {
		s.d.wait(LedgerTakes)
	}
	return s.Records.LoadMany(ctx, ids)
}

func (s slowRecords) Commit(ctx context.Context, c upload.Change) error {
	s.d.wait(LedgerTakes)
	return s.Records.Commit(ctx, c)
}

type slowStore struct {
	cleanup.Store
	d *delays
}

func (s slowStore) Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result {
	s.d.wait(StoreTakes)
	return s.Store.Delete(ctx, bucket, versions)
}

func (s slowStore) CheckBucket(ctx context.Context, bucket string) error {
	s.d.wait(StoreTakes)
	return s.Store.CheckBucket(ctx, bucket)
}

type slowGate struct {
	cleanup.Gate
	d *delays
}

func (s slowGate) Read(ctx context.Context) (gate.State, error) {
	s.d.wait(LedgerTakes)
	return s.Gate.Read(ctx)
}

func (s slowGate) Reserve(ctx context.Context, slots int) (gate.Grant, error) {
	s.d.wait(LedgerTakes)
	return s.Gate.Reserve(ctx, slots)
}
