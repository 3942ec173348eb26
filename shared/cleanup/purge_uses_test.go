package cleanup_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// rows answers what an application's tables would.
type rows struct {
	mu    sync.Mutex
	asked int
	use   source.Use
	err   error
	// meanwhile happens while they are asked.
	meanwhile func()
}

func (r *rows) Used(context.Context, upload.Record) (source.Use, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if r.meanwhile != nil {
		r.meanwhile()
	}
	return r.use, r.err
}

var orderRow = source.Use{Source: "orders", Entity: "ann@example.com/5"}

// published is an upload of two objects that was complete, released, and is due.
func (w *purgeWorld) published(name string) upload.Record {
	w.t.Helper()
	w.completed(name, 2, 2)
	r := w.apply(purgeID(name), upload.Release{Owner: "owner", Reason: "row deleted"})
	w.clock.to(r.DueAt.Add(w.policy.SafetyMargin))
	return r
}

func (w *purgeWorld) oldObject(key string) objects.Version {
	return w.store.Write(purgeBucket, key, []byte("photo"), time.Time{})
}

// Two rows have one object, and one of them was deleted. Without the look before
// the claim, the object goes, and the other row shows nothing.
func TestAReleaseOfAnObjectThatAnotherRowNamesIsDropped(t *testing.T) {
	w := newPurgeWorld(t)
	w.worker.Uses = &rows{use: orderRow}
	r := w.adopted("release-1", w.oldObject("photos/17.jpg"))
	w.wantOutcome(w.one(r), cleanup.KindSkipped, cleanup.SkipReleaseDropped)
	w.wantStanding(1)
	w.wantDepth(0)
	if strings.Contains(w.log.String(), orderRow.Entity) {
		t.Error("the log has the key of a row")
	}
	if got := w.record(r.ID); !got.Withdrawn() || !strings.Contains(got.Reason, "orders") {
		t.Errorf("the record is %s (%s), not withdrawn", got.State, got.Reason)
	}
}

// The second row is deleted too: that is a release of its own, and nothing names
// the object any more. A guard that kept it for good would leave all shared
// objects behind.
func TestAReleaseOfAnObjectThatNoRowNamesGoesOn(t *testing.T) {
	w := newPurgeWorld(t)
	asked := &rows{}
	w.worker.Uses = asked
	r := w.adopted("release-2", w.oldObject("photos/17.jpg"))
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	w.wantStanding(0)
	if asked.asked != 1 {
		t.Errorf("asked %d times", asked.asked)
	}
}

// An upload was complete and was released although a row still names it. The
// row becomes a reference: the upload is published again, and goes when the row
// does. Without that its object is deleted under the row, or kept for ever.
func TestAnUploadThatARowStillNamesIsCompleteAgainUntilTheRowGoes(t *testing.T) {
	w := newPurgeWorld(t)
	asked := &rows{use: orderRow}
	w.worker.Uses = asked
	r := w.published("u-1")
	w.wantOutcome(w.one(r), cleanup.KindSkipped, cleanup.SkipReferenceAdded)
	w.wantStanding(2)
	got := w.wantState(r.ID, upload.StateComplete)
	if got.Refs != 1 || !got.DueAt.IsZero() {
		t.Fatalf("%d references, due %v", got.Refs, got.DueAt)
	}
	for use, err := range w.records.References(t.Context(), r.ID) {
		w.must(err)
		if ref := use.Reference; ref.Source != orderRow.Source || ref.Entity != orderRow.Entity {
			t.Errorf("reference %+v is not the row's", ref)
		}
		got = w.apply(r.ID, upload.DropReference{Reference: use.Reference})
	}
	asked.use = source.Use{}
	w.clock.to(got.DueAt.Add(w.policy.SafetyMargin))
	w.wantOutcome(w.one(got), cleanup.KindDeleted, "")
	w.wantStanding(0)
}

// The same row released, named and released the upload over and over: each time
// is a reference of its own, since an identity is used once.
func TestARowIsAReferenceOfItsUploadAgainAndAgain(t *testing.T) {
	w := newPurgeWorld(t)
	w.worker.Uses = &rows{use: orderRow}
	r := w.published("u-1")
	// What the application counted itself stands in the way of one generation.
	taken := upload.Reference{Source: orderRow.Source, Entity: orderRow.Entity, Generation: r.Version + 2}
	w.apply(r.ID, upload.AddReference{Reference: taken})
	r = w.apply(r.ID, upload.DropReference{Reference: taken})
	for round := range 3 {
		w.clock.to(r.DueAt.Add(w.policy.SafetyMargin))
		w.wantOutcome(w.one(r), cleanup.KindSkipped, cleanup.SkipReferenceAdded)
		for use, err := range w.records.References(t.Context(), r.ID) {
			w.must(err)
			if w.record(r.ID).Refs > 0 && use.Reference.Generation > taken.Generation {
				r, _ = w.tryDrop(r.ID, use.Reference)
			}
		}
		if r = w.wantState(r.ID, upload.StateCancelled); round == 0 && r.Version <= taken.Generation {
			t.Fatal("the generation was not in the way")
		}
	}
}

