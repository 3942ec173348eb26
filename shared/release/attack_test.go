package release_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	objectsmemory "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// unversioned makes the bucket one whose every version is called "null".
func (w *world) unversioned() *world {
	w.objects.CreateBucket(bucket, objectsmemory.BucketOptions{Versioning: objectsmemory.Suspended})
	return w
}

// "null" is the name of whatever was written last. Taken for an exact version,
// a late record of a row that is gone condemns what the row that came back has
// written.
func TestAVersionThatIsCalledNullIsNotTakenForWhatWasWrittenSince(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		want  string
	}{
		"written a minute before the row went": {-time.Minute, "adopted"},
		"written in that second":               {300 * time.Millisecond, "skipped: same second"},
		"written a minute later":               {time.Minute, "skipped: gone"},
	} {
		for _, row := range []source.Row{{"key": "a", "version": "null"}, {"key": "a"}} {
			w := newWorld(t).unversioned()
			w.write("a", "old")
			end := noon.Add(time.Hour)
			w.now = end.Add(c.after)
			w.write("a", "new")
			w.now = end.Add(24 * time.Hour)
			w.want(w.Take(t.Context(), photos, removed("e", end, row)), c.want)
			if t.Failed() {
				t.Fatal(name, row)
			}
		}
	}
}

// Of what a multipart object has overwritten nothing is left to see.
func TestAMultipartObjectThatOverwritesIsNotReleasedByARowThatMayBeOlder(t *testing.T) {
	for _, row := range []source.Row{{"key": "a", "version": "null"}, {"key": "a"}} {
		w := newWorld(t).unversioned()
		w.multipart("a", "begun before the row went, ended after")
		w.now = w.now.Add(time.Hour)
		w.want(w.Take(t.Context(), photos, removed("e", w.now, row)), "skipped: overwritten late")
	}
}

// The clock of a database may be ahead by as much as is not parked: the row went
// before its end, and what was written in between is the next row's.
func TestAClockThatIsAheadTakesNothingThatWasWrittenSinceForTheRows(t *testing.T) {
	w := newWorld(t)
	end := noon.Add(time.Hour)
	old := w.write("a", "old")
	w.now = end.Add(time.Minute)
	fresh := w.write("a", "new")
	ahead := end.Add(4 * time.Minute)
	w.now = end.Add(10 * time.Minute)
	w.want([]release.Outcome{w.Message(t.Context(), sent("1", ahead, "a", ""))}, "skipped: same second")
	w.want([]release.Outcome{w.Message(t.Context(), sent("2", ahead, "a", old.VersionID))}, "adopted") // by its id there is no question
	w.now = end.Add(time.Hour)
	got := w.Message(t.Context(), sent("3", end.Add(30*time.Minute), "a", ""))
	w.want([]release.Outcome{got}, "adopted")
	w.wantAdopted(got, orders, fresh)
	w.write("b", "the only one under its key")
	w.want([]release.Outcome{w.Message(t.Context(), sent("4", w.now.Add(time.Minute), "b", ""))}, "adopted")
}

// Rows hold what users wrote. No version under another tenant's key is given up
// by one, also none that the upload does not know.
func TestNoRowReleasesWhatLiesUnderAnotherTenantsKey(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one")
	stray := w.write(keys[0], "what a tool has written over it")
	w.now = w.now.Add(time.Minute)
	theirs := photos
	theirs.Tenant = "rival"
	for n, row := range []source.Row{named(stray), {"key": keys[0]}, {"key": keys[0], "version": r.Manifest.Object(upload.Key{Attempt: 1, Seq: 1}).VersionID}} {
		w.want(w.Take(t.Context(), theirs, removed(fmt.Sprint(n), w.now, row)), "skipped: other tenant")
	}
	w.wantState(r.ID, upload.StateComplete)
}

