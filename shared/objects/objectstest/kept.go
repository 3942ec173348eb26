package objectstest

import (
	"fmt"
	"testing"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

var kept = []test{
	{"one locked version among ten is retained until its date, the others go", oneLocked},
	{"a legal hold retains without a date", legalHold},
	{"null versions are listed as such and go alone", nullVersions},
	{"a look at a version shows what the listing shows", statVersion},
	{"a look at a marker says that it is one", statMarker},
	{"a look at what is not there is absent, and a bucket that is not there is not", statAbsent},
}

// Without the look at the version, a lock would be "access denied": an alarm
// and a retry for years, instead of a date.
func oneLocked(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	var ids []string
	for i := range 10 {
		ids = append(ids, w.Write(t, b, "a", fmt.Sprint(i)))
	}
	until := w.Lock(t, b, "a", ids[3])
	results := w.Store().Delete(t.Context(), b, condemn(t, b, "a", ids...))
	for i, r := range results {
		if i != 3 && r.Outcome != objects.Gone {
			t.Errorf("version %d: %+v", i, r)
		}
	}
	want := upload.Retained{Count: 1, Until: until, Reason: objects.ReasonLock}
	if got := results[3]; got.Outcome != objects.Retained || got.Retained != want {
		t.Errorf("the locked one: %+v, want %+v", got, want)
	}
	stands(t, w, b, "a", ids[3])
	facts, err := w.Store().Stat(t.Context(), b, "a", ids[3])
	if err != nil || !facts.LockedUntil.Equal(until) || facts.LegalHold {
		t.Errorf("facts of the locked one: %+v, %v", facts, err)
	}
}

func legalHold(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id := w.Write(t, b, "a", "1")
	w.Hold(t, b, "a", id)
	got := w.Store().Delete(t.Context(), b, condemn(t, b, "a", id))[0]
	want := upload.Retained{Count: 1, Reason: objects.ReasonLegalHold}
	if got.Outcome != objects.Retained || got.Retained != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	stands(t, w, b, "a", id)
}

func nullVersions(t *testing.T, w World) {
	b := w.Bucket(t, Never)
	w.Write(t, b, "a", "1")
	w.SetVersioning(t, b, Enabled)
	stands(t, w, b, "a", "null")
	newer := w.Write(t, b, "a", "2")
	stands(t, w, b, "a", "null", newer)
	deleteAll(t, w, b, condemn(t, b, "a", "null"))
	stands(t, w, b, "a", newer)
}

func statVersion(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id := w.Write(t, b, "a", "12345")
	w.Write(t, b, "a", "1")
	for v, err := range objects.VersionsOf(t.Context(), w.Store(), b, "a") {
		must(t, err)
		if v.VersionID != id {
			continue
		}
		facts, err := w.Store().Stat(t.Context(), b, "a", id)
		must(t, err)
		// HEAD has whole seconds, a listing milliseconds.
		listed := v.LastModified.Unix()
		if facts.Size != 5 || v.Size != 5 || facts.ETag != v.ETag || v.ETag == "" || facts.LastModified.Unix() != listed || facts.Marker {
			t.Errorf("a look shows %+v, the listing %+v", facts, v)
		}
	}
}

func statMarker(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id := w.Mark(t, b, "a")
	facts, err := w.Store().Stat(t.Context(), b, "a", id)
	if err != nil || !facts.Marker || facts.LastModified.IsZero() {
		t.Errorf("got %+v, %v", facts, err)
	}
}

// Were a missing bucket absent too, a wrong name in a record would turn
// everything that stands elsewhere into "gone".
func statAbsent(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id := w.Write(t, b, "a", "1")
	deleteAll(t, w, b, condemn(t, b, "a", id))
	_, err := w.Store().Stat(t.Context(), b, "a", id)
	wantKind(t, err, upload.ErrAbsent)
	_, err = w.Store().Stat(t.Context(), "no-such-bucket-here", "a", id)
	wantKind(t, err, upload.ErrRefused)
	got := w.Store().Delete(t.Context(), "no-such-bucket-here", condemn(t, "no-such-bucket-here", "a", id))[0]
	if got.Outcome != objects.Failed {
		t.Errorf("deleted from a bucket that does not exist: %+v", got)
	}
}
