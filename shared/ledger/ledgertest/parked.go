package ledgertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

var parkedTests = map[string]func(*testing.T, Ledger){
	"what is parked is found once over all segments, and nothing else": parkedOnce,
	"a segment that does not exist has nothing parked":                 noSuchSegmentParked,
	"a caller may stop while it reads what is parked":                  stopParked,
}

// parked lets the purge of an upload fail until its attempts are used up.
func parked(t *testing.T, l Ledger, n, declared int) upload.Record {
	t.Helper()
	e := reserving(id(n))
	e.Declared = declared
	r := commit(t, l, upload.Record{}, e, start)
	r = commit(t, l, r, upload.Cancel{Fence: 1}, start)
	now := r.DueAt.Add(time.Hour)
	r = commit(t, l, r, upload.Claim{Version: r.Version, Cutoff: now.Add(-5 * time.Minute), Worker: "w", Token: "t"}, now)
	for r.ParkedAt.IsZero() {
		r = commit(t, l, r, upload.Retry{Fence: r.Fence, Error: "access denied"}, now)
		if r.ParkedAt.IsZero() {
			r = commit(t, l, r, upload.Reclaim{Worker: "w", Token: fmt.Sprintf("t-%d", r.Attempts)}, now)
		}
	}
	return r
}

// What is parked is in no index: whom this does not find, nobody does.
func parkedOnce(t *testing.T, l Ledger) {
	want := map[upload.ID]upload.Record{}
	for n := range 6 { // in the head, and in pages
		r := parked(t, l, n, []int{1, 3, 32, 33, 400, 9_000}[n])
		want[r.ID] = ledger.Head(r)
	}
	commit(t, l, upload.Record{}, reserving(id(100)), start)
	deleted(t, l, 101, upload.Finish{Gone: 3})
	completed(t, l, 102)
	r := parked(t, l, 103, 2)
	r = commit(t, l, r, upload.Unpark{}, start.Add(72*time.Hour))
	commit(t, l, r, upload.Reclaim{Worker: "w", Token: "again"}, start.Add(73*time.Hour))
	putDocument(t, l, ledger.Document{Collection: "RUN#pass", ID: "#", Data: []byte("x")})
	for _, segments := range []int{1, 3} {
		got := map[upload.ID]upload.Record{}
		for segment := range segments {
			for r, err := range l.Parked(t.Context(), segment, segments) {
				if err != nil {
					t.Fatal(err)
				}
				if _, twice := got[r.ID]; twice {
					t.Errorf("%s came twice", r.ID)
				}
				got[r.ID] = r
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d segments (-want +got):\n%s", segments, diff)
		}
	}
	if p := policy.Default(); want[id(0)].Attempts != p.MaxAttempts || want[id(0)].LastError != "access denied" {
		t.Errorf("%d attempts, %q", want[id(0)].Attempts, want[id(0)].LastError)
	}
}

func noSuchSegmentParked(t *testing.T, l Ledger) {
	for _, s := range [][2]int{{0, 0}, {-1, 2}, {2, 2}} {
		for _, err := range l.Parked(t.Context(), s[0], s[1]) {
			expectError(t, err, upload.ErrRefused)
		}
	}
}

func stopParked(t *testing.T, l Ledger) {
	for n := range 3 {
		parked(t, l, n, 1)
	}
	seen := 0
	for _, err := range l.Parked(t.Context(), 0, 1) {
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