// tryDrop drops a reference if it is live.
func (w *purgeWorld) tryDrop(id upload.ID, ref upload.Reference) (upload.Record, error) {
	before := w.record(id)
	change, err := upload.Step(w.policy, before, upload.DropReference{Reference: ref}, w.clock.now())
	if err == nil {
		err = w.records.Store.Commit(w.t.Context(), change)
	}
	return w.record(id), err
}

// A hold was over, and the mark is old enough: but a row has named what was
// published meanwhile.
func TestAPublishedUploadWhoseHoldIsOverStaysForARow(t *testing.T) {
	w := newPurgeWorld(t)
	w.worker.Uses = &rows{use: orderRow}
	w.received("u-1", 1, 1)
	w.apply(purgeID("u-1"), upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}, HoldUntil: w.clock.now().Add(time.Hour)})
	w.clock.advance(w.policy.ActivityGrace + w.policy.SafetyMargin + 2*time.Hour)
	r := w.record(purgeID("u-1"))
	r = w.apply(r.ID, upload.Expire{Version: r.Version, Cutoff: w.cutoff()})
	w.clock.advance(w.policy.SecondGrace + w.policy.SafetyMargin + time.Second)
	w.wantOutcome(w.one(r), cleanup.KindSkipped, cleanup.SkipReferenceAdded)
	if got := w.wantState(r.ID, upload.StateComplete); got.Refs != 1 {
		t.Errorf("%d references", got.Refs)
	}
	w.wantStanding(1)
}

// The same content was uploaded again meanwhile, so the upload cannot be live
// beside it. A row names it all the same: nothing is written, nothing deleted,
// and the next pass asks again.
func TestAnUploadThatCannotBePublishedAgainStaysDue(t *testing.T) {
	for name, refusal := range map[string]error{"quota": upload.ErrQuota, "duplicate": upload.ErrDuplicate} {
		t.Run(name, func(t *testing.T) {
			w := newPurgeWorld(t)
			w.worker.Uses = &rows{use: orderRow}
			r := w.published("u-1")
			w.records.before = func(c upload.Change) error {
				if c.Event == upload.KindAddReference {
					return fmt.Errorf("add reference: %w", refusal)
				}
				return nil
			}
			w.wantOutcome(w.one(r), cleanup.KindSkipped, cleanup.SkipReferenced)
			w.wantStanding(2)
			if got := w.wantState(r.ID, upload.StateCancelled); got.Version != r.Version || got.DueAt.IsZero() {
				t.Errorf("version %d, was %d; due %v", got.Version, r.Version, got.DueAt)
			}
		})
	}
}

// A row that has no name of an id's form cannot be a reference. It names the
// upload all the same.
func TestAnUploadThatANamelessRowNamesStaysDue(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.published("u-1")
	for _, entity := range []string{"", strings.Repeat("x", upload.MaxIDBytes+1)} {
		w.worker.Uses = &rows{use: source.Use{Source: "orders", Entity: entity}}
		w.wantOutcome(w.one(r), cleanup.KindSkipped, cleanup.SkipReferenced)
	}
	w.wantStanding(2)
}

// An orphan may be hidden behind a marker that its restore takes away, and was
// approved by a person; of a release of two objects one may have to go. Neither
// is withdrawn, and neither is deleted while a row names something of it.
func TestWhatIsNotOneReleaseStaysDueWhileARowNamesIt(t *testing.T) {
	w := newPurgeWorld(t)
	w.worker.Uses = &rows{use: orderRow}
	several := w.adopted("release-3", w.oldObject("photos/1.jpg"), w.oldObject("photos/2.jpg"))
	v := w.oldObject("photos/3.jpg")
	id := upload.AdoptedID(purgeBucket, v.Key, v.VersionID, 0)
	orphan := w.apply(id, upload.Adopt{ID: id, Source: "hold", Orphan: true, Objects: []upload.Explicit{{
		Bucket: purgeBucket, Key: v.Key, VersionID: v.VersionID, ETag: v.ETag, Size: v.Size, LastModified: v.LastModified,
	}}})
	w.clock.to(orphan.DueAt.Add(w.policy.SafetyMargin))
	for _, r := range []upload.Record{several, orphan} {
		w.wantOutcome(w.one(r), cleanup.KindSkipped, cleanup.SkipReferenced)
		if got := w.wantState(r.ID, upload.StateCancelled); got.DueAt.IsZero() {
			t.Error("it is due never")
		}
	}
	w.wantStanding(3)
}

