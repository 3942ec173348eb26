package ledgertest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

var holdingTests = map[string]func(*testing.T, Ledger){
	"what is held is counted once over all segments": heldIsCountedOnce,
	"a segment that does not exist is an error":      noSuchSegment,
}

func equal(a, b upload.Record) bool { return cmp.Equal(a, b) }

func heldIsCountedOnce(t *testing.T, l Ledger) {
	for n := range 40 {
		e := reserving(id(n))
		e.Bucket, e.Declared, e.QuotaLimit = []string{"one", "two"}[n%2], 40, 1_000
		r := commit(t, l, upload.Record{}, e, start)
		commit(t, l, r, upload.RecordObject{Fence: 1, Seq: 1, VersionID: "v", Size: 100}, start)
	}
	deleted(t, l, 100, upload.Finish{Gone: 3})
	deleted(t, l, 101, upload.Finish{Gone: 1, Retained: upload.Retained{Count: 2, Reason: "legal hold"}})
	completedWithReference(t, l)
	putDocument(t, l, ledger.Document{Collection: "RUN#pass", ID: "#", Data: []byte("x")})
	want := map[string]ledger.Holding{
		"one":    {Bucket: "one", Objects: 20 * 40, Bytes: 20 * 100},
		"two":    {Bucket: "two", Objects: 20 * 40, Bytes: 20 * 100},
		"bucket": {Bucket: "bucket", Objects: 2 + 3, Bytes: 10},
	}
	for _, segments := range []int{1, 4, 7} {
		got, holdings := map[string]ledger.Holding{}, 0
		for segment := range segments {
			for h, err := range l.Holdings(t.Context(), segment, segments) {
				if err != nil {
					t.Fatal(err)
				}
				holdings++
				sum := got[h.Bucket]
				got[h.Bucket] = ledger.Holding{Bucket: h.Bucket, Objects: sum.Objects + h.Objects, Bytes: sum.Bytes + h.Bytes}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d segments (-want +got):\n%s", segments, diff)
		}
		if want := 40 + 1 + 1; holdings != want {
			t.Errorf("%d uploads hold something, want %d: a tombstone of which nothing is retained holds nothing", holdings, want)
		}
	}
}

func deleted(t *testing.T, l Ledger, n int, finish upload.Finish) {
	t.Helper()
	r := commit(t, l, upload.Record{}, reserving(id(n)), start)
	r = commit(t, l, r, upload.Cancel{Fence: 1}, start)
	now := r.DueAt.Add(time.Hour)
	r = commit(t, l, r, upload.Claim{Version: r.Version, Cutoff: now.Add(-5 * time.Minute), Worker: "w", Token: "t"}, now)
	finish.Fence = r.Fence
	commit(t, l, r, finish, now)
}

func completedWithReference(t *testing.T, l Ledger) {
	t.Helper()
	r := completed(t, l, 102)
	commit(t, l, r, upload.AddReference{Reference: upload.Reference{Source: "s", Entity: "e"}}, start)
}

func noSuchSegment(t *testing.T, l Ledger) {
	for _, s := range [][2]int{{0, 0}, {-1, 2}, {2, 2}} {
		for _, err := range l.Holdings(t.Context(), s[0], s[1]) {
			expectError(t, err, upload.ErrRefused)
		}
	}
}
