package cleanup_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Without looking up one declared key in the listing, what its prefix matches
// beside it would be asked for (and the warrant would refuse the whole upload).
func TestWriterThatDiedBeforeRecordingIsListedAndOnlyDeclaredKeysGo(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 0)
	w.store.Mark(purgeBucket, r.ObjectKey(upload.Key{Attempt: 1, Seq: 1}))
	for _, key := range []string{"1/10", "1/2x", "1/3", "2/1", "note"} {
		w.store.Write(purgeBucket, r.Folder()+key, []byte("keep"), time.Time{})
	}
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	w.wantStanding(5)
	if w.store.listings != 1 {
		t.Fatalf("%d listings, want 1", w.store.listings)
	}
}

func TestFailedListingDeletesNothing(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 0)
	w.store.listing = func() error { return fmt.Errorf("page 2: %w", upload.ErrUnclear) }
	w.wantOutcome(w.one(r), cleanup.KindRetrying, "list")
	w.wantStanding(2)
}

// Without a bound of its own, an upload that cannot be listed within an
// invocation would take the worker down with it at every return, and no attempt
// would ever be counted.
func TestUploadThatCannotBeListedInTimeCountsAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPurgeWorld(t)
		r := w.cancelled("u1", 2, 0)
		endless := &endlessListing{Store: w.store}
		w.worker.Store = endless
		o := w.one(r)
		w.wantOutcome(o, cleanup.KindRetrying, "list: takes longer than an invocation")
		if w.record(r.ID).Attempts != 1 {
			t.Fatalf("%d attempts, want 1", w.record(r.ID).Attempts)
		}
		w.wantStanding(2)
	})
}

// endlessListing never ends before its context does.
type endlessListing struct{ cleanup.Store }

func (endlessListing) Versions(ctx context.Context, _, _ string) iter.Seq2[objects.Version, error] {
	return func(yield func(objects.Version, error) bool) {
		<-ctx.Done()
		yield(objects.Version{}, ctx.Err())
	}
}

