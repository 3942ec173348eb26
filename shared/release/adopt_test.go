package release_test

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Without the ledger's id of the record, a record that comes twice would condemn
// twice; what came back in between would go by the second.
func TestARowThatIsGoneReleasesItsVersionOnceHoweverOftenTheRecordComes(t *testing.T) {
	w := newWorld(t)
	v := w.write("a.jpg", "one")
	got := w.Take(t.Context(), photos, removed("e1", w.now, named(v)))
	w.want(got, "adopted")
	w.wantAdopted(got[0], photos, v)
	w.now = w.now.Add(time.Hour)
	w.want(w.Take(t.Context(), photos, removed("e1", noon, named(v))), "skipped: already released")
	if again := w.load(got[0].Upload); again.Version != 1 {
		t.Errorf("it was written %d times", again.Version)
	}
	w.want(w.Take(t.Context(), photos, removed("e2", noon, named(v))), "adopted") // another row's, or the row's own later life
}

func TestAURLThatIsReplacedTwiceReleasesWhatItNamedInAnyOrder(t *testing.T) {
	w := newWorld(t)
	a, b, c := w.write("a", "1"), w.write("b", "2"), w.write("c", "3")
	second := w.Take(t.Context(), photos, changed("e2", w.now, named(b), named(c)))
	first := w.Take(t.Context(), photos, changed("e1", w.now, named(a), named(b)))
	w.want(second, "adopted")
	w.want(first, "adopted")
	w.wantAdopted(first[0], photos, a)
	w.wantAdopted(second[0], photos, b)
}

