package sim

import (
	"context"
	"slices"

	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/invariant"
)

// look judges the world as it is, if anything was written since the last look.
func (w *witness) look() {
	if !w.dirty {
		return
	}
	w.dirty = false
	stand := w.world.standing()
	for key, version := range w.world.strangers {
		if !slices.Contains(stand[key], version) {
			w.breaks("2", "a version that no upload owns is gone")
		}
	}
	for _, id := range w.begun {
		r := w.records[id]
		w.kept(r, stand)
		w.holds("13", invariant.Gone(r, stand))
		w.holds("6", invariant.Intent(r))
	}
	for _, err := range invariant.Quota(context.Background(), w.all(), w.world.ledger.QuotaUsed) {
		w.holds("9", err)
	}
}

// holds notes that an invariant fell, if that is why.
func (w *witness) holds(number string, why error) {
	if why != nil {
		w.breaks(number, "%v", why)
	}
}

// kept is invariant 4, and more: what was not condemned stands, by its version,
// and is what was stated of it (15).
func (w *witness) kept(r upload.Record, stand invariant.Standing) {
	if r.State == upload.StateDeleting || r.State == upload.StateDeleted {
		return
	}
	for _, o := range r.Manifest.Objects {
		if o.VersionID == "" || !r.CompletedAt.IsZero() && !r.Manifest.Listed(o.Key) {
			continue
		}
		if !o.Expected.Met(o.Size, o.Checksum) {
			w.breaks("15", "%s is %s, and its key %d/%d is not what was expected of it", r.Upload, r.State, o.Attempt, o.Seq)
		}
		if !slices.Contains(stand[r.ObjectKey(o.Key)], o.VersionID) {
			w.breaks("4", "%s is %s, and version %s of its key %d/%d is gone", r.Upload, r.State, o.VersionID, o.Attempt, o.Seq)
		}
	}
	for _, e := range r.Manifest.Explicit {
		if !slices.Contains(stand[e.Key], e.VersionID) {
			w.breaks("4", "%s is %s, and version %s that it names is gone", r.Upload, r.State, e.VersionID)
		}
	}
}