// Without the sweep, a multipart upload whose writer died before it said so
// could still be completed; without aborting before the listing, so could any.
func TestEveryMultipartUploadOnADeclaredKeyIsAborted(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.received("u1", 2, 1)
	key := r.ObjectKey(upload.Key{Attempt: 1, Seq: 1})
	begin := func(key string) string {
		id, err := w.store.BeginMultipart(t.Context(), purgeBucket, key, "")
		w.must(err)
		return id
	}
	known := []upload.Multipart{
		{Key: upload.Key{Attempt: 1, Seq: 1}, UploadID: begin(key)},
		{Key: upload.Key{Attempt: 1, Seq: 1}, UploadID: begin(key)},
	}
	w.apply(r.ID, upload.Declare{Fence: 1, Declared: 2, Multiparts: known})
	begin(r.ObjectKey(upload.Key{Attempt: 1, Seq: 2})) // never declared: its writer died
	begin(r.Folder() + "other")                        // nobody's key
	r = w.apply(r.ID, upload.Cancel{Fence: 1, Reason: "test"})
	w.clock.to(r.DueAt.Add(w.policy.SafetyMargin))
	// One that is completed after the listing would stand.
	w.store.listing = func() error {
		for m, err := range w.store.Multiparts(t.Context(), purgeBucket, "") {
			w.must(err)
			if m.Key != r.Folder()+"other" {
				t.Error("versions were listed while a multipart upload could still end")
			}
		}
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	left := 0
	for m, err := range w.store.Multiparts(t.Context(), purgeBucket, "") {
		w.must(err)
		left++
		if m.Key != r.Folder()+"other" {
			t.Fatal("a multipart upload on a declared key is left")
		}
	}
	if left != 1 {
		t.Fatalf("%d multipart uploads are left, want the one nobody declared", left)
	}
}

func TestOneLockedVersionAmongTenIsRetainedAndPurgedAfterItsDate(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.received("u1", 10, 10)
	locked := r.Manifest.Objects[4]
	until := w.clock.now().Add(90 * 24 * time.Hour)
	w.must(w.store.Lock(purgeBucket, r.ObjectKey(locked.Key), locked.VersionID, stores.Lock{Until: until}))
	r = w.apply(r.ID, upload.Cancel{Fence: 1, Reason: "test"})
	w.clock.to(r.DueAt.Add(w.policy.SafetyMargin))

	o := w.one(r)
	w.wantOutcome(o, cleanup.KindRetained, objects.ReasonLock)
	if o.Gone != 9 || o.Retained.Count != 1 {
		t.Fatalf("gone %d, retained %d: want 9 and 1", o.Gone, o.Retained.Count)
	}
	w.wantStanding(1)
	w.wantDepth(0)
	stored := w.wantState(r.ID, upload.StateDeleted)
	if !stored.DueAt.Equal(until) {
		t.Fatalf("due at %v, want the lock's %v", stored.DueAt, until)
	}
	w.wantOutcome(w.one(stored), cleanup.KindSkipped, "already deleted")

	w.clock.to(until.Add(w.policy.SafetyMargin + time.Second))
	w.wantOutcome(w.one(stored), cleanup.KindDeleted, "")
	w.wantStanding(0)
	if stored := w.wantState(r.ID, upload.StateDeleted); stored.Retained.Count != 0 || !stored.DueAt.IsZero() {
		t.Fatalf("retained %d, due %v: want none, never", stored.Retained.Count, stored.DueAt)
	}
}

func TestLegalHoldIsLookedAtAgainTheNextDay(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 1, 1)
	o := r.Manifest.Objects[0]
	w.must(w.store.SetLegalHold(purgeBucket, r.ObjectKey(o.Key), o.VersionID, true))
	w.wantOutcome(w.one(r), cleanup.KindRetained, objects.ReasonLegalHold)
	stored := w.record(r.ID)
	if want := w.clock.now().Add(24 * time.Hour); !stored.DueAt.Equal(want) {
		t.Fatalf("due at %v, want %v", stored.DueAt, want)
	}
}

// Without the look before the delete, an object that was written anew under a
// null version would go.
func TestExplicitObjectsGoOnlyUnchanged(t *testing.T) {
	w := newPurgeWorld(t)
	same := w.store.Write(purgeBucket, "same", []byte("d"), time.Time{})
	changed := w.store.Write(purgeBucket, "changed", []byte("d"), time.Time{})
	absent := w.store.Write(purgeBucket, "absent", []byte("d"), time.Time{})
	changed.ETag = "another"
	absent.VersionID = "gone-already"
	r := w.adopted("orphans", same, changed, absent)
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindRetained, "changed since condemned")
	if o.Gone != 2 || o.Retained.Count != 1 || w.store.stats != 3 {
		t.Fatalf("gone %d, retained %d, stats %d: want 2, 1 and 3", o.Gone, o.Retained.Count, w.store.stats)
	}
	w.wantStanding(2)
}

// A version that was nobody's when it was condemned has an upload by the time
// of its purge. Without asking the key once more, a live object would go.
func TestExplicitObjectThatAnUploadOwnsByNowIsKept(t *testing.T) {
	w := newPurgeWorld(t)
	live := w.completed("live", 1, 1)
	o := live.Manifest.Objects[0]
	facts, err := w.store.Stat(t.Context(), purgeBucket, live.ObjectKey(o.Key), o.VersionID)
	w.must(err)
	r := w.adopted("orphan", objects.Version{
		Key: live.ObjectKey(o.Key), VersionID: o.VersionID, ETag: facts.ETag, Size: facts.Size, LastModified: facts.LastModified,
	})
	w.wantOutcome(w.one(r), cleanup.KindRetained, "its key's upload owns it")
	w.wantStanding(1)
}

