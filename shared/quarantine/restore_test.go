package quarantine_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// A restore before the claim guarantees that nothing is deleted, whenever a
// worker comes. Were the record only moved, or the hold only opened, the worker
// would delete what was restored.
func TestRestoredVersionIsNeverClaimed(t *testing.T) {
	w := newWorld(t)
	approved, err := w.approve()
	must(t, err)
	h, err := w.restore()
	must(t, err)
	w.stands(1, 0)
	if h.State != hold.Open || h.Who != "ann" || h.Adopted != (upload.ID{}) {
		t.Errorf("the hold is %+v", h)
	}
	w.now = w.now.Add(2 * w.policy.QuarantineFor)
	if err := w.claim(approved.Adopted); err == nil {
		t.Error("it was claimed")
	}
}

func TestRestoreAfterTheClaimIsTooLate(t *testing.T) {
	w := newWorld(t)
	h, err := w.approve()
	must(t, err)
	w.now = h.When.Add(w.policy.QuarantineFor + w.policy.SafetyMargin)
	must(t, w.claim(h.Adopted))
	if _, err := w.restore(); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("error is %v", err)
	}
	w.stands(1, 1)
	if got := w.get(); got.State != hold.Approved || got.Marker != h.Marker {
		t.Errorf("a restore that came too late has changed the hold: %+v", got)
	}
}

// Of a claim and a restore at the same moment exactly one wins: the record's
// version decides.
func TestClaimAndRestoreRaceAndOneWins(t *testing.T) {
	for range 50 {
		w := newWorld(t)
		h, err := w.approve()
		must(t, err)
		w.now = h.When.Add(w.policy.QuarantineFor + w.policy.SafetyMargin)
		var claimed, restored error
		var both sync.WaitGroup
		both.Go(func() { claimed = w.claim(h.Adopted) })
		both.Go(func() { _, restored = w.restore() })
		both.Wait()
		if (claimed == nil) == (restored == nil) {
			t.Fatalf("claim: %v, restore: %v", claimed, restored)
		}
		if state := w.record(h.Adopted).State; (state == upload.StateDeleting) != (claimed == nil) {
			t.Fatalf("claim: %v, and the record is %s", claimed, state)
		}
	}
}

func TestApprovedAgainAfterARestoreIsARecordOfItsOwn(t *testing.T) {
	w := newWorld(t)
	first, err := w.approve()
	must(t, err)
	_, err = w.restore()
	must(t, err)
	w.now = w.now.Add(time.Hour)
	second, err := w.approve()
	must(t, err)
	w.stands(1, 1)
	r := w.record(second.Adopted)
	if second.Adopted == first.Adopted || r.State != upload.StateCancelled || !r.DueAt.Equal(w.now.Add(w.policy.QuarantineFor)) {
		t.Errorf("first %v, then %v: %+v", first.Adopted, second.Adopted, r)
	}
}

// Holds are forgotten some time after they are closed, with the number of their
// restores; records of old approvals may still be there.
func TestForgottenRestoresDoNotHinderANewApproval(t *testing.T) {
	w := newWorld(t)
	_, err := w.approve()
	must(t, err)
	h, err := w.restore()
	must(t, err)
	h.Restored = 0
	_, err = w.desk.Book.Put(t.Context(), h, w.now)
	must(t, err)
	again, err := w.approve()
	must(t, err)
	if r := w.record(again.Adopted); r.State != upload.StateCancelled || again.Restored != 1 {
		t.Errorf("the record is %s of %+v", r.State, again)
	}
}

func TestRestoreOfWhatIsNotApprovedIsRefused(t *testing.T) {
	w := newWorld(t)
	if _, err := w.restore(); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("error is %v", err)
	}
	if w.get().State != hold.Open {
		t.Error("it has changed the hold")
	}
}

// An approval that is under way while a restore runs must not leave a record
// behind: without the tombstone that a restore makes, the version would be
// deleted although its hold is open again.
func TestApprovalUnderWayDuringARestoreLeavesNothingCondemned(t *testing.T) {
	w := newWorld(t)
	w.desk.Records = pausing{records{w.ledger, w.faults}, func() {
		other := *w
		other.desk.Records = records{w.ledger, w.faults}
		_, err := other.restore()
		must(t, err)
	}}
	if _, err := w.approve(); err == nil {
		t.Error("the approval went through")
	}
	h := w.get()
	w.stands(1, 0)
	if h.State != hold.Open {
		t.Errorf("the hold is %+v", h)
	}
	if r := w.record(upload.AdoptedID(bucket, key, w.orphan.VersionID, 0)); !r.Withdrawn() {
		t.Errorf("a record is %s, with %d versions", r.State, r.Declared())
	}
}

