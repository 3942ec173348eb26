package reconcile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOneVersionThatIsListedVeryOftenNeedsNoMoreMemory: a list that repeats
// itself unpacks to millions of rows from a few kilobytes. Were each of them
// held before they collapse, they would fill the memory.
func TestOneVersionThatIsListedVeryOftenNeedsNoMoreMemory(t *testing.T) {
	const times = 100_000
	inv := madeRows{parts: 3, rows: times, make: func(int) keptRow { return row("v", named("k")) }}
	own := madeEntries{parts: 2, entries: times, make: func(int) keptEntry { return entry("w", entryOf("k")) }}
	o := testOptions()
	o.Threads, o.Memory, o.MaxOrphanPercent = 2, 4<<20, 25
	o.TempDir = t.TempDir()
	got := map[Verdict]int{}
	var s Summary
	var err error
	held := peak(func() {
		s, err = Compare(t.Context(), inv, own, o, func(f Finding) error { got[f.Verdict]++; return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[Verdict]int{Orphan: 1, Changed: 1}, got); diff != "" {
		t.Error(diff)
	}
	if want := int64(times - 1); s.Duplicates != want {
		t.Errorf("%d duplicates, want %d", s.Duplicates, want)
	}
	t.Logf("%d times: %.1f MB of memory, %.1f MB of disk", times, float64(held)/1e6, float64(s.TempBytes)/1e6)
	if bound := int64(24 << 20); held > bound {
		t.Errorf("%d bytes were held, and %d are allowed", held, bound)
	}
}
