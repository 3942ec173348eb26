package comparison

import (
	"github.com/strandline-dev/strandline/shared/reconcile"
)

// says puts each verdict into a few words; docs/reconcile.md has more.
func says(v reconcile.Verdict) string {
	return map[reconcile.Verdict]string{
		reconcile.OK:           "owned, and there",
		reconcile.Hidden:       "owned, and a newer delete marker hides it",
		reconcile.Orphan:       "there, and nobody owns it",
		reconcile.TooFresh:     "nobody owns it, and it is too young to say more",
		reconcile.Marker:       "a delete marker that nobody owns",
		reconcile.Unsettled:    "owned or deleted too recently to say more",
		reconcile.Changed:      "owned and gone, and another version stands there",
		reconcile.Missing:      "owned, and not there",
		reconcile.Lagging:      "owned and there, but not in the inventory yet",
		reconcile.Gone:         "deleted, and not there",
		reconcile.Corrupt:      "there, with another size or checksum",
		reconcile.Undead:       "deleted, and still there",
		reconcile.Conflict:     "listed twice, with different facts",
		reconcile.Leftover:     "left over by an upload that was completed",
		reconcile.Ignored:      "a folder object, or outside the scope",
		reconcile.NotCheckable: "a column or value that it needs is absent",
	}[v]
}
