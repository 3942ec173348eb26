package sim

import (
	"context"
	"strings"

	"github.com/strandline-dev/strandline/shared/upload"
)

// quirk is something that a store of a broken world does. There are only such
// worlds in the tests: they show that the witness sees what happens then.
type quirk string

const (
	// unconditional: the ledger writes whatever it is given.
	unconditional quirk = "the ledger does not compare versions"
	// byPrefix: the storage deletes all that lies beside what it was given.
	byPrefix quirk = "the storage deletes by prefix"
	// liveToo: a delete takes along the newest version of some other upload.
	liveToo quirk = "the storage deletes another upload's version too"
	// alwaysGone: the storage says that everything is gone, whatever it did.
	alwaysGone quirk = "the storage says gone for what it has not deleted"
	// everOpen: the gate gives slots whatever its mode is.
	everOpen quirk = "the gate gives slots while it is closed"
	// freeSlots: slots are given without being counted.
	freeSlots quirk = "deletes need no slots"
	// ownClock: everybody is shown their own clock as the store's.
	ownClock quirk = "nobody's clock is compared"
	// silent: the audit trail loses each finish.
	silent quirk = "the audit trail loses lines"
	// forgetful: the first of what is due is not shown.
	forgetful quirk = "the due index forgets"
	// tornLists: a listing that broke off looks whole.
	tornLists quirk = "a listing that broke off looks whole"
)

// unconditionally makes a change one of the record that is stored.
func (w *world) unconditionally(c upload.Change) upload.Change {
	if w.broken == unconditional {
		stored := w.witness.records[c.After.ID]
		c.Before.Version, c.After.Version = stored.Version, stored.Version+1
	}
	return c
}

// alsoDeletes is what a broken storage does beside a delete.
func (w *world) alsoDeletes(v upload.Condemned) {
	switch w.broken {
	case byPrefix:
		folder := v.Key()[:strings.LastIndex(v.Key(), "/")]
		folder = folder[:strings.LastIndex(folder, "/")+1]
		for _, other := range w.store.All(bucketName) {
			if strings.HasPrefix(other.Key, folder) {
				w.must(w.store.Remove(bucketName, other.Key, other.VersionID))
			}
		}
	case liveToo:
		for _, other := range w.store.All(bucketName) {
			id, _, _ := upload.ParseObjectKey(other.Key)
			if _, known := w.witness.records[id]; known && id != v.Upload() {
				w.must(w.store.Remove(bucketName, other.Key, other.VersionID))
				break
			}
		}
	}
}

// reopened is a gate that gives whatever its mode is.
func (w *world) reopened(ctx context.Context) (back func()) {
	if w.broken != everOpen {
		return func() {}
	}
	state, err := w.gate.Read(ctx)
	if w.must(err); state.Open() {
		return func() {}
	}
	w.must(w.gate.Resume(ctx))
	w.must(w.gate.SetMode(ctx, "delete"))
	return func() { w.must(w.gate.Pause(ctx)) }
}