// What the new image names stays. Without the comparison every change of a title
// releases the picture.
func TestWhatARowStillNamesIsNotReleased(t *testing.T) {
	w := newWorld(t)
	v1 := w.write("a", "1")
	v2 := w.write("a", "2")
	plain := source.Row{"key": "a"}
	for name, c := range map[string]release.Change{
		"the same object":              changed("1", w.now, named(v1), named(v1)),
		"the version was filled in":    changed("2", w.now, plain, named(v2)),
		"the version was left out":     changed("3", w.now, named(v1), plain),
		"nothing was named":            changed("4", w.now, source.Row{"title": "x"}, named(v1)),
		"a row without an object went": removed("5", w.now, source.Row{"title": "x"}),
	} {
		w.want(w.Take(t.Context(), photos, c), "skipped: nothing released")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	inserted := release.Change{ID: "6", Event: release.Insert, At: w.now, New: source.Row{"key": []any{"unreadable"}}}
	w.want(w.Take(t.Context(), photos, inserted), "skipped: nothing released")
	got := w.Take(t.Context(), photos, changed("7", w.now, named(v1), named(v2)))
	w.want(got, "adopted")
	w.wantAdopted(got[0], photos, v1)
}

func TestOfAListOnlyWhatIsMissingIsReleasedEachByItself(t *testing.T) {
	w := newWorld(t)
	a, b := w.write("a", "1"), w.write("b", "2")
	w.write("c", "3")
	w.now = w.now.Add(time.Minute)
	got := w.Take(t.Context(), albums, changed("e", w.now,
		source.Row{"keys": []any{"a", "b", "c", "a"}}, source.Row{"keys": []any{"c"}}))
	w.want(got, "adopted", "adopted")
	w.wantAdopted(got[0], albums, a)
	w.wantAdopted(got[1], albums, b)
}

// The row names a key and no version: the newest that is strictly older than the
// row's end is meant. Without the comparison, what a row of the same name has
// written since is deleted with the old one: delete-then-recreate.
func TestAKeyWithoutAVersionMeansTheNewestBeforeTheRowWent(t *testing.T) {
	end := noon.Add(time.Hour)
	at := func(d time.Duration) time.Time { return end.Add(d) }
	type written struct {
		at     time.Time
		marker bool
	}
	for _, c := range []struct {
		name    string
		written []written
		want    int // which of them; -1 for none
		reason  string
	}{
		{"one", []written{{at(-time.Minute), false}}, 0, ""},
		{"an older one beside it", []written{{at(-time.Hour), false}, {at(-time.Minute), false}}, 1, ""},
		{"written again since", []written{{at(-time.Minute), false}, {at(time.Second), false}}, 0, ""},
		{"hidden since", []written{{at(-time.Minute), false}, {at(time.Minute), true}}, 0, ""},
		{"two in one second, and nothing since", []written{{at(-time.Minute), false}, {at(-time.Minute + 300*time.Millisecond), false}}, 1, ""},
		{"two in one second, and one since", []written{{at(-time.Minute), false}, {at(-time.Minute + time.Millisecond), false}, {at(time.Minute), false}}, -1, "same second"},
		{"two in one second, and a newer one", []written{{at(-time.Hour), false}, {at(-time.Hour), false}, {at(-time.Minute), false}}, 2, ""},
		{"written in the second in which the row went", []written{{at(-time.Minute), false}, {at(700 * time.Millisecond), false}}, -1, "same second"},
		{"only since", []written{{at(time.Minute), false}}, -1, "gone"},
		{"hidden before", []written{{at(-time.Hour), false}, {at(-time.Minute), true}}, -1, "gone"},
		{"never", nil, -1, "gone"},
	} {
		for _, reversed := range []bool{false, true} {
			w := newWorld(t)
			w.failing().reversed = reversed
			var versions []objects.Version
			for _, one := range c.written {
				w.now = one.at
				if one.marker {
					versions = append(versions, w.objects.Mark(bucket, "a"))
					continue
				}
				versions = append(versions, w.write("a", one.at.String()))
			}
			w.write("a/b", "a key below it")
			w.now = end.Add(time.Hour)
			got := w.Take(t.Context(), albums, removed("e", end.Add(200*time.Millisecond), source.Row{"keys": []any{"a"}}))
			if c.want < 0 {
				w.want(got, "skipped: "+c.reason)
			} else if w.want(got, "adopted"); got[0].Kind == release.KindAdopted {
				w.wantAdopted(got[0], albums, versions[c.want])
			}
			if t.Failed() {
				t.Fatalf("%s, reversed: %v", c.name, reversed)
			}
		}
	}
}

// A multipart upload's instant is when it was begun: it may have been completed
// after the row went, by whoever made the row anew.
func TestAMultipartObjectThatMayHaveBeenCompletedSinceIsNotReleased(t *testing.T) {
	for _, before := range []int{0, 1} {
		w := newWorld(t)
		for range before {
			w.write("a", "the old one")
			w.objects.Mark(bucket, "a")
		}
		w.now = w.now.Add(time.Minute)
		v := w.multipart("a", "the new one")
		w.now = w.now.Add(time.Minute)
		got := w.Take(t.Context(), albums, removed("e", w.now, source.Row{"keys": []any{"a"}}))
		if before > 0 {
			w.want(got, "skipped: overwritten late")
			continue
		}
		w.want(got, "adopted") // nothing else can be what the row named
		w.wantAdopted(got[0], albums, v)
	}
}

func TestAVersionThatIsGoneOrAMarkerIsCounted(t *testing.T) {
	w := newWorld(t)
	w.want(w.Take(t.Context(), photos, removed("1", w.now, source.Row{"key": "a", "version": "none"})), "skipped: gone")
	w.want(w.Take(t.Context(), photos, removed("2", w.now, named(w.objects.Mark(bucket, "a")))), "skipped: gone")
}

// A row that the index cannot be asked for may have twins that it cannot be
// asked for either: their object would go.
func TestAURLThatTheIndexCannotBeAskedForIsParked(t *testing.T) {
	w := newWorld(t)
	v := w.write("a", "1")
	w.now = w.now.Add(time.Minute)
	row := func(url string) release.Change { return removed(url, w.now, source.Row{"url": url}) }
	w.want(w.Take(t.Context(), linked, row("http://uploads.s3.amazonaws.com/a")),
		"parked: url: spelled in a way that the source's index cannot be asked for")
	w.want(w.Take(t.Context(), linked, row("https://elsewhere.example.com/a")), "skipped: foreign url")
	w.want(w.Take(t.Context(), linked, row("https://uploads.s3.amazonaws.com/a+b")),
		"parked: url: it has a plus sign, which some read as a space: write %2B or %20")
	got := w.Take(t.Context(), linked, row("https://uploads.s3.amazonaws.com/a?versionId="+v.VersionID))
	w.want(got, "adopted")
	w.wantAdopted(got[0], linked, v)
}

// Without the new image everything that a changed row still names is released.
func TestAStreamThatLacksAnImageReleasesNothing(t *testing.T) {
	w := newWorld(t)
	old := named(w.write("a", "1"))
	lacks := "parked: record: an image is missing: the stream's view has to be NEW_AND_OLD_IMAGES"
	w.want(w.Take(t.Context(), photos, changed("1", w.now, old, nil)), lacks)
	w.want(w.Take(t.Context(), photos, changed("2", w.now, nil, old)), lacks)
	w.want(w.Take(t.Context(), photos, removed("3", w.now, nil)), lacks)
	w.want(w.Take(t.Context(), photos, removed("", w.now, old)), "parked: record: it has no id or no instant")
	w.want(w.Take(t.Context(), photos, release.Change{ID: "4", At: w.now, Event: "PURGE", Old: old}), "parked: record: its event is unknown")
	w.want(w.Take(t.Context(), photos, changed("5", w.now, old, source.Row{"key": true})), "parked: key: expected a string")
}

// A version that is not the one that the record knows under its key is nobody's:
// it is condemned by itself, and the upload stays.
func TestAnotherVersionUnderAnUploadsKeyIsAdoptedAndTheUploadStays(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one")
	stranger := w.write(keys[0], "somebody else's")
	got := w.Take(t.Context(), photos, removed("e", w.now, named(stranger)))
	w.want(got, "adopted")
	w.wantAdopted(got[0], photos, stranger)
	w.wantState(r.ID, upload.StateComplete)
}
