package sim

import (
	"context"
	"slices"

	"github.com/strandline-dev/strandline/shared/upload"
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
		w.gone(r, stand)
		w.intent(r)
	}
	w.quotas()
}

// kept is invariant 4, and more: what was not condemned stands, by its version,
// and is what was stated of it (15).
func (w *witness) kept(r upload.Record, stand map[string][]string) {
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
		if !slices.Contains(stand[e.Key], e.VersionID) && !w.world.removed[e.VersionID] {
			w.breaks("4", "%s is %s, and version %s that it names is gone", r.Upload, r.State, e.VersionID)
		}
	}
}

// gone is invariant 13: nothing of what a purge or a trim covered stands, but
// what is retained.
func (w *witness) gone(r upload.Record, stand map[string][]string) {
	left := int64(0)
	for _, a := range r.Manifest.Attempts {
		for seq := 1; seq <= a.Declared; seq++ {
			covered := r.State == upload.StateDeleted || r.State == upload.StateComplete && r.Trimmed && !a.Listed.Has(seq)
			if covered && len(stand[r.ObjectKey(upload.Key{Attempt: a.Number, Seq: seq})]) > 0 {
				left++
			}
		}
	}
	for _, e := range r.Manifest.Explicit {
		if r.State == upload.StateDeleted && slices.Contains(stand[e.Key], e.VersionID) {
			left++
		}
	}
	if left > r.Retained.Count {
		w.breaks("13", "%s is %s: %d of its keys stand, %d are retained", r.Upload, r.State, left, r.Retained.Count)
	}
}

// intent is invariant 6: whoever needs cleanup has a due, or is parked.
func (w *witness) intent(r upload.Record) {
	needs := true
	switch r.State {
	case upload.StateComplete:
		needs = !r.SupersededDueAt.IsZero() || !r.HoldExpiresAt.IsZero() && r.Refs == 0
	case upload.StateDeleting:
		needs = r.ParkedAt.IsZero()
	case upload.StateDeleted:
		needs = r.Retained.Count > 0 && !r.Retained.Until.IsZero()
	}
	if needs == r.DueAt.IsZero() && (needs || r.State != upload.StateComplete) {
		w.breaks("6", "%s is %s, due at %v; needs cleanup: %v", r.Upload, r.State, r.DueAt, needs)
	}
}

// quotas is invariant 9.
func (w *witness) quotas() {
	type owner struct{ tenant, name string }
	held := map[owner]int64{}
	for _, id := range w.begun {
		r := w.records[id]
		if r.Source != "" {
			continue // adopted: it is nobody's
		}
		live := r.State == upload.StateReceiving || r.State == upload.StateAssembling ||
			r.State == upload.StateExpired || r.State == upload.StateComplete
		if r.QuotaHeld && !live {
			w.breaks("9", "%s is %s and holds a place of the quota", r.Upload, r.State)
		}
		held[owner{r.Tenant, r.Owner}] += 0
		if r.QuotaHeld {
			held[owner{r.Tenant, r.Owner}]++
		}
	}
	for who, places := range held {
		used, err := w.world.ledger.QuotaUsed(context.Background(), who.tenant, who.name)
		if err != nil || used != places {
			w.breaks("9", "owner %s uses %d places of the quota, its uploads hold %d", who.name, used, places)
		}
	}
}