// pausing lets somebody else act just before the first record is written.
type pausing struct {
	records
	before func()
}

func (p pausing) Commit(ctx context.Context, c upload.Change) error {
	p.before()
	return p.records.Commit(ctx, c)
}

// Dying between any two writes of an approval, before or after the write was
// done, leaves something that the next approval completes, or a restore takes
// back.
func TestCrashAnywhereIsCompletedByARepetition(t *testing.T) {
	calm := newWorld(t)
	start := calm.faults.writes
	_, err := calm.approve()
	must(t, err)
	writes := calm.faults.writes - start
	if writes != 4 {
		t.Fatalf("an approval writes %d times", writes)
	}
	for n := 1; n <= writes; n++ {
		for _, after := range []bool{false, true} {
			crash := func() *world {
				w := newWorld(t)
				w.faults.at, w.faults.after = w.faults.writes+n, after
				if _, err := w.approve(); !errors.Is(err, errCrash) {
					t.Fatalf("write %d, done %v: %v", n, after, err)
				}
				w.now = w.now.Add(time.Minute)
				return w
			}
			w := crash()
			h, err := w.approve()
			if err != nil || h.State != hold.Approved || h.Marker.VersionID == "" || w.record(h.Adopted).State != upload.StateCancelled {
				t.Errorf("write %d, done %v, repeated: %v, %+v", n, after, err, h)
			}
			w.stands(1, 1)
			w = crash()
			if w.get().State == hold.Open {
				continue // nothing was done
			}
			if _, err := w.restore(); err != nil {
				t.Errorf("write %d, done %v, restored: %v", n, after, err)
			}
			w.stands(1, 0)
			expectNothingCondemned(t, w)
		}
	}
}

func expectNothingCondemned(t *testing.T, w *world) {
	t.Helper()
	w.now = w.now.Add(2 * w.policy.QuarantineFor)
	if err := w.claim(upload.AdoptedID(bucket, key, w.orphan.VersionID, 0)); err == nil {
		t.Error("what was restored can be claimed")
	}
	if w.get().State != hold.Open {
		t.Errorf("the hold is %+v", w.get())
	}
}

func TestCrashInARestoreIsCompletedByARepetition(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for _, after := range []bool{false, true} {
			w := newWorld(t)
			_, err := w.approve()
			must(t, err)
			w.faults.at, w.faults.after = w.faults.writes+n, after
			if _, err := w.restore(); !errors.Is(err, errCrash) {
				t.Fatalf("write %d, done %v: %v", n, after, err)
			}
			if w.get().State == hold.Approved {
				if _, err := w.approve(); n > 1 && !errors.Is(err, upload.ErrRefused) {
					t.Errorf("write %d, done %v: approved in the middle of a restore: %v", n, after, err)
				}
				_, err := w.restore()
				must(t, err)
			}
			w.stands(1, 0)
			expectNothingCondemned(t, w)
		}
	}
}

// The null version of a key is purged, and another object written in its place
// is held: without a record of its own, its approval would be taken for the old
// one, and never lead to anything.
func TestAnotherNullVersionUnderTheKeyIsARecordOfItsOwn(t *testing.T) {
	w := newWorldOf(t, key, stores.Never)
	w.desk.Policy.DeleteNullVersions = true
	first, err := w.approve()
	must(t, err)
	w.now = w.now.Add(w.policy.QuarantineFor + w.policy.SafetyMargin)
	must(t, w.claim(first.Adopted))
	r := w.record(first.Adopted)
	w.commit(r, upload.Finish{Fence: r.Fence, Gone: 1})
	must(t, w.store.Remove(bucket, key, w.orphan.VersionID))
	_, err = w.desk.Book.Close(t.Context(), w.get(), "purged", w.now)
	must(t, err)
	w.store.CreateBucket(bucket, stores.BucketOptions{Versioning: stores.Never})
	w.orphan = w.store.Write(bucket, key, []byte("another"), w.now.Add(-time.Hour))
	w.store.CreateBucket(bucket, stores.BucketOptions{})
	w.hold = w.held(w.orphan)
	w.run("run-1")
	second, err := w.approve()
	must(t, err)
	if r := w.record(second.Adopted); second.Adopted == first.Adopted || r.State != upload.StateCancelled || r.Bytes != 7 {
		t.Errorf("the record is %s of %+v", r.State, second)
	}
}
