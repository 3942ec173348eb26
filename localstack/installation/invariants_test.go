package installation_test

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"testing"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/invariant"
)

// assertInvariants compares ledger, bucket, queue and logs with what must hold
// at any time, whatever happened: the protocol's invariants as far as they can
// be seen from outside.
func assertInvariants(t *testing.T, w *world) {
	t.Helper()
	records := w.records(t)
	stand := w.bucket(t)
	for _, wrong := range w.recorder.wrong { // 1, 2: when it was deleted
		t.Error(wrong)
	}
	for key, version := range w.strangers { // 2: in the end
		if !slices.Contains(stand[key], version) {
			t.Error("a version that no upload owns is gone")
		}
	}
	assertOwned(t, w, records, stand)
	for _, r := range records {
		assertKept(t, w, r, stand)
		if err := errors.Join(invariant.Gone(r, stand), invariant.Intent(r)); err != nil { // 13, 6
			t.Error(err)
		}
		assertForward(t, w, r)
		if w.log.mentions(r.Folder()) {
			t.Errorf("a log line holds a key of upload %s", r.Upload)
		}
	}
	assertQuota(t, w, records)
	assertTrail(t, w.witness, records)
	w.log.assertFields(t)
	if err := w.Purged().Check(); err != nil { // 11; a pass is checked when it is made
		t.Error(err)
	}
}

// bucket lists the version ids that stand under each key.
func (w *world) bucket(t *testing.T) invariant.Standing {
	t.Helper()
	stand := invariant.Standing{}
	for v, err := range w.Stores.Objects.Versions(context.Background(), w.Bucket, "") {
		must(t, err)
		stand[v.Key] = append(stand[v.Key], v.VersionID)
	}
	return stand
}

// assertOwned: whatever stands belongs to an upload that declared it, or was
// put there as nobody's.
func assertOwned(t *testing.T, w *world, records []upload.Record, stand invariant.Standing) {
	t.Helper()
	folders := map[string]upload.Record{}
	for _, r := range records {
		folders[r.Prefix+"/"+r.Tenant+"/"+r.Upload] = r
	}
	for key := range stand {
		_, stranger := w.strangers[key]
		if !stranger && !declares(folders[path.Dir(path.Dir(key))], key) {
			t.Errorf("%s stands, and nobody knows it", key)
		}
	}
}

func declares(r upload.Record, key string) bool {
	attempt, seq, own := placeOf(r, key)
	return own && slices.ContainsFunc(r.Manifest.Attempts, func(a upload.Attempt) bool {
		return a.Number == attempt && seq >= 1 && seq <= a.Declared
	})
}

// assertKept, invariant 4 and more: what was not condemned is there, by its
// version.
func assertKept(t *testing.T, w *world, r upload.Record, stand invariant.Standing) {
	t.Helper()
	if r.State == upload.StateDeleting || r.State == upload.StateDeleted {
		return
	}
	for _, o := range r.Manifest.Objects {
		key := r.ObjectKey(o.Key)
		switch {
		case o.VersionID == "", !r.CompletedAt.IsZero() && !r.Manifest.Listed(o.Key):
			continue
		case !o.Expected.Met(o.Size, o.Checksum): // 15
			t.Errorf("upload %s is %s, and its key %v is not what was expected of it", r.Upload, r.State, o.Key)
		case !slices.Contains(stand[key], o.VersionID):
			t.Errorf("upload %s is %s, and version %s of its key %v is gone", r.Upload, r.State, o.VersionID, o.Key)
		case r.State != upload.StateCancelled:
			facts, err := w.Stores.Objects.Stat(context.Background(), w.Bucket, key, o.VersionID)
			if err != nil || facts.Size != o.Size || facts.Marker {
				t.Errorf("upload %s is %s, and its key %v reads as %+v, %v", r.Upload, r.State, o.Key, facts, err)
			}
		}
	}
}

// assertForward, invariants 3 and 8: every write added one to the version, no
// fence was ever lowered, and the record is what the last write left.
func assertForward(t *testing.T, w *world, r upload.Record) {
	t.Helper()
	if w.recorder.unsure[r.ID] {
		return
	}
	written := slices.Clone(w.recorder.written[r.ID])
	slices.SortFunc(written, func(a, b generation) int { return cmp.Compare(a.version, b.version) })
	fence := int64(0)
	for i, g := range written {
		if g.version != int64(i)+1 || g.fence < fence {
			t.Errorf("upload %s: write %d left version %d and fence %d after %d", r.Upload, i+1, g.version, g.fence, fence)
		}
		fence = g.fence
	}
	if r.Version != int64(len(written)) || r.Fence != fence {
		t.Errorf("upload %s has version %d and fence %d after %d writes, the last with fence %d", r.Upload, r.Version, r.Fence, len(written), fence)
	}
}

// assertQuota, invariant 9: the owner's quota is what its uploads hold.
func assertQuota(t *testing.T, w *world, records []upload.Record) {
	t.Helper()
	for _, err := range invariant.Quota(context.Background(), records, w.Stores.Ledger.QuotaUsed) {
		t.Error(err)
	}
}

// wantAbsent expects that a version does not stand.
func (w *world) wantAbsent(t *testing.T, key, version string) {
	t.Helper()
	var facts objects.Facts
	facts, err := w.Stores.Objects.Stat(t.Context(), w.Bucket, key, version)
	if !errors.Is(err, upload.ErrAbsent) {
		t.Errorf("version %s stands: %+v, %v", version, facts, err)
	}
}