// A lock kept the object of a release for months, and a row has come to name it
// meanwhile. Not asked before it is opened again, the object goes on the day that
// the lock ends.
func TestWhatALockHasKeptIsAskedForAgainWhenItEnds(t *testing.T) {
	w := newPurgeWorld(t)
	asked := &rows{}
	w.worker.Uses = asked
	v := w.oldObject("photos/17.jpg")
	r := w.adopted("release-1", v)
	w.must(w.store.Lock(purgeBucket, v.Key, v.VersionID, stores.Lock{Until: w.clock.now().Add(90 * 24 * time.Hour)}))
	w.wantOutcome(w.one(r), cleanup.KindRetained, "")
	kept := w.wantState(r.ID, upload.StateDeleted)
	asked.use = orderRow
	for range 2 {
		w.clock.to(w.clock.now().Add(91 * 24 * time.Hour))
		w.wantOutcome(w.one(kept), cleanup.KindSkipped, cleanup.SkipReferenced)
		if got := w.wantState(r.ID, upload.StateDeleted); got.Version != kept.Version || got.DueAt.IsZero() {
			t.Errorf("version %d, was %d; due %v", got.Version, kept.Version, got.DueAt)
		}
	}
	w.wantStanding(1)
	asked.use = source.Use{}
	w.wantOutcome(w.one(kept), cleanup.KindDeleted, "")
	w.wantStanding(0)
}

// What was never published is most of what is purged: to ask for each of its
// objects would cost more than to delete it, and nothing may refer to it.
func TestRowsAreNotAskedForWhatWasNeverPublished(t *testing.T) {
	w := newPurgeWorld(t)
	asked := &rows{use: orderRow}
	w.worker.Uses = asked
	w.wantOutcome(w.one(w.cancelled("u-1", 2, 1)), cleanup.KindDeleted, "")
	w.wantOutcome(w.one(w.expired("u-2", 1)), cleanup.KindDeleted, "")
	if asked.asked > 0 {
		t.Errorf("asked %d times", asked.asked)
	}
}

// A look-up that failed says nothing about rows. Taken for "no row", a throttled
// table loses every object that two rows have. It is no attempt either: a bad
// hour of an application's table would park everything.
func TestALookUpOfRowsThatFailsKeepsAndCountsNoAttempt(t *testing.T) {
	for name, broken := range map[string]error{
		"throttled": fmt.Errorf("query: %w", upload.ErrThrottled), "denied": fmt.Errorf("query: %w", upload.ErrDenied),
		"unclear": upload.ErrUnclear, "late": context.DeadlineExceeded, "anything else": errors.New("no such index"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newPurgeWorld(t)
			asked := &rows{err: broken}
			w.worker.Uses = asked
			r := w.adopted("release-1", w.oldObject("photos/17.jpg"))
			w.send(r)
			for range 2 * w.policy.MaxAttempts {
				for _, o := range w.purge() {
					if o.Done || o.Hide < time.Second || o.Attempt > 0 {
						t.Fatalf("outcome %s (%s), hidden %v, %d attempts", o.Kind, o.Reason, o.Hide, o.Attempt)
					}
				}
				w.clock.advance(2 * time.Minute)
			}
			w.wantStanding(1)
			if got := w.record(r.ID); got.Version != r.Version {
				t.Errorf("version %d, was %d", got.Version, r.Version)
			}
			if name == "denied" && !strings.Contains(w.log.String(), "level=ERROR") {
				t.Error("nobody is told that a right is missing")
			}
			asked.mu.Lock()
			asked.err = nil
			asked.mu.Unlock()
			w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
		})
	}
}

// Rows were asked about one version of the record. A reference that is added
// while they are asked makes another of it; a claim that did not insist on the
// version would delete what was published again a moment ago.
func TestAReferenceAddedWhileRowsAreAskedWins(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.published("u-1")
	w.worker.Uses = &rows{meanwhile: func() {
		w.apply(r.ID, upload.AddReference{Reference: upload.Reference{Source: "orders", Entity: "9", Generation: 1}})
	}}
	w.wantOutcome(w.one(r), cleanup.KindSkipped, "")
	w.wantState(r.ID, upload.StateComplete)
	w.wantStanding(2)
}

// Asking takes time. A claim that began after the invocation's last instant for
// it would be left to its lease.
func TestNothingIsClaimedWhenAskingForRowsTookTooLong(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.adopted("release-1", w.oldObject("photos/17.jpg"))
	w.worker.Uses = &rows{meanwhile: func() { w.clock.advance(w.policy.WorkerTimeout) }}
	if o := w.one(r); o.Done || o.Started {
		t.Fatalf("outcome %s (%s)", o.Kind, o.Reason)
	}
	w.wantState(r.ID, upload.StateCancelled)
	w.wantStanding(1)
}

// Rows are looked at after the wait for a slot: a row that is added while the
// worker waits counts. Asked before the wait, minutes may lie between look and
// claim.
func TestARowThatIsAddedWhileTheWorkerWaitsForASlotCounts(t *testing.T) {
	w := newPurgeWorld(t)
	asked := &rows{}
	w.worker.Uses = asked
	w.must(w.gate.SetRate(t.Context(), 1, 1))
	first := w.adopted("release-1", w.oldObject("photos/1.jpg"))
	w.wantOutcome(w.one(first), cleanup.KindDeleted, "")
	second := w.adopted("release-2", w.oldObject("photos/2.jpg"))
	_, err := w.gate.Reserve(t.Context(), 1) // so that the worker has to wait
	w.must(err)
	w.clock.onSleep = func() { asked.use = orderRow }
	w.wantOutcome(w.one(second), cleanup.KindSkipped, cleanup.SkipReleaseDropped)
	w.wantStanding(1)
}
