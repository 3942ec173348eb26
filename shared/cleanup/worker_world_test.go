package cleanup_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command"
	queues "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

const purgeBucket = "uploads"

// purgeWorld is everything that a worker meets, in memory, on a clock that only
// sleeping and the test move.
type purgeWorld struct {
	t       *testing.T
	clock   *purgeClock
	policy  policy.Policy
	records *purgeRecords
	store   *purgeStore
	gate    *gates.Gate
	queue   *queues.Queue
	log     *lockedLog
	workers int
	worker  *cleanup.Worker
}

func newPurgeWorld(t *testing.T) *purgeWorld {
	t.Helper()
	clock := &purgeClock{at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	w := &purgeWorld{
		t: t, clock: clock, policy: policy.Default(), log: &lockedLog{},
		records: &purgeRecords{Store: ledgers.New()},
		gate:    gates.New(clock.now),
		queue:   queues.New(clock.now, policy.Default().VisibilityTimeout),
	}
	memory := stores.New(clock.now)
	memory.CreateBucket(purgeBucket, stores.BucketOptions{})
	w.store = &purgeStore{Store: memory}
	w.must(w.gate.SetRate(t.Context(), 100_000, 10_000))
	w.must(w.gate.SetMode(t.Context(), gate.Delete))
	w.worker = w.anotherWorker()
	return w
}

// anotherWorker has the same stores, and a name of its own.
func (w *purgeWorld) anotherWorker() *cleanup.Worker {
	w.workers++
	name, tokens := fmt.Sprintf("worker-%d", w.workers), 0
	var mu sync.Mutex
	return &cleanup.Worker{
		Records: w.records, Store: w.store, Parts: w.store, Gate: w.gate, Queue: w.queue,
		Policy: w.policy, Name: name, Now: w.clock.now, Sleep: w.clock.sleep,
		NewToken: func() string {
			mu.Lock()
			defer mu.Unlock()
			tokens++
			return fmt.Sprintf("%s-token-%d", name, tokens)
		},
		Concurrency: 4, DeadlineMargin: 10 * time.Second,
		Log: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
}

func (w *purgeWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// apply steps the stored record and stores what follows.
func (w *purgeWorld) apply(id upload.ID, e upload.Event) upload.Record {
	w.t.Helper()
	before := w.record(id)
	change, err := upload.Step(w.policy, before, e, w.clock.now())
	w.must(err)
	w.must(w.records.Store.Commit(w.t.Context(), change))
	return change.After
}

func (w *purgeWorld) record(id upload.ID) upload.Record {
	w.t.Helper()
	r, err := w.records.Store.Load(w.t.Context(), id)
	w.must(err)
	return r
}

func purgeID(name string) upload.ID { return upload.ID{Tenant: "acme", Upload: name} }

// received is an upload of so many objects, all put, and recorded up to known.
func (w *purgeWorld) received(name string, declared, known int) upload.Record {
	w.t.Helper()
	id := purgeID(name)
	r := w.apply(id, upload.Reserve{
		ID: id, Owner: "owner", Holder: "writer", Lease: time.Minute, Bucket: purgeBucket, Prefix: "up", Declared: declared,
	})
	for seq := 1; seq <= declared; seq++ {
		v := w.store.Write(purgeBucket, r.ObjectKey(upload.Key{Attempt: 1, Seq: seq}), []byte("data"), time.Time{})
		if seq <= known {
			r = w.apply(id, upload.RecordObject{Fence: 1, Seq: seq, VersionID: v.VersionID, Size: v.Size, ETag: v.ETag})
		}
	}
	return r
}

// cancelled is an upload that was given up and is due now.
func (w *purgeWorld) cancelled(name string, declared, known int) upload.Record {
	w.t.Helper()
	w.received(name, declared, known)
	r := w.apply(purgeID(name), upload.Cancel{Fence: 1, Reason: "test"})
	w.clock.to(r.DueAt.Add(w.policy.SafetyMargin))
	return r
}

// expired is an upload that pass one marked and whose second grace is over.
func (w *purgeWorld) expired(name string, declared int) upload.Record {
	w.t.Helper()
	id := purgeID(name)
	w.received(name, declared, declared)
	w.apply(id, upload.ExtendHold{HoldUntil: w.clock.now().Add(time.Hour)})
	w.clock.advance(w.policy.ActivityGrace + w.policy.SafetyMargin + 2*time.Hour)
	r := w.record(id)
	r = w.apply(id, upload.Expire{Version: r.Version, Cutoff: w.cutoff()})
	w.clock.advance(w.policy.SecondGrace + w.policy.SafetyMargin + time.Second)
	return r
}

// completed is an upload of which the first objects are listed; the others are
// due for a trim.
func (w *purgeWorld) completed(name string, declared, listed int) upload.Record {
	w.t.Helper()
	w.received(name, declared, declared)
	var list []upload.Key
	for seq := 1; seq <= listed; seq++ {
		list = append(list, upload.Key{Attempt: 1, Seq: seq})
	}
	r := w.apply(purgeID(name), upload.Complete{Fence: 1, List: list})
	w.clock.to(r.SupersededDueAt.Add(w.policy.SafetyMargin))
	return r
}

// adopted condemns versions that were not uploaded through us.
func (w *purgeWorld) adopted(name string, versions ...objects.Version) upload.Record {
	w.t.Helper()
	explicit := make([]upload.Explicit, len(versions))
	for i, v := range versions {
		explicit[i] = upload.Explicit{
			Bucket: purgeBucket, Key: v.Key, VersionID: v.VersionID, ETag: v.ETag, Size: v.Size, LastModified: v.LastModified,
		}
	}
	r := w.apply(purgeID(name), upload.Adopt{ID: purgeID(name), Source: "test " + name, Objects: explicit})
	w.clock.to(r.DueAt.Add(w.policy.SafetyMargin))
	return r
}

func (w *purgeWorld) cutoff() time.Time { return w.clock.now().Add(-w.policy.SafetyMargin) }

// order is what the pass would command about the record.
func (w *purgeWorld) order(r upload.Record) upload.Command {
	op := map[upload.State]upload.Operation{
		upload.StateDeleting: upload.OpReclaim, upload.StateComplete: upload.OpTrim, upload.StateDeleted: upload.OpReopen,
	}[r.State]
	if op == "" {
		op = upload.OpClaim
	}
	return upload.Command{Run: "pass#1", Operation: op, ID: r.ID, Version: r.Version, Cutoff: w.cutoff(), Reason: "due"}
}

func (w *purgeWorld) send(records ...upload.Record) {
	w.t.Helper()
	orders := make([]upload.Command, len(records))
	for i, r := range records {
		orders[i] = w.order(r)
	}
	_, err := w.queue.Send(w.t.Context(), orders)
	w.must(err)
}

// receive takes all that is visible, as one batch.
func (w *purgeWorld) receive() []command.Received {
	w.t.Helper()
	var batch []command.Received
	for {
		some, err := w.queue.Receive(w.t.Context(), 10, 0)
		w.must(err)
		if len(some) == 0 {
			return batch
		}
		batch = append(batch, some...)
	}
}

// purge has the worker deal with all that is visible and acknowledges what is
// done.
func (w *purgeWorld) purge() []cleanup.Outcome {
	w.t.Helper()
	return w.purgeBy(w.t.Context(), w.worker)
}

func (w *purgeWorld) purgeBy(ctx context.Context, worker *cleanup.Worker) []cleanup.Outcome {
	w.t.Helper()
	batch := w.receive()
	outcomes := worker.Purge(ctx, batch)
	var tally cleanup.PurgeTally
	tally.Add(outcomes...)
	w.must(tally.Check())
	for i, o := range outcomes {
		if o.Done {
			w.must(w.queue.Acknowledge(w.t.Context(), batch[i].Receipt))
		}
	}
	if strings.Contains(w.log.String(), "up/acme/") {
		w.t.Fatal("an object key is in the log")
	}
	return outcomes
}

// one sends the command for the record and returns its outcome.
func (w *purgeWorld) one(r upload.Record) cleanup.Outcome {
	w.t.Helper()
	w.send(r)
	outcomes := w.purge()
	if len(outcomes) != 1 {
		w.t.Fatalf("%d outcomes, want 1", len(outcomes))
	}
	return outcomes[0]
}

func (w *purgeWorld) wantOutcome(o cleanup.Outcome, kind cleanup.OutcomeKind, reason string) {
	w.t.Helper()
	if o.Kind != kind || !strings.Contains(o.Reason, reason) {
		w.t.Fatalf("outcome is %s (%s), want %s (%s)", o.Kind, o.Reason, kind, reason)
	}
}

func (w *purgeWorld) wantStanding(n int) {
	w.t.Helper()
	if got := len(w.store.All(purgeBucket)); got != n {
		w.t.Fatalf("%d versions stand, want %d", got, n)
	}
}

func (w *purgeWorld) wantState(id upload.ID, s upload.State) upload.Record {
	w.t.Helper()
	r := w.record(id)
	if r.State != s {
		w.t.Fatalf("upload %s is %s, want %s", id.Upload, r.State, s)
	}
	return r
}

func (w *purgeWorld) wantDepth(n int64) {
	w.t.Helper()
	depth, err := w.queue.Depth(w.t.Context())
	w.must(err)
	if depth != n {
		w.t.Fatalf("%d messages in the queue, want %d", depth, n)
	}
}
