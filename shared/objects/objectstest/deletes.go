package objectstest

import (
	"testing"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/uploadtest"
)

var deletes = []test{
	{"exactly the condemned version goes, whether it is the current one or not", exactVersion},
	{"a version that is absent already is gone", absentVersion},
	{"a marker deleted by its id leaves no new marker and shows the object again", markerByID},
	{"the same version asked for twice is answered twice", twice},
	{"the zero Condemned and a version of another bucket are refused, the others go", refusedOnes},
	{"more than 1,000 versions in one call are refused, all of them", tooMany},
	{"a context that is over deletes nothing and says so", contextOver},
	{"nothing to delete is nothing", nothing},
}

// Without the version id, or with "the current version", the wrong object
// would be gone here: this is the guard of the product's first promise.
func exactVersion(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	first, second, third := w.Write(t, b, "a", "1"), w.Write(t, b, "a", "22"), w.Write(t, b, "a", "333")
	deleteAll(t, w, b, condemn(t, b, "a", second))
	stands(t, w, b, "a", first, third)
	deleteAll(t, w, b, condemn(t, b, "a", third))
	stands(t, w, b, "a", first)
}

func absentVersion(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	first, second := w.Write(t, b, "a", "1"), w.Write(t, b, "a", "2")
	both := condemn(t, b, "a", first, second)
	deleteAll(t, w, b, both[:1])
	deleteAll(t, w, b, both)
	deleteAll(t, w, b, both)
	if left := list(t, w, b, ""); len(left) != 0 {
		t.Errorf("deleting what is absent made something: %+v", left)
	}
}

func markerByID(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id := w.Write(t, b, "a", "1")
	marker := w.Mark(t, b, "a")
	deleteAll(t, w, b, condemn(t, b, "a", marker))
	left := list(t, w, b, "a")
	if len(left) != 1 || left[0].Marker || left[0].VersionID != id || !left[0].Latest {
		t.Errorf("after the marker went: %+v", left)
	}
}

func twice(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id := w.Write(t, b, "a", "1")
	deleteAll(t, w, b, condemn(t, b, "a", id, id))
	stands(t, w, b, "a")
}

func refusedOnes(t *testing.T, w World) {
	b, other := w.Bucket(t, Enabled), w.Bucket(t, Enabled)
	id, kept := w.Write(t, b, "a", "1"), w.Write(t, other, "a", "1")
	versions := append(condemn(t, b, "a", id), condemn(t, other, "a", kept)...)
	results := w.Store().Delete(t.Context(), b, append(versions, upload.Condemned{}))
	for i, want := range []objects.Outcome{objects.Gone, objects.Failed, objects.Failed} {
		if results[i].Outcome != want || results[i].Refused() != (want == objects.Failed) {
			t.Errorf("result %d: %+v, want %s", i, results[i], want)
		}
	}
	stands(t, w, other, "a", kept)
}

func tooMany(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id := w.Write(t, b, "a", "1")
	versions := condemn(t, b, "a", id)
	for len(versions) <= objects.MaxPerDelete {
		versions = append(versions, versions[0])
	}
	for i, r := range w.Store().Delete(t.Context(), b, versions) {
		if !r.Refused() {
			t.Fatalf("result %d: %+v", i, r)
		}
	}
	stands(t, w, b, "a", id)
}

func contextOver(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	plain, strange := w.Write(t, b, "a", "1"), w.Write(t, b, "a\x01", "1")
	versions := uploadtest.Condemned(t,
		uploadtest.Version{Bucket: b, Key: "a", VersionID: plain},
		uploadtest.Version{Bucket: b, Key: "a\x01", VersionID: strange})
	for _, r := range w.Store().Delete(cancelled(t), b, versions) {
		if r.Outcome != objects.Failed {
			t.Errorf("nothing was sent, and it is %s", r.Outcome)
		}
	}
	stands(t, w, b, "a", plain)
	stands(t, w, b, "a\x01", strange)
}

func nothing(t *testing.T, w World) {
	if results := w.Store().Delete(t.Context(), w.Bucket(t, Enabled), nil); len(results) != 0 {
		t.Errorf("%d results", len(results))
	}
}
