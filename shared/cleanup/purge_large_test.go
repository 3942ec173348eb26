package cleanup_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// large is a cancelled upload of very many recorded objects, written to the
// ledger as such: ten thousand events would say nothing more.
func (w *purgeWorld) large(name string, n int) upload.Record {
	w.t.Helper()
	before := w.received(name, 0, 0)
	after := w.apply(before.ID, upload.Declare{Fence: 1, Declared: n})
	for seq := 1; seq <= n; seq++ {
		v := w.store.Write(purgeBucket, after.ObjectKey(upload.Key{Attempt: 1, Seq: seq}), []byte("d"), time.Time{})
		after.Manifest.Objects = append(after.Manifest.Objects, upload.Object{
			Key: upload.Key{Attempt: 1, Seq: seq}, VersionID: v.VersionID, Size: 1, ETag: v.ETag,
		})
	}
	change, err := upload.Step(w.policy, after, upload.Heartbeat{Fence: 1}, w.clock.now())
	w.must(err)
	w.must(w.records.Store.Commit(w.t.Context(), change))
	r := w.apply(before.ID, upload.Cancel{Fence: 1, Reason: "test"})
	w.clock.to(r.DueAt.Add(w.policy.SafetyMargin))
	return r
}

func TestHugeUploadIsPurgedOverSeveralInvocations(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.large("huge", 10_000)
	w.store.answered = func(int, []objects.Result) { w.clock.advance(10 * time.Second) }
	w.send(r)
	invocations, gone := 0, int64(0)
	for {
		outcomes := w.purgeBy(deadlineAt{t.Context(), w.clock.now().Add(25 * time.Second)}, w.worker)
		invocations++
		o := outcomes[0]
		gone += o.Gone
		if o.Kind == cleanup.KindDeleted {
			break
		}
		w.wantOutcome(o, cleanup.KindContinued, "invocation ends")
		if stored := w.record(r.ID); stored.PurgedThrough != gone || stored.Attempts != 0 || stored.Holder != "" {
			t.Fatalf("purged through %d after %d, attempts %d, holder %q", stored.PurgedThrough, gone, stored.Attempts, stored.Holder)
		}
		w.clock.advance(o.Hide)
	}
	if invocations < 3 || gone != 10_000 || len(w.store.deletes) != 10 {
		t.Fatalf("%d invocations, %d gone, %d calls: want several, 10000 and 10", invocations, gone, len(w.store.deletes))
	}
	w.wantStanding(0)
	w.wantDepth(0)
}

// Without coalescing, each upload would cost a delete call of its own.
func TestDeletesOfABatchAreCoalescedAndEachUploadCostsOneReadAndTwoWrites(t *testing.T) {
	w := newPurgeWorld(t)
	for i := range 300 {
		w.received(fmt.Sprintf("u%03d", i), 10, 10)
	}
	var due []upload.Record
	for i := range 300 {
		due = append(due, w.apply(purgeID(fmt.Sprintf("u%03d", i)), upload.Cancel{Fence: 1, Reason: "test"}))
	}
	w.clock.to(due[299].DueAt.Add(w.policy.SafetyMargin))
	w.send(due...)
	for _, o := range w.purge() {
		w.wantOutcome(o, cleanup.KindDeleted, "")
	}
	if calls := len(w.store.deletes); calls != 3 {
		t.Fatalf("%d delete calls for 3000 objects, want 3", calls)
	}
	if w.store.listings+w.store.stats+w.store.aborts != 0 {
		t.Fatal("something was looked up that is known")
	}
	if w.records.reads != 1 || len(w.records.writes) != 600 {
		t.Fatalf("%d reads and %d writes, want 1 batch and 600", w.records.reads, len(w.records.writes))
	}
	w.wantStanding(0)
}

func TestMoreThanAThousandVersionsOfOneKey(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.received("u1", 2, 1)
	for range 1500 {
		w.store.Write(purgeBucket, r.ObjectKey(upload.Key{Attempt: 1, Seq: 2}), []byte("d"), time.Time{})
	}
	w.store.Mark(purgeBucket, r.ObjectKey(upload.Key{Attempt: 1, Seq: 2}))
	r = w.apply(r.ID, upload.Cancel{Fence: 1, Reason: "test"})
	w.clock.to(r.DueAt.Add(w.policy.SafetyMargin))
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindDeleted, "")
	if o.Gone != 2 {
		t.Fatalf("%d objects gone, want the 2 that were declared", o.Gone)
	}
	for _, call := range w.store.deletes {
		if len(call) > objects.MaxPerDelete {
			t.Fatalf("a call of %d versions", len(call))
		}
	}
	w.wantStanding(0)
}

func TestUploadsOfTwoBucketsAreNotMixedInOneCall(t *testing.T) {
	w := newPurgeWorld(t)
	w.store.CreateBucket("elsewhere", stores.BucketOptions{})
	a := w.cancelled("a", 2, 2)
	v := w.store.Write("elsewhere", "k", []byte("d"), time.Time{})
	b := w.apply(purgeID("b"), upload.Adopt{ID: purgeID("b"), Source: "test", Objects: []upload.Explicit{{
		Bucket: "elsewhere", Key: "k", VersionID: v.VersionID, ETag: v.ETag, Size: v.Size, LastModified: v.LastModified,
	}}})
	w.clock.to(b.DueAt.Add(w.policy.SafetyMargin))
	w.send(a, b, w.cancelled("c", 2, 2))
	for _, o := range w.purge() {
		w.wantOutcome(o, cleanup.KindDeleted, "")
	}
	if len(w.store.deletes) != 2 {
		t.Fatalf("%d calls, want one for each bucket", len(w.store.deletes))
	}
}
