package reconcile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// held are the worlds in memory, dealt out to parts.
func (h *history) held(parts int) world {
	w := worldOf(parts, h.rows, h.entries)
	w.inv.seekable, w.own.seekable = true, true
	return w
}

func drawWorlds(t *rapid.T) (*history, Options) {
	seed := rapid.Uint64Range(0, 1<<20).Draw(t, "seed")
	s := drawSetting(rand.New(rand.NewPCG(seed, 1)))
	o := testOptions()
	o.ManifestAt, o.All = began.Add(s.manifestAt), true
	o.Threads = rapid.IntRange(1, 4).Draw(t, "threads")
	return batchOf(s, seed, seed+1), o
}

// What S3 puts into which file, and in what order, is its own business.
func TestHowTheListsAreSplitDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h, o := drawWorlds(r)
		for range 2 {
			h.rows = rapid.Permutation(h.rows).Draw(r, "rows")
			h.entries = rapid.Permutation(h.entries).Draw(r, "entries")
			got := h.held(rapid.IntRange(1, 6).Draw(r, "parts")).mustCompare(t, o)
			if lines := sortedTruth(got.findings); !slices.Equal(lines, h.truth) {
				r.Fatalf("verdicts %q, want %q", lines, h.truth)
			}
		}
	})
}

// A run that could not read everything has nothing to say: were it otherwise,
// what was not read of the manifest would be an orphan, and what was not read
// of the inventory would be missing.
func TestASideThatFailsYieldsNoFindings(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h, o := drawWorlds(r)
		w := h.held(rapid.IntRange(1, 4).Draw(r, "parts"))
		if rapid.Bool().Draw(r, "the owner's") {
			w.own.failAt = rapid.IntRange(1, len(h.entries)).Draw(r, "entry")
		} else {
			w.inv.failAt = rapid.IntRange(1, len(h.rows)).Draw(r, "row")
		}
		got, err := w.compared(t.Context(), t, o)
		if err == nil || len(got.findings) > 0 || len(got.summary.Counts) > 0 {
			r.Fatalf("%d findings, %v, %v", len(got.findings), got.summary.Counts, err)
		}
	})
}

func TestAnUnrelatedKeyChangesNothingElse(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h, o := drawWorlds(r)
		other := newHistory(h.setting, rapid.Uint64Range(1<<30, 1<<31).Draw(r, "other"))
		h.rows, h.entries = append(h.rows, other.rows...), append(h.entries, other.entries...)
		got := h.held(2).mustCompare(t, o)
		want := slices.Sorted(slices.Values(slices.Concat(h.truth, other.truth)))
		if lines := sortedTruth(got.findings); !slices.Equal(lines, want) {
			r.Fatalf("verdicts %q, want %q", lines, want)
		}
	})
}

// An empty or foreign manifest must never make orphans, nor an empty inventory
// missing objects, unless a person allows the latter.
func TestAnEmptySideIsRefused(t *testing.T) {
	s := setting{manifestAt: taken.Sub(began), versioned: true, ids: true, etags: true, latest: true, sizes: true, modified: true}
	o := s.options(rand.New(rand.NewPCG(1, 1)))
	for _, c := range []struct {
		name    string
		change  func(*history)
		allowed bool
	}{
		{"a manifest without entries", func(h *history) { h.entries = nil }, false},
		{"a manifest of another bucket", func(h *history) {
			for i := range h.entries {
				h.entries[i].Bucket = "elsewhere"
			}
		}, false},
		{"an inventory without rows", func(h *history) { h.rows = nil }, true},
		{"versions without IsDeleteMarker", func(h *history) {
			for i := range h.rows {
				h.rows[i].Marker = inventory.Unknown
			}
		}, false},
	} {
		h := batchOf(s, 1, 2, 3)
		c.change(h)
		for _, allow := range []bool{false, true} {
			o.AllowEmpty = allow
			got, err := h.held(2).compared(t.Context(), t, o)
			if accepted := err == nil; accepted != (allow && c.allowed) || !accepted && len(got.findings) > 0 {
				t.Errorf("%s, empty ones allowed %v: %v, %d findings", c.name, allow, err, len(got.findings))
			}
			for _, f := range got.findings {
				if f.Verdict == Orphan {
					t.Errorf("%s makes orphans", c.name)
				}
			}
		}
	}
}

// The judge's worlds do not depend on what else is drawn: the seed of a failure
// is enough to see it again.
func TestAWorldIsItsSeed(t *testing.T) {
	for seed := range uint64(20) {
		s := drawSetting(rand.New(rand.NewPCG(seed, 1)))
		if a, b := newHistory(s, seed), newHistory(s, seed); fmt.Sprint(a.rows, a.entries, a.truth) != fmt.Sprint(b.rows, b.entries, b.truth) {
			t.Errorf("world %d has two histories", seed)
		}
	}
}
