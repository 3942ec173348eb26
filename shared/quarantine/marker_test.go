package quarantine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestOrphanThatIsNotTheCurrentVersionIsNotHidden(t *testing.T) {
	for name, above := range map[string]func(w *world){
		"another version above it":          func(w *world) { w.store.Write(bucket, key, []byte("newer"), noon) },
		"somebody's delete marker above it": func(w *world) { w.store.Mark(bucket, key) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			above(w)
			v, m := w.standing()
			h, err := w.approve()
			must(t, err)
			w.stands(v, m)
			if h.State != hold.Approved || h.Marker != (hold.Marker{}) {
				t.Errorf("the hold is %+v", h)
			}
			// And a restore takes nothing away that is not ours.
			_, err = w.restore()
			must(t, err)
			w.stands(v, m)
		})
	}
}

// meddling does something just before a marker is placed, in a store that has
// no If-Match.
type meddling struct {
	marking
	before func()
}

func (m meddling) PlaceMarker(ctx context.Context, bucket, key, _ string) (string, error) {
	m.before()
	return m.Mark(bucket, key).VersionID, nil
}

// Without the listing afterwards, a store without If-Match would leave an
// object hidden that was written between the look and the marker.
func TestMarkerOverAnythingElseIsTakenAwayAgain(t *testing.T) {
	w := newWorld(t)
	w.desk.Markers = meddling{marking{w.store, w.faults}, func() { w.store.Write(bucket, key, []byte("live"), w.now) }}
	h, err := w.approve()
	must(t, err)
	w.stands(2, 0)
	if h.State != hold.Approved || h.Marker != (hold.Marker{}) || w.get().Marker != (hold.Marker{}) {
		t.Errorf("the hold is %+v", h)
	}
}

// With If-Match the same write keeps the marker from being placed at all.
func TestWriteBetweenLookAndMarkerLeavesNoMarker(t *testing.T) {
	w := newWorld(t)
	w.desk.Markers = refusing{marking{w.store, w.faults}, func() { w.store.Write(bucket, key, []byte("live"), w.now) }}
	h, err := w.approve()
	must(t, err)
	w.stands(2, 0)
	if h.State != hold.Approved || h.Marker != (hold.Marker{}) {
		t.Errorf("the hold is %+v", h)
	}
}

type refusing struct {
	marking
	before func()
}

func (r refusing) PlaceMarker(ctx context.Context, bucket, key, etag string) (string, error) {
	r.before()
	return r.marking.PlaceMarker(ctx, bucket, key, etag)
}

// unclear places the marker, and its answer is lost.
type unclear struct{ marking }

func (u unclear) PlaceMarker(_ context.Context, bucket, key, _ string) (string, error) {
	u.Mark(bucket, key)
	return "", upload.ErrUnclear
}

func TestMarkerWhoseAnswerWasLostIsFoundAndNoSecondPlaced(t *testing.T) {
	w := newWorld(t)
	w.desk.Markers = unclear{marking{w.store, w.faults}}
	h, err := w.approve()
	must(t, err)
	w.stands(1, 1)
	w.desk.Markers = marking{w.store, w.faults}
	if _, err := w.restore(); err != nil || h.Marker.VersionID == "" {
		t.Errorf("%v: the hold is %+v", err, h)
	}
	w.stands(1, 0)
}

// A marker that stood before the approval was somebody's own delete: without
// the instant of the intent it would be taken for ours, and a restore would
// bring back what a user had deleted.
func TestOldMarkerIsNotTakenForOurs(t *testing.T) {
	w := newWorld(t)
	w.faults.at = 1 // dies right after it has written its intent
	w.faults.after = true
	w.faults.writes = 0
	if _, err := w.approve(); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	w.now = w.now.Add(-time.Hour) // a marker that is an hour older than the intent
	w.store.Mark(bucket, key)
	w.now = w.now.Add(time.Hour)
	h, err := w.approve()
	must(t, err)
	w.stands(1, 1)
	if h.Marker != (hold.Marker{}) {
		t.Errorf("the hold has a marker that is not ours: %+v", h.Marker)
	}
	_, err = w.restore()
	must(t, err)
	w.stands(1, 1)
}

// suspending is a bucket whose versioning is suspended just before the marker
// is placed: the marker is then the null version, which does not identify it.
type suspending struct{ marking }

func (s suspending) PlaceMarker(_ context.Context, bucket, key, _ string) (string, error) {
	s.CreateBucket(bucket, stores.BucketOptions{Versioning: stores.Suspended})
	s.Mark(bucket, key)
	return "", upload.ErrUnclear
}

// Were it taken for the hold's own, a restore would have to remove "the null
// version", whatever that is by then.
func TestMarkerThatIsTheNullVersionIsNeverTakenForOurs(t *testing.T) {
	w := newWorld(t)
	w.desk.Markers = suspending{marking{w.store, w.faults}}
	if _, err := w.approve(); !errors.Is(err, upload.ErrUnclear) {
		t.Errorf("error is %v", err)
	}
	h, err := w.restore()
	must(t, err)
	w.stands(1, 1)
	if h.State != hold.Open {
		t.Errorf("the hold is %+v", h)
	}
}
