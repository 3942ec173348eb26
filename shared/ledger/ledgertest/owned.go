package ledgertest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

var ownedTests = map[string]func(*testing.T, Ledger){
	"every upload is owned once over all segments, whole": ownedOnce,
	"thousands of uploads are owned":                      thousandsOwned,
	"a segment that does not exist owns nothing":          noSuchSegmentOwned,
	"a caller may stop while it reads what is owned":      stopOwned,
}

// owned reads all segments.
func owned(t *testing.T, l Ledger, segments int) map[upload.ID]upload.Record {
	t.Helper()
	all := map[upload.ID]upload.Record{}
	for segment := range segments {
		for r, err := range l.Owned(t.Context(), segment, segments) {
			if err != nil {
				t.Fatal(err)
			}
			if _, twice := all[r.ID]; twice {
				t.Errorf("%s is owned twice", r.ID)
			}
			all[r.ID] = r
		}
	}
	return all
}

// Without the reading of a large one's pages its keys would be unknown, and
// all its objects orphans.
func ownedOnce(t *testing.T, l Ledger) {
	var want []upload.ID
	keep := func(r upload.Record) { want = append(want, r.ID) }
	for n := range 6 { // in the head, and in pages
		e := reserving(id(n))
		e.Declared = []int{1, 3, 32, 33, 400, upload.MaxDeclared}[n]
		r := commit(t, l, upload.Record{}, e, start)
		for _, seq := range []int{1, (1 + e.Declared) / 2, e.Declared} {
			if r.Manifest.Object(upload.Key{Attempt: 1, Seq: seq}).VersionID == "" {
				r = commit(t, l, r, recorded(1, seq), start)
			}
		}
		keep(r)
	}
	keep(completed(t, l, 102))
	for n, e := range []upload.Finish{
		{Gone: 3}, {Gone: 1, Retained: upload.Retained{Count: 2, Reason: "legal hold"}},
		{Gone: 1, Retained: upload.Retained{Count: 2, Until: start.AddDate(1, 0, 0), Reason: "locked"}},
	} {
		deleted(t, l, 200+n, e)
		want = append(want, id(200+n))
	}
	for n, count := range []int{1, 10, 11, 300} {
		e := upload.Adopt{ID: id(300 + n), Source: "orphan", Orphan: true}
		for i := range count {
			e.Objects = append(e.Objects, upload.Explicit{
				Bucket: "other", Key: fmt.Sprintf("k\tü/%d", i), VersionID: "v", ETag: "e", Size: 7, LastModified: start,
			})
		}
		keep(commit(t, l, upload.Record{}, e, start))
	}
	putDocument(t, l, ledger.Document{Collection: "RUN#pass", ID: "#", Data: []byte("x")})
	for _, segments := range []int{1, 3} {
		got := owned(t, l, segments)
		if len(got) != len(want) {
			t.Errorf("%d uploads are owned in %d segments, want %d", len(got), segments, len(want))
		}
		for _, id := range want {
			if diff := cmp.Diff(ledger.Owning(load(t, l, id)), got[id]); diff != "" {
				t.Errorf("%s is another (-want +got):\n%s", id, diff)
			}
		}
	}
}

// Without the continuation, or with the end at a page without heads, the rest
// of the table would own nothing.
func thousandsOwned(t *testing.T, l Ledger) {
	const small, large = 1_200, 1 // a large one is more than a scan answers at once
	for n := range large {
		r := allKnown(t, l, reserveLarge(t, l, 9_000+n))
		commit(t, l, r, upload.Cancel{Fence: 1}, start)
	}
	const together = 20
	for n := 0; n < small; n += together {
		atOnce(t, l, together, nil, func(i int) upload.Change {
			return change(t, upload.Record{}, reserving(id(n+i)), start)
		})
	}
	got := owned(t, l, 4)
	if len(got) != small+large {
		t.Fatalf("%d uploads are owned, want %d", len(got), small+large)
	}
	for n := range large {
		if r := got[id(9_000+n)]; len(r.Manifest.Objects) != upload.MaxDeclared {
			t.Errorf("%d objects of a large one are known", len(r.Manifest.Objects))
		}
	}
}

func noSuchSegmentOwned(t *testing.T, l Ledger) {
	for _, s := range [][2]int{{0, 0}, {-1, 2}, {2, 2}} {
		for _, err := range l.Owned(t.Context(), s[0], s[1]) {
			expectError(t, err, upload.ErrRefused)
		}
	}
}

func stopOwned(t *testing.T, l Ledger) {
	for n := range 3 {
		commit(t, l, upload.Record{}, reserving(id(n)), start)
	}
	seen := 0
	for _, err := range l.Owned(t.Context(), 0, 1) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		break
	}
	if seen != 1 {
		t.Errorf("%d uploads came", seen)
	}
}
