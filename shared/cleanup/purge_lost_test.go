package cleanup_test

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Without looking for its own token, a worker whose answer was lost would take
// its own claim for another's, and leave the upload for a whole lease.
func TestClaimWhoseAnswerWasLostIsRecognised(t *testing.T) {
	for _, lost := range []error{upload.ErrUnclear, upload.ErrChanged} {
		for _, event := range []upload.Kind{upload.KindClaim, upload.KindFinish} {
			w := newPurgeWorld(t)
			r := w.cancelled("u1", 2, 2)
			w.records.after = func(c upload.Change) error {
				if c.Event == event {
					return lost
				}
				return nil
			}
			w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
			w.wantState(r.ID, upload.StateDeleted)
		}
	}
}

func TestTrimWhoseAnswerWasLostIsRecognised(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.completed("u1", 3, 2)
	w.records.after = func(upload.Change) error { return upload.ErrUnclear }
	w.wantOutcome(w.one(r), cleanup.KindTrimmed, "")
	w.wantStanding(2)
}

// Without comparing what it left, another worker's trim would be taken for its
// own, and what is retained said to be gone.
func TestTrimOfAnotherWorkerIsNotTakenForItsOwn(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.completed("u1", 3, 2)
	w.records.before = func(c upload.Change) error {
		w.records.before = nil
		kept := upload.Retained{Count: 1, Until: w.clock.now().Add(time.Hour), Reason: "locked"}
		w.apply(r.ID, upload.Trim{Version: r.Version, Cutoff: w.order(r).Cutoff, Retained: kept})
		return upload.ErrUnclear
	}
	w.wantOutcome(w.one(r), cleanup.KindSkipped, "")
}

// Without the note on the record, a worker that dies here leaves one that
// repeats the delete without looking.
func TestDeleteWhoseAnswerWasLostIsNotedListedAndNotRepeated(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 3, 3)
	w.store.answered = func(_ int, results []objects.Result) {
		for i := range results {
			results[i].Outcome = objects.Unclear
		}
	}
	w.store.listing = func() error {
		if w.record(r.ID).UncertainAt.IsZero() {
			t.Error("listed before the uncertainty was on the record")
		}
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	if len(w.store.deletes) != 1 || w.store.listings != 1 {
		t.Fatalf("%d delete calls and %d listings, want 1 and 1", len(w.store.deletes), w.store.listings)
	}
	if w.record(r.ID).UncertainAt.IsZero() {
		t.Fatal("the uncertainty is not on the record")
	}
}

// Without deciding from what is seen, the version that is gone would be deleted
// a second time.
func TestUnclearDeleteRepeatsOnlyWhatStillStands(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 3, 3)
	w.store.deleting = func(call int, v []upload.Condemned) []objects.Result {
		if call == 1 {
			w.store.Store.Delete(t.Context(), purgeBucket, v[:1])
			return everyResult(v, objects.Unclear, "InternalError")
		}
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	if n := len(w.store.deletes[1]); len(w.store.deletes) != 2 || n != 2 {
		t.Fatalf("%d calls, %d versions in the second, want 2 and 2", len(w.store.deletes), n)
	}
	w.wantStanding(0)
}

// Without comparing the answer with what was asked, a version that nobody
// answered for would count as gone.
func TestShortAnswerOfTheStoreIsUnclear(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 3, 3)
	w.store.deleting = func(call int, v []upload.Condemned) []objects.Result {
		if call == 1 {
			return w.store.Store.Delete(t.Context(), purgeBucket, v)[:2]
		}
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	if w.record(r.ID).UncertainAt.IsZero() {
		t.Fatal("the uncertainty is not on the record")
	}
}

// Without comparing for which version an answer is, the one that still stands
// would count as gone.
func TestAnswerForAnotherVersionIsUnclear(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.store.deleting = func(call int, v []upload.Condemned) []objects.Result {
		if call == 1 {
			gone := w.store.Store.Delete(t.Context(), purgeBucket, v[:1])
			return append(gone, gone...)
		}
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	w.wantStanding(0)
}

// Without forgetting what was listed before, a delete that was done is repeated
// blindly.
func TestDeleteThatIsUnclearAfterAListingIsListedAnew(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.store.deleting = func(call int, v []upload.Condemned) []objects.Result {
		if call == 3 {
			w.store.Store.Delete(t.Context(), purgeBucket, v)
		}
		return everyResult(v, objects.Unclear, "")
	}
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindRetrying, "unclear")
	w.clock.advance(o.Hide)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
	if n := len(w.store.deletes); n != 3 {
		t.Fatalf("%d delete calls, want 3: the third was done", n)
	}
}

func TestUnclearTwiceIsAnAttemptAndListedNextTime(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.store.deleting = func(call int, v []upload.Condemned) []objects.Result {
		if call <= 2 {
			return everyResult(v, objects.Unclear, "")
		}
		return nil
	}
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindRetrying, "unclear")
	listings := w.store.listings
	w.clock.advance(o.Hide)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
	if w.store.listings != listings+1 {
		t.Fatal("the next attempt did not list first")
	}
}