// After a restore of a bucket a key's bytes stand as another version than the
// ledger knows. That one is no stray: it is all that is left.
func TestTheLastVersionUnderAnUploadsKeyIsTheUploads(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one")
	k := upload.Key{Attempt: 1, Seq: 1}
	w.must(w.objects.Remove(bucket, keys[0], r.Manifest.Object(k).VersionID))
	restored := w.write(keys[0], "one")
	w.want(w.Take(t.Context(), photos, removed("e", w.now.Add(time.Minute), named(restored))), "released")
	w.wantState(r.ID, upload.StateCancelled)
}

// A content network is put before the bucket, and all rows are written anew.
// None of them gives its object up.
func TestARowWhoseURLMovesToAnUnknownHostGivesNothingUpUnseen(t *testing.T) {
	s := linked
	s.Index = nil
	w := newWorld(t)
	w.write("photos/summer 17.jpg", "one")
	w.now = w.now.Add(time.Minute)
	ours := source.Row{"url": "https://uploads.s3.amazonaws.com/photos/summer%2017.jpg"}
	for n, c := range map[string]struct{ url, want string }{
		"the same end":        {"https://cdn.example.com/summer%2017.jpg", "parked"},
		"below another path":  {"https://cdn.example.com/w_100/photos/summer 17.jpg?w=100#x", "parked"},
		"escaped all the way": {"https://img.example.com/photos%2Fsummer%2017.jpg", "parked"},
		"another bucket":      {"https://replica.s3.amazonaws.com/photos/summer%2017.jpg", "parked"},
		"another picture":     {"https://gravatar.example/0f1e", "adopted"},
	} {
		got := w.Take(t.Context(), s, changed(n, w.now, ours, source.Row{"url": c.url}))
		if string(got[0].Kind) != c.want {
			t.Errorf("%s: %+v", n, got)
		}
	}
	w.want(w.Take(t.Context(), s, removed("e", w.now, ours)), "adopted")
}

// A row of 400 KB names tens of thousands: one after the other they take longer
// than an invocation, and their shard never gets past them.
func TestManyObjectsOfOneRowAreWorkedOnSideBySideAndThoseOfOneUploadAreNot(t *testing.T) {
	w := newWorld(t)
	r, own := w.upload("1", "2", "3", "4")
	list := []any{}
	for i := range 64 {
		list = append(list, w.write(fmt.Sprintf("list/%d", i), "x").Key)
	}
	for _, key := range own {
		list = append(list, key)
	}
	w.now = w.now.Add(time.Minute)
	slow := &slowly{Store: w.objects}
	one := &slowly{Records: w.ledger, of: r.ID}
	w.Store, w.Records = slow, one
	outcomes := map[release.Kind]int{}
	for _, o := range w.Take(t.Context(), albums, removed("e", w.now, source.Row{"keys": list})) {
		outcomes[o.Kind]++
	}
	if outcomes[release.KindAdopted] != 64 || outcomes[release.KindReleased] != 1 || outcomes[release.KindSkipped] != 3 {
		t.Errorf("%v", outcomes)
	}
	if most := slow.most.Load(); most < 2 || most > 16 {
		t.Errorf("%d were worked on at once", most)
	}
	if most := one.most.Load(); most != 1 {
		t.Errorf("%d of one upload were worked on at once", most)
	}
	w.wantState(r.ID, upload.StateCancelled)
}

// slowly takes a moment for each look at the store, or at one upload's record,
// and counts them.
type slowly struct {
	release.Store
	release.Records
	of        upload.ID
	now, most atomic.Int32
}

func (s *slowly) wait() {
	s.most.Store(max(s.most.Load(), s.now.Add(1)))
	time.Sleep(5 * time.Millisecond)
	s.now.Add(-1)
}

func (s *slowly) Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error) {
	s.wait()
	return s.Store.Stat(ctx, bucket, key, versionID)
}

func (s *slowly) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	if id == s.of {
		s.wait()
	}
	return s.Records.Load(ctx, id)
}
