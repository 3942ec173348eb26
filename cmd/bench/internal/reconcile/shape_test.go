package reconcile

import (
	"maps"
	"testing"
)

// TestTheDataHasWhatTheBenchmarkChecks counts, over a small world, what a
// comparison must find.
func TestTheDataHasWhatTheBenchmarkChecks(t *testing.T) {
	s := newShape(20_000)
	type version struct{ key, version string }
	stored := map[version]object{}
	for i := range s.rows {
		o := s.stored(i)
		stored[version{o.key, o.version}] = o
		if len(o.key) < 80 || len(o.key) > 92 {
			t.Fatalf("a key of %d bytes", len(o.key))
		}
	}
	if int64(len(stored)) != s.rows {
		t.Fatalf("%d versions are different, of %d", len(stored), s.rows)
	}
	got := map[string]int64{}
	for i := range s.owned() {
		o := s.listed(i)
		v := version{o.key, o.version}
		row, ok := stored[v]
		delete(stored, v)
		switch {
		case !ok && created.Sub(o.modified).Hours() <= 48:
			got["unsettled"]++
		case !ok:
			got["missing"]++
		case row.size != o.size:
			got["corrupt"]++
		default:
			got["ok"]++
		}
	}
	for _, o := range stored {
		if created.Sub(o.modified).Hours() > 168 {
			got["orphan"]++
		} else {
			got["too_fresh"]++
		}
	}
	if err := s.check(answer{Counts: maps.Clone(got)}, true); err != nil {
		t.Error(err)
	}
}
