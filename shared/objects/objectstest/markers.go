package objectstest

import (
	"context"
	"testing"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Markers places and removes delete markers.
type Markers interface {
	PlaceMarker(ctx context.Context, bucket, key, etag string) (versionID string, err error)
	RemoveMarker(ctx context.Context, bucket, key, versionID string) error
}

// RunMarkers runs the suite of the operator's delete markers.
func RunMarkers(t *testing.T, w World, m Markers) {
	for name, run := range map[string]func(*testing.T, World, Markers){
		"a marker hides the version with the ETag, and its removal shows it again": markerHides,
		"another current version is not hidden":                                    markerMatches,
		"a bucket without versioning gets no marker, and keeps its object":         markerNeedsVersioning,
		"only a marker is removed, never an object":                                onlyMarkersGo,
	} {
		t.Run(name, func(t *testing.T) { run(t, w, m) })
	}
}

func etagOf(t *testing.T, w World, bucket, key, versionID string) string {
	t.Helper()
	facts, err := w.Store().Stat(t.Context(), bucket, key, versionID)
	must(t, err)
	return facts.ETag
}

func markerHides(t *testing.T, w World, m Markers) {
	b := w.Bucket(t, Enabled)
	id := w.Write(t, b, "a", "1")
	marker, err := m.PlaceMarker(t.Context(), b, "a", etagOf(t, w, b, "a", id))
	must(t, err)
	stands(t, w, b, "a", id, marker)
	for _, v := range list(t, w, b, "a") {
		if v.Latest != (v.VersionID == marker) || v.Marker != (v.VersionID == marker) {
			t.Errorf("listed: %+v", v)
		}
	}
	must(t, m.RemoveMarker(t.Context(), b, "a", marker))
	stands(t, w, b, "a", id)
	wantKind(t, m.RemoveMarker(t.Context(), b, "a", marker), upload.ErrAbsent)
}

// Without the condition, a marker would hide what somebody has written since
// the operator looked.
func markerMatches(t *testing.T, w World, m Markers) {
	b := w.Bucket(t, Enabled)
	old := w.Write(t, b, "a", "1")
	etag := etagOf(t, w, b, "a", old)
	newer := w.Write(t, b, "a", "2")
	_, err := m.PlaceMarker(t.Context(), b, "a", etag)
	wantKind(t, err, upload.ErrRefused)
	_, err = m.PlaceMarker(t.Context(), b, "a", "")
	wantKind(t, err, upload.ErrRefused)
	_, err = m.PlaceMarker(t.Context(), b, "nothing-here", etag)
	wantKind(t, err, upload.ErrRefused)
	stands(t, w, b, "a", old, newer)
}

// Without the look at the bucket, the request that places a marker would
// destroy the object.
func markerNeedsVersioning(t *testing.T, w World, m Markers) {
	for _, v := range []Versioning{Never, Suspended} {
		b := w.Bucket(t, v)
		w.Write(t, b, "a", "1")
		_, err := m.PlaceMarker(t.Context(), b, "a", etagOf(t, w, b, "a", objects.NullVersion))
		wantKind(t, err, upload.ErrRefused)
		stands(t, w, b, "a", objects.NullVersion)
	}
}

// Without the look at the version, restoring with a wrong id would delete an
// object for good.
func onlyMarkersGo(t *testing.T, w World, m Markers) {
	b := w.Bucket(t, Enabled)
	id := w.Write(t, b, "a", "1")
	wantKind(t, m.RemoveMarker(t.Context(), b, "a", id), upload.ErrRefused)
	wantKind(t, m.RemoveMarker(t.Context(), b, "a", ""), upload.ErrRefused)
	wantKind(t, m.RemoveMarker(t.Context(), b, "a", objects.NullVersion), upload.ErrRefused)
	stands(t, w, b, "a", id)
}
