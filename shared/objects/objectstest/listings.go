package objectstest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload/uploadtest"
)

var listings = []test{
	{"keys of every kind come back as they were, and go by the version that was condemned", strangeKeys},
	{"a key that XML cannot carry is not taken for the one that XML makes of it", replacementKey},
	{"of keys that begin alike exactly one is listed", neighbours},
	{"more than 1,000 versions and markers of one key are all listed, and all go", manyVersions},
	{"a listing that is left early ends", leftEarly},
	{"two multipart uploads on one key are listed, and aborted one by one", twoMultiparts},
	{"a multipart upload that is absent already is aborted", absentMultipart},
}

// StrangeKeys are keys that break clients, XML and listings.
func StrangeKeys() []string {
	return []string{
		"plain", "with space", " leading and trailing ", "a+b", "a%20b", "a%2Bb", "%", "100%25",
		"&amp;<tag>\"'", "]]>", "question?mark#hash;semi=1", "back\\slash",
		"control\x01\x1f", "tab\tline\nreturn\r", "delete\x7f", "next\u0085line", "para\u2029", "\ufffe",
		"ünïcödé/日本語/😀", "e\u0301", "é",
		"double//slash", "/leading", "trailing/", "dot/./segment", "dot/../../segment", "..", "./a",
		strings.Repeat("ü", 512),
	}
}

func strangeKeys(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	var want []string
	var versions []uploadtest.Version
	for _, key := range StrangeKeys() {
		id := w.Write(t, b, key, "1")
		facts, err := w.Store().Stat(t.Context(), b, key, id)
		if err != nil || facts.Size != 1 {
			t.Errorf("stat %q: %+v, %v", key, facts, err)
		}
		stands(t, w, b, key, id)
		want = append(want, key)
		versions = append(versions, uploadtest.Version{Bucket: b, Key: key, VersionID: id})
	}
	slices.Sort(want)
	var got []string
	for _, v := range list(t, w, b, "") {
		got = append(got, v.Key)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	deleteAll(t, w, b, uploadtest.Condemned(t, versions...))
	if left := list(t, w, b, ""); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}

// Without the way around XML, the delete of the first would be sent as one of
// the second: both have a version called null, so a stranger's object is gone.
func replacementKey(t *testing.T, w World) {
	b := w.Bucket(t, Never)
	const condemned, stranger = "a\x01b", "a\ufffdb"
	w.Write(t, b, condemned, "1")
	w.Write(t, b, stranger, "1")
	w.SetVersioning(t, b, Enabled)
	deleteAll(t, w, b, condemn(t, b, condemned, "null"))
	stands(t, w, b, condemned)
	stands(t, w, b, stranger, "null")
}

// Without equality, a1 and a/ would be listed, condemned and deleted for a.
func neighbours(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	ids := map[string]string{}
	for _, key := range []string{"a", "a1", "a/", "a/b", "a!", "A", "aa"} {
		ids[key] = w.Write(t, b, key, "1")
	}
	for key, id := range ids {
		stands(t, w, b, key, id)
	}
	stands(t, w, b, "a/c")
	deleteAll(t, w, b, condemn(t, b, "a", idsOf(t, w, b, "a")...))
	if left := list(t, w, b, ""); len(left) != len(ids)-1 {
		t.Errorf("left: %+v", left)
	}
}

// With the key marker alone, a page that ends within the key skips the rest of
// it; with no paging, all but the first thousand would be left behind.
func manyVersions(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	const rounds = 351 // each two versions and one marker
	var want, markers []string
	for range rounds {
		marker := w.Mark(t, b, "a")
		markers = append(markers, marker)
		want = append(want, w.Write(t, b, "a", "1"), w.Write(t, b, "a", "2"), marker)
	}
	neighbour := w.Write(t, b, "a1", "1")
	stands(t, w, b, "a", want...)
	got := 0
	for _, v := range list(t, w, b, "a") {
		if v.Marker {
			got++
		}
	}
	if got != len(markers) {
		t.Errorf("%d markers, want %d", got, len(markers))
	}
	for batch := range slices.Chunk(want, objects.MaxPerDelete) {
		deleteAll(t, w, b, condemn(t, b, "a", batch...))
	}
	stands(t, w, b, "a")
	stands(t, w, b, "a1", neighbour)
}

func leftEarly(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	w.Write(t, b, "a", "1")
	w.Write(t, b, "b", "1")
	for v, err := range w.Store().Versions(t.Context(), b, "") {
		if err != nil || v.Key != "a" {
			t.Errorf("first: %+v, %v", v, err)
		}
		break
	}
}

func twoMultiparts(t *testing.T, w World) {
	b, s := w.Bucket(t, Enabled), w.Store()
	const key = "a key+%20&</é"
	first, err := s.BeginMultipart(t.Context(), b, key, "")
	must(t, err)
	second, err := s.BeginMultipart(t.Context(), b, key, "")
	must(t, err)
	neighbour, err := s.BeginMultipart(t.Context(), b, key+"1", "")
	must(t, err)
	unfinished(t, w, b, key, first, second, neighbour)
	must(t, s.Abort(t.Context(), b, key, first))
	unfinished(t, w, b, key, second, neighbour)
	must(t, s.Abort(t.Context(), b, key, second))
	unfinished(t, w, b, key, neighbour)
}

func unfinished(t *testing.T, w World, bucket, prefix string, want ...string) {
	t.Helper()
	var got []string
	for m, err := range w.Store().Multiparts(t.Context(), bucket, prefix) {
		must(t, err)
		if !strings.HasPrefix(m.Key, prefix) || m.Begun.IsZero() {
			t.Errorf("listed %+v", m)
		}
		got = append(got, m.UploadID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("multipart uploads (-want +got):\n%s", diff)
	}
}

func absentMultipart(t *testing.T, w World) {
	b, s := w.Bucket(t, Enabled), w.Store()
	id, err := s.BeginMultipart(t.Context(), b, "a", "")
	must(t, err)
	must(t, s.Abort(t.Context(), b, "a", id))
	must(t, s.Abort(t.Context(), b, "a", id))
	unfinished(t, w, b, "")
}
