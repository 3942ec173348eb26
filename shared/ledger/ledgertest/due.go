package ledgertest

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

var dueTests = map[string]func(*testing.T, Ledger){
	"every due upload is found once, in order, whatever the page": dueInOrder,
	"equal instants are paged without loss or repetition":         equalInstants,
	"a stored position is gone on from":                           storedPosition,
	"what has no due is not in the index":                         sparse,
	"the end of the range is part of it":                          untilIsIncluded,
	"a position behind the range finds nothing":                   positionBehindRange,
	"a position of another shard is refused":                      foreignPosition,
}

// allDue pages through every shard.
func allDue(t *testing.T, l Ledger, until time.Time, limit int) []ledger.Due {
	t.Helper()
	var all []ledger.Due
	for shard := range ledger.Shards {
		all = append(all, shardDue(t, l, shard, ledger.Position{}, until, limit)...)
	}
	return all
}

func shardDue(t *testing.T, l Ledger, shard int, from ledger.Position, until time.Time, limit int) []ledger.Due {
	t.Helper()
	var all []ledger.Due
	for range 10_000 {
		page, err := l.Due(t.Context(), shard, from, until, limit)
		if err != nil {
			t.Fatalf("due: %v", err)
		}
		if len(page.Entries) > limit {
			t.Fatalf("a page of %d entries, asked for %d", len(page.Entries), limit)
		}
		all = append(all, page.Entries...)
		if !page.More {
			return all
		}
		from = page.Next
	}
	t.Fatal("the pages have no end")
	return nil
}

// population reserves uploads, the n-th due at start + hold(n).
func population(t *testing.T, l Ledger, n int, hold func(int) time.Duration) map[upload.ID]time.Time {
	t.Helper()
	due := map[upload.ID]time.Time{}
	for i := range n {
		e := reserving(id(i))
		e.HoldUntil = start.Add(hold(i))
		due[e.ID] = commit(t, l, upload.Record{}, e, start).DueAt
	}
	return due
}

func dueInOrder(t *testing.T, l Ledger) {
	want := population(t, l, 60, func(i int) time.Duration { return time.Hour + time.Duration(59-i)*time.Second })
	for _, limit := range []int{1, 3, 1_000} {
		expectAll(t, allDue(t, l, start.Add(2*time.Hour), limit), want)
	}
	for shard := range ledger.Shards {
		entries := shardDue(t, l, shard, ledger.Position{}, start.Add(2*time.Hour), 2)
		if !slices.IsSortedFunc(entries, func(a, b ledger.Due) int { return a.At.Compare(b.At) }) {
			t.Errorf("shard %d is not in order", shard)
		}
		for _, e := range entries {
			if ledger.Shard(e.ID) != shard {
				t.Errorf("shard %d has an entry of shard %d", shard, ledger.Shard(e.ID))
			}
		}
	}
}

func expectAll(t *testing.T, got []ledger.Due, want map[upload.ID]time.Time) {
	t.Helper()
	seen := map[upload.ID]bool{}
	for _, d := range got {
		if seen[d.ID] {
			t.Errorf("%s twice", d.ID)
		}
		seen[d.ID] = true
		if !want[d.ID].Equal(d.At) {
			t.Errorf("%s is due at %v, want %v", d.ID, d.At, want[d.ID])
		}
	}
	if len(seen) != len(want) {
		t.Errorf("%d entries, want %d", len(seen), len(want))
	}
}

// Without an order among equal instants, a page that ends in the midst of them
// loses the rest: those uploads would never be cleaned.
func equalInstants(t *testing.T, l Ledger) {
	want := population(t, l, 80, func(int) time.Duration { return time.Hour })
	for _, limit := range []int{1, 2} {
		expectAll(t, allDue(t, l, start.Add(time.Hour), limit), want)
	}
}

// A position is kept in a cursor for days, and made from what it names: also
// when the entry that it names is gone.
func storedPosition(t *testing.T, l Ledger) {
	population(t, l, 60, func(i int) time.Duration { return time.Hour + time.Duration(i/20)*time.Second })
	until := start.Add(2 * time.Hour)
	for shard := range ledger.Shards {
		entries := shardDue(t, l, shard, ledger.Position{}, until, 100)
		for i, e := range entries {
			rest := shardDue(t, l, shard, throughJSON(t, ledger.Position(e)), until, 100)
			if !slices.Equal(rest, entries[i+1:]) {
				t.Fatalf("shard %d behind entry %d: %d entries, want %d", shard, i, len(rest), len(entries)-i-1)
			}
		}
		if len(entries) < 2 {
			continue
		}
		r := load(t, l, entries[0].ID)
		commit(t, l, r, upload.Complete{Fence: 1}, start)
		r = load(t, l, entries[0].ID)
		if r.DueAt.Equal(entries[0].At) {
			t.Fatal("the entry is still there")
		}
		rest := shardDue(t, l, shard, throughJSON(t, ledger.Position(entries[0])), entries[len(entries)-1].At, 100)
		if !slices.Equal(rest, entries[1:]) {
			t.Errorf("shard %d behind an entry that is gone: %d entries, want %d", shard, len(rest), len(entries)-1)
		}
	}
}

func throughJSON(t *testing.T, p ledger.Position) ledger.Position {
	t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back ledger.Position
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

func sparse(t *testing.T, l Ledger) {
	e := reserving(id(1))
	e.Declared = 1
	r := commit(t, l, upload.Record{}, e, start)
	r = commit(t, l, r, upload.RecordObject{Fence: 1, Seq: 1, VersionID: "v"}, start)
	if n := len(allDue(t, l, start.AddDate(1, 0, 0), 10)); n != 1 {
		t.Fatalf("%d entries before", n)
	}
	r = commit(t, l, r, upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}}, start)
	if !r.DueAt.IsZero() {
		t.Fatal("it has a due")
	}
	if n := len(allDue(t, l, start.AddDate(1_000, 0, 0), 10)); n != 0 {
		t.Errorf("%d entries after", n)
	}
}

func untilIsIncluded(t *testing.T, l Ledger) {
	population(t, l, 1, func(int) time.Duration { return time.Hour })
	due := start.Add(time.Hour)
	for until, want := range map[time.Time]int{
		due: 1, due.Add(-time.Millisecond): 0, due.Add(time.Microsecond): 1, {}: 0,
		time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC): 1,
	} {
		if got := len(allDue(t, l, until, 10)); got != want {
			t.Errorf("until %v: %d entries, want %d", until, got, want)
		}
	}
}

func positionBehindRange(t *testing.T, l Ledger) {
	population(t, l, 1, func(int) time.Duration { return time.Hour })
	behind := ledger.Position{ID: id(0), At: start.Add(3 * time.Hour)}
	page, err := l.Due(t.Context(), ledger.Shard(id(0)), behind, start.Add(2*time.Hour), 10)
	if err != nil || len(page.Entries) != 0 || page.More {
		t.Errorf("got %+v, %v", page, err)
	}
}

func foreignPosition(t *testing.T, l Ledger) {
	at := ledger.Position{ID: id(0), At: start}
	_, err := l.Due(t.Context(), (ledger.Shard(id(0))+1)%ledger.Shards, at, start, 10)
	expectError(t, err, upload.ErrRefused)
	_, err = l.Due(t.Context(), ledger.Shards, ledger.Position{}, start, 10)
	expectError(t, err, upload.ErrRefused)
	_, err = l.Due(t.Context(), 0, ledger.Position{}, start, 0)
	expectError(t, err, upload.ErrRefused)
}
