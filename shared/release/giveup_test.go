package release_test

import (
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// own is a row of albums that names an upload by its keys.
func own(keys ...string) source.Row {
	list := make([]any, len(keys))
	for i, k := range keys {
		list[i] = k
	}
	return source.Row{"keys": list}
}

func TestAnUploadsOwnObjectGivesTheUploadUp(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one")
	got := w.Take(t.Context(), albums, removed("e", w.now, own(keys...)))
	w.want(got, "released")
	after := w.wantState(r.ID, upload.StateCancelled)
	if got[0].Upload != r.ID || after.Reason != "released by a row of albums" || after.DueAt.Before(w.now.Add(w.Policy.ReleaseGrace)) {
		t.Errorf("%+v; reason %q, due %v", got[0], after.Reason, after.DueAt)
	}
	w.want(w.Take(t.Context(), albums, removed("e", w.now, own(keys...))), "skipped: already released")
	w.want(w.Take(t.Context(), photos, removed("f", w.now, source.Row{"key": keys[0], "version": r.Manifest.Objects[0].VersionID})),
		"skipped: already released")
}

// The key names its tenant. Without the comparison a tenant who can write a row
// deletes what is another's.
func TestARowDoesNotGiveUpWhatIsAnotherTenants(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one")
	theirs := albums
	theirs.Tenant = "bolt"
	w.want(w.Take(t.Context(), theirs, removed("e", w.now, own(keys...))), "skipped: other tenant")
	w.wantState(r.ID, upload.StateComplete)
}

// The upload goes as a whole. Without the look at its other keys a row that drops
// one of its pictures loses all of them.
func TestARowThatStillNamesAnotherObjectOfTheUploadKeepsAllOfIt(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one", "two")
	w.want(w.Take(t.Context(), albums, changed("e", w.now, own(keys...), own(keys[1]))), "skipped: sibling named")
	w.wantState(r.ID, upload.StateComplete)
	w.want(w.Take(t.Context(), albums, removed("f", w.now, own(keys[1]))), "released")
	w.wantState(r.ID, upload.StateCancelled)
}

// Rows are asked before the upload is given up, and an answer that does not come
// keeps. Without either, one of two rows with one upload takes it away from the
// other.
func TestAnUploadThatAnotherRowNamesStaysAndAFailedLookUpKeeps(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one")
	c := removed("e", w.now, own(keys...))
	w.Rows = rowsSay{use: source.Use{Source: "linked", Entity: "row-2"}}
	w.want(w.Take(t.Context(), albums, c), "skipped: named by a row")
	w.Rows = rowsSay{err: upload.ErrThrottled}
	got := w.Take(t.Context(), albums, c)
	if release.Done(got) || !errors.Is(got[0].Err, upload.ErrThrottled) {
		t.Errorf("a look-up that failed: %+v", got)
	}
	w.wantState(r.ID, upload.StateComplete)
	w.Rows = rowsSay{}
	w.want(w.Take(t.Context(), albums, c), "released")
}

func TestAnUploadWithReferencesLosesThoseOfTheRowAndGoesWithTheLast(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one")
	for _, ref := range []upload.Reference{
		{Source: "albums", Entity: "row-1"}, {Source: "albums", Entity: "row-1", Generation: 7},
		{Source: "albums", Entity: "row-2"}, {Source: "photos", Entity: "row-1"},
	} {
		w.must(w.app.AddReference(t.Context(), r.ID, ref, 0))
	}
	w.now = w.now.Add(time.Minute)
	w.want(w.Take(t.Context(), albums, removed("e1", w.now, own(keys...))), "reference dropped")
	if after := w.wantState(r.ID, upload.StateComplete); after.Refs != 2 {
		t.Errorf("%d references are left", after.Refs)
	}
	w.want(w.Take(t.Context(), albums, removed("e1", w.now, own(keys...))), "skipped: already released")
	row3 := removed("e3", w.now, own(keys...))
	row3.Keys = source.Row{"pk": "row-3"}
	w.want(w.Take(t.Context(), albums, row3), "skipped: other references")
	w.want([]release.Outcome{w.Message(t.Context(), release.Message{
		Schema: 1, ID: "1", Source: "orders", Tenant: "acme", Entity: "row-1", At: w.now, Bucket: bucket, Key: keys[0],
	})}, "skipped: other references")
	row2 := removed("e2", w.now, own(keys...))
	row2.Keys = source.Row{"pk": "row-2"}
	w.want(w.Take(t.Context(), albums, row2), "reference dropped")
	w.want(w.Take(t.Context(), photos, removed("e4", w.now, source.Row{"key": keys[0]})), "reference dropped")
	w.wantState(r.ID, upload.StateCancelled)
}

// A row that was deleted and made anew has a new reference; the record of its
// first end may come late. Without the comparison of instants it drops the new
// one, and the object goes under a row that names it.
func TestALateRecordDoesNotDropTheReferenceOfTheRowThatCameBack(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one")
	add := func(generation int64) {
		t.Helper()
		w.must(w.app.AddReference(t.Context(), r.ID, upload.Reference{Source: "albums", Entity: "row-1", Generation: generation}, 0))
	}
	add(1)
	w.now = w.now.Add(time.Minute)
	ended := w.now
	w.now = w.now.Add(300 * time.Millisecond)
	add(2)
	w.now = w.now.Add(time.Minute)
	late := removed("e1", ended, own(keys...))
	w.want(w.Take(t.Context(), albums, late), "reference dropped")
	w.want(w.Take(t.Context(), albums, late), "skipped: reference newer")
	if after := w.wantState(r.ID, upload.StateComplete); after.Refs != 1 {
		t.Errorf("%d references are left", after.Refs)
	}
	asked := albums // whose rows can be asked: then they decide
	asked.Index = &source.Index{Name: "by-key", Attribute: "key", Holds: source.HoldsKey}
	w.Rows = rowsSay{use: source.Use{Source: "albums"}}
	w.want(w.Take(t.Context(), asked, late), "skipped: reference newer")
	w.Rows = rowsSay{err: upload.ErrUnclear}
	if got := w.Take(t.Context(), asked, late); release.Done(got) {
		t.Errorf("a look-up that failed: %+v", got)
	}
	w.Rows = rowsSay{}
	w.want(w.Take(t.Context(), asked, late), "reference dropped")
	w.wantState(r.ID, upload.StateCancelled)
}

// What was put and not published goes by itself; its row gives nothing up.
func TestAnObjectThatItsUploadDidNotPublishReleasesNothing(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one", "two")
	third := r.ObjectKey(upload.Key{Attempt: 1, Seq: 2})
	w.must(w.app.Release(t.Context(), r.ID, "ann", "cleared"))
	w.want(w.Take(t.Context(), albums, removed("e", w.now, own(keys...))), "skipped: already released", "skipped: already released")
	s := w.partly()
	r = w.load(s)
	unlisted := r.ObjectKey(upload.Key{Attempt: 1, Seq: 2})
	w.want(w.Take(t.Context(), albums, removed("f", w.now, own(unlisted))), "skipped: not published")
	w.wantState(s, upload.StateComplete)
	if third == unlisted {
		t.Fatal("two uploads have one key")
	}
}

// An upload that its writer still works on is given up too: the writer is told.
func TestAnUploadThatIsNotCompleteIsGivenUp(t *testing.T) {
	w := newWorld(t)
	s := w.receiving()
	w.want(w.Take(t.Context(), albums, removed("e", w.now, own(w.load(s).ObjectKey(upload.Key{Attempt: 1, Seq: 1})))), "released")
	w.wantState(s, upload.StateCancelled)
}