// A bucket was restored by copies while a release of one of them waited: the
// version that the ledger promises is gone, and the copy is all that is left.
func TestTheLastVersionUnderALiveUploadsKeyIsKept(t *testing.T) {
	w := newPurgeWorld(t)
	live := w.completed("live", 1, 1)
	o := live.Manifest.Objects[0]
	r := w.adopted("orphan", w.store.Write(purgeBucket, live.ObjectKey(o.Key), []byte("copy"), time.Time{}))
	w.must(w.store.Remove(purgeBucket, live.ObjectKey(o.Key), o.VersionID))
	w.wantOutcome(w.one(r), cleanup.KindRetained, "its key's upload owns it")
	w.wantStanding(1)

	stray := w.completed("whole", 1, 1)
	r = w.adopted("stray", w.store.Write(purgeBucket, stray.ObjectKey(stray.Manifest.Objects[0].Key), []byte("stray"), time.Time{}))
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	w.wantStanding(2)
}

func TestNullVersionsAreKeptUnlessPolicyAllowsThem(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		w := newPurgeWorld(t)
		w.store.CreateBucket(purgeBucket, stores.BucketOptions{Versioning: stores.Never})
		old := w.store.Write(purgeBucket, "old", []byte("d"), time.Time{})
		w.store.CreateBucket(purgeBucket, stores.BucketOptions{})
		w.worker.Policy.DeleteNullVersions = allowed
		o := w.one(w.adopted("old", old))
		if allowed {
			w.wantOutcome(o, cleanup.KindDeleted, "")
			w.wantStanding(0)
			continue
		}
		w.wantOutcome(o, cleanup.KindRetained, "null version")
		w.wantStanding(1)
	}
}

func TestTrimDeletesTheSupersededOnly(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.completed("u1", 5, 3)
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindTrimmed, "")
	if o.Gone != 2 {
		t.Fatalf("%d gone, want 2", o.Gone)
	}
	w.wantStanding(3)
	stored := w.wantState(r.ID, upload.StateComplete)
	if !stored.Trimmed || !stored.DueAt.IsZero() || stored.Fence != r.Fence {
		t.Fatalf("trimmed %v, due %v, fence %d", stored.Trimmed, stored.DueAt, stored.Fence)
	}
}

func TestUnclearTrimIsNotedListedAndClosedOnItsOwnNewVersion(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.completed("u1", 5, 3)
	w.store.answered = func(_ int, results []objects.Result) {
		for i := range results {
			results[i].Outcome = objects.Unclear
		}
	}
	w.wantOutcome(w.one(r), cleanup.KindTrimmed, "")
	if stored := w.record(r.ID); stored.UncertainAt.IsZero() || w.store.listings != 1 || len(w.store.deletes) != 1 {
		t.Fatalf("uncertain at %v, %d listings, %d deletes", stored.UncertainAt, w.store.listings, len(w.store.deletes))
	}
	w.wantStanding(3)
}

func TestDeniedTrimComesBackWithoutAWrite(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.completed("u1", 2, 1)
	w.store.deleting = func(_ int, v []upload.Condemned) []objects.Result {
		return everyResult(v, objects.Denied, "AccessDenied")
	}
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindRetrying, "access denied")
	if w.record(r.ID).Version != r.Version || o.Hide != cleanup.Backoff(1) {
		t.Fatalf("version %d, hidden for %v", w.record(r.ID).Version, o.Hide)
	}
}

func TestReopenedTombstoneIsListedAndPurged(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	w.store.Write(purgeBucket, r.ObjectKey(upload.Key{Attempt: 1, Seq: 2}), []byte("late"), time.Time{})
	stored := w.apply(r.ID, upload.Reopen{Undead: true})
	w.wantOutcome(w.one(stored), cleanup.KindDeleted, "")
	w.wantStanding(0)
	if w.store.listings != 1 {
		t.Fatalf("%d listings, want 1", w.store.listings)
	}
}
