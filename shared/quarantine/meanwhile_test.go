package quarantine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/upload"
)

// A run that met the version and could not judge it keeps its hold, and is no
// word for its approval: the version may have an owner by now. Were being met
// enough, what the latest run calls a conflict, or not checkable, could be
// condemned.
func TestHoldThatTheLatestRunMetAndCouldNotJudgeIsNotApproved(t *testing.T) {
	w := newWorld(t)
	must(t, w.desk.Book.Touch(t.Context(), w.hold.Subject, hold.Sighting{Run: "run-2", Inventory: w.now}, w.now))
	w.run("run-2")
	expectRefused(t, w, "the latest run did not find it unowned")
}

// A restore that comes while the marker is being placed takes the approval
// back. Without a look at the hold afterwards the marker would stay: nobody
// knows its id, and it hides what was restored.
func TestMarkerThatIsPlacedAfterARestoreIsTakenAwayAgain(t *testing.T) {
	w := newWorld(t)
	w.desk.Markers = placingLate{marking{w.store, w.faults}, func() {
		_, err := w.restore()
		must(t, err)
	}}
	if _, err := w.approve(); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("error is %v", err)
	}
	w.stands(1, 0)
	if h := w.get(); h.State != hold.Open || h.Marker != (hold.Marker{}) {
		t.Errorf("the hold is %+v", h)
	}
}

// A run that sees the hold while the marker is being placed changes it, and
// not what was decided.
func TestMarkerIsNotedThoughARunHasSeenTheHoldMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.desk.Markers = placingLate{marking{w.store, w.faults}, func() {
		must(t, w.desk.Book.Touch(t.Context(), w.hold.Subject, hold.Sighting{Run: "run-2", Inventory: w.now}, w.now))
	}}
	h, err := w.approve()
	must(t, err)
	w.stands(1, 1)
	if got := w.get(); got.Marker.VersionID == "" || got.Marker != h.Marker {
		t.Errorf("the hold's marker is %+v", got.Marker)
	}
}

// placingLate lets somebody else act just before a marker is placed.
type placingLate struct {
	marking
	before func()
}

func (p placingLate) PlaceMarker(ctx context.Context, bucket, key, etag string) (string, error) {
	p.before()
	return p.marking.PlaceMarker(ctx, bucket, key, etag)
}

// An approval that is given again finds that a marker was intended. The key may
// have an owner by now: a marker would hide what is theirs.
func TestKeyThatHasAnOwnerByNowIsNotHiddenByARepetition(t *testing.T) {
	w := newWorld(t)
	w.faults.at = w.faults.writes + 2 // the record; the hold is approved before
	if _, err := w.approve(); !errors.Is(err, errCrash) {
		t.Fatalf("error is %v", err)
	}
	_, _, err := w.desk.Book.See(t.Context(), hold.Seen{
		Subject: w.hold.Subject, Size: w.hold.Size, ETag: w.hold.ETag, LastModified: w.hold.LastModified,
		KeyKnown: true, Latest: true, By: hold.Sighting{Run: "run-2", Inventory: w.now},
	}, w.now)
	must(t, err)
	w.run("run-2")
	h, err := w.approve()
	must(t, err)
	w.stands(1, 0)
	if h.Marker != (hold.Marker{}) {
		t.Errorf("the hold's marker is %+v", h.Marker)
	}
}
