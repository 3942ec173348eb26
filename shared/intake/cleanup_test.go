package intake_test

import (
	"context"
	"errors"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// sweep is a stand-in for scheduler and worker: one pass over every upload,
// with the core's own decisions, and each purge at once.
func (w *world) sweep() {
	w.t.Helper()
	for _, id := range w.ids {
		r := w.load(id)
		if r.DueAt.IsZero() || r.DueAt.After(w.now()) {
			continue
		}
		d, err := upload.Decide(w.policy, r, w.cutoff(), w.now())
		w.must(err)
		switch {
		case d.Action == upload.Purge:
			w.purge(r, d.Operation)
		case d.Event != nil:
			w.apply(id, d.Event)
		}
	}
}

// live lets time pass with a sweep every so often.
func (w *world) live(d, every time.Duration) {
	w.t.Helper()
	for range int(d / every) {
		w.pass(every)
		w.sweep()
	}
}

func (w *world) cutoff() time.Time { return w.now().Add(-w.policy.SafetyMargin) }

// apply commits an event of cleanup and returns the record after it.
func (w *world) apply(id upload.ID, e upload.Event) upload.Record {
	w.t.Helper()
	c, err := upload.Step(w.policy, w.load(id), e, w.now())
	w.must(err)
	w.must(w.ledger.Commit(w.ctx, c))
	return c.After
}

func (w *world) purge(r upload.Record, op upload.Operation) {
	w.t.Helper()
	const token = "t-1"
	switch op {
	case upload.OpTrim:
		warrant, err := r.Trimming(w.policy, r.Version, w.cutoff(), w.now())
		w.must(err)
		w.apply(r.ID, upload.Trim{Version: r.Version, Cutoff: w.cutoff(), Gone: w.delete(warrant)})
		return
	case upload.OpClaim:
		r = w.apply(r.ID, upload.Claim{Version: r.Version, Cutoff: w.cutoff(), Worker: "worker-1", Token: token})
	case upload.OpReclaim:
		r = w.apply(r.ID, upload.Reclaim{Worker: "worker-1", Token: token})
	default:
		w.t.Fatalf("no use for %s here", op)
	}
	warrant, err := r.ClaimedBy(w.policy, token)
	w.must(err)
	w.apply(r.ID, upload.Finish{Fence: r.Fence, Gone: w.delete(warrant)})
}

// delete deletes every version under a key that the warrant covers, and
// returns how many declared keys it dealt with. ministack breaks some
// connections before it answers: what is unclear is listed again.
func (w *world) delete(warrant upload.Warrant) int64 {
	w.t.Helper()
	for _, m := range warrant.Multiparts() {
		w.must(w.store.Abort(w.ctx, w.bucket, warrant.ObjectKey(m.Key), m.UploadID))
	}
	for range 5 {
		if !w.deleteListed(warrant) {
			return int64(len(warrant.Targets()))
		}
	}
	w.t.Fatal("the outcome of a delete stays unclear")
	return 0
}

// deleteListed reports whether an outcome is unclear.
func (w *world) deleteListed(warrant upload.Warrant) (unclear bool) {
	w.t.Helper()
	var condemned []upload.Condemned
	for v, err := range w.store.Versions(w.ctx, w.bucket, warrant.Folder()) {
		w.must(err)
		c, err := warrant.Condemn(v.Key, v.VersionID)
		if errors.Is(err, upload.ErrNoWarrant) {
			continue
		}
		w.must(err)
		condemned = append(condemned, c)
	}
	for _, r := range w.store.Delete(w.ctx, w.bucket, condemned) {
		switch r.Outcome {
		case objects.Gone:
		case objects.Unclear:
			unclear = true
		default:
			w.t.Fatalf("delete: %s %s", r.Outcome, r.Code)
		}
	}
	return unclear
}

// checkInvariants asserts, at the end of every story, what the protocol
// promises of everything that intake wrote.
func (w *world) checkInvariants() {
	if w.t.Failed() || w.quiet {
		return
	}
	quota := int64(0)
	hashes := map[string]upload.ID{}
	for _, id := range w.ids {
		r := w.load(id)
		if r.QuotaHeld {
			quota++
		}
		if other, taken := hashes[r.ContentHash]; taken && r.HashHeld {
			w.t.Errorf("uploads %s and %s are live with one content", id.Upload, other.Upload)
		}
		if r.HashHeld {
			hashes[r.ContentHash] = id
		}
		w.checkRecord(r)
	}
	used, err := w.ledger.QuotaUsed(context.Background(), w.tenant, owner)
	if err != nil || used != quota {
		w.t.Errorf("quota used is %d (%v), uploads that hold it are %d", used, err, quota)
	}
}

func (w *world) checkRecord(r upload.Record) {
	standing := map[string]bool{}
	if r.State != upload.StateNone {
		for _, v := range w.standing(r.ID) {
			standing[v.Key+"\x00"+v.VersionID] = true
		}
	}
	switch r.State {
	case upload.StateReceiving, upload.StateExpired, upload.StateCancelled, upload.StateDeleting:
		if r.DueAt.IsZero() && r.ParkedAt.IsZero() {
			w.t.Errorf("upload %s is %s and cleanup never looks", r.Upload, r.State)
		}
	case upload.StateDeleted:
		if len(standing) > 0 {
			w.t.Errorf("upload %s is deleted and %d versions stand", r.Upload, len(standing))
		}
	case upload.StateComplete:
		for _, o := range r.Manifest.Objects {
			if r.Manifest.Listed(o.Key) && !standing[r.ObjectKey(o.Key)+"\x00"+o.VersionID] {
				w.t.Errorf("upload %s is complete and its chunk %d cannot be read", r.Upload, o.Seq)
			}
		}
	}
}
