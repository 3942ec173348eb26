package quarantine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// unfinished begins a multipart upload on a key of our layout, and holds it.
func unfinished(t *testing.T) *world {
	t.Helper()
	const key = "up/acme/u-1/1/1"
	w := newWorldOf(t, key, stores.Enabled)
	id, err := w.store.BeginMultipart(t.Context(), bucket, key, "")
	must(t, err)
	w.hold, _, err = w.desk.Book.See(t.Context(), hold.Seen{
		Subject:      hold.Subject{Kind: hold.Multipart, Bucket: bucket, Key: key, VersionID: id},
		LastModified: w.now, By: hold.Sighting{Run: "sweep", Inventory: w.now},
	}, w.now)
	must(t, err)
	return w
}

func parts(t *testing.T, w *world) (all []objects.Multipart) {
	t.Helper()
	for m, err := range w.store.Multiparts(t.Context(), bucket, "") {
		must(t, err)
		all = append(all, m)
	}
	return all
}

func TestApprovedMultipartUploadIsAbortedAndNoOther(t *testing.T) {
	w := unfinished(t)
	other, err := w.store.BeginMultipart(t.Context(), bucket, w.hold.Key, "")
	must(t, err)
	h, err := w.approve()
	must(t, err)
	if left := parts(t, w); len(left) != 1 || left[0].UploadID != other {
		t.Errorf("left are %+v", left)
	}
	if h.State != hold.Closed || h.Why != "aborted" || h.Who != "ann" {
		t.Errorf("the hold is %+v", h)
	}
	w.stands(1, 0)
	if _, err := w.restore(); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("restored: %v", err)
	}
}

// Without asking whose key it is, a transfer that is under way would lose all
// its parts.
func TestMultipartUploadOfALiveUploadIsNotAborted(t *testing.T) {
	w := unfinished(t)
	w.reserve("u-1")
	if _, err := w.approve(); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("error is %v", err)
	}
	if len(parts(t, w)) != 1 {
		t.Error("it was aborted")
	}
}

func TestMultipartUploadThatIsGoneOrAnotherIsRefused(t *testing.T) {
	w := unfinished(t)
	h := w.get()
	h.LastModified = h.LastModified.Add(time.Hour)
	_, err := w.desk.Book.Put(t.Context(), h, w.now)
	must(t, err)
	if _, err := w.approve(); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("begun at another time: %v", err)
	}
	must(t, w.store.Abort(t.Context(), bucket, w.hold.Key, w.hold.VersionID))
	if _, err := w.approve(); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("gone: %v", err)
	}
}

func TestCrashWhileAbortingIsCompletedByARepetition(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for _, after := range []bool{false, true} {
			w := unfinished(t)
			w.faults.at, w.faults.after = w.faults.writes+n, after
			if _, err := w.approve(); !errors.Is(err, errCrash) {
				t.Fatalf("write %d, done %v: %v", n, after, err)
			}
			if w.get().State != hold.Closed {
				_, err := w.approve()
				must(t, err)
			}
			if h := w.get(); h.State != hold.Closed || len(parts(t, w)) != 0 {
				t.Errorf("write %d, done %v: %+v", n, after, h)
			}
		}
	}
}
