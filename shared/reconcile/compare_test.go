package reconcile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// randomWorld has few keys, versions and sizes, so that all that can meet does.
func randomWorld(rng *rand.Rand, parts, size int) world {
	var rows []keptRow
	var entries []keptEntry
	versions := []string{"", "null", "v1", "v2", "v3"}
	listed := rng.IntN(4) > 0
	etags := rng.IntN(3)
	style := rng.IntN(6)
	for range rng.IntN(size) {
		r := row(versions[1+rng.IntN(4)], named(fmt.Sprintf("k/%d", rng.IntN(size))))
		if !listed {
			r.VersionID, r.Marker = "", inventory.Unknown
		}
		if etags > 0 {
			r.ETag = fmt.Sprintf("e%d", rng.IntN(etags))
		}
		r.Latest = inventory.Answer(rng.IntN(3))
		if listed && rng.IntN(12) == 0 {
			r.Marker, r.Size = inventory.Yes, inventory.NoSize
		}
		if rng.IntN(20) == 0 {
			r.Key += "/"
			r.Size = 0
		}
		if rng.IntN(20) == 0 {
			r.Size = rng.Int64N(3) - 1
		}
		r.LastModified = after(-day * [...]time.Duration{0, 1, 6, 7, 8, 40, 400}[rng.IntN(7)])
		if rng.IntN(30) == 0 {
			r.LastModified = inventory.NoTime
		}
		rows = append(rows, r)
		if rng.IntN(30) == 0 {
			rows = append(rows, r)
		}
		if rng.IntN(4) > 0 {
			e := entry(r.VersionID, entryOf(r.Key), stating(r.Size))
			e.ETag, e.Tenant = r.ETag, fmt.Sprintf("t%d", rng.IntN(3))
			mutate(rng, &e, style)
			entries = append(entries, e)
		}
	}
	for range rng.IntN(size) / 4 {
		e := entry(versions[rng.IntN(5)], entryOf(fmt.Sprintf("k/%d", rng.IntN(size))))
		mutate(rng, &e, style)
		entries = append(entries, e)
	}
	rows = append(rows, row("v1", named("always")))
	if !listed {
		rows[len(rows)-1].VersionID = ""
	}
	entries = append(entries, entry("", entryOf("always")))
	rng.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	w := worldOf(parts, rows, entries)
	w.inv.seekable, w.own.seekable, w.inv.lean = rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0
	return w
}

func mutate(rng *rand.Rand, e *keptEntry, style int) {
	if style == 1 || rng.IntN(20) == 0 {
		e.VersionID = ""
	}
	if style == 2 || rng.IntN(20) == 0 {
		e.Size = manifest.NoSize
	}
	if style != 3 && (style != 5 || rng.IntN(4) > 0) || rng.IntN(20) == 0 { // in 5 few state one
		e.ETag = ""
	}
	if style == 4 {
		e.Tenant = ""
	}
	switch rng.IntN(12) {
	case 0:
		e.State = manifest.State(rng.IntN(4))
	case 1:
		e.State, e.Retained = manifest.Deleted, true
	case 2:
		e.RecordedAt = manifest.NoTime
	case 3:
		e.RecordedAt = after(-day * time.Duration(rng.IntN(4)))
	case 4:
		e.Bucket = "another"
	case 5:
		e.Size += 2
	case 6:
		e.ETag = strings.Repeat("x", len(e.ETag))
	}
}

// differ says how a comparison differs from the truth.
func differ(want, got seen) string {
	got.summary.TempBytes = 0
	return cmp.Diff(want.summary, got.summary) + cmp.Diff(sortedLines(want.findings), sortedLines(got.findings))
}

// TestComparisonSaysWhatTheJudgeSaysWithEverythingBeforeIt: fingerprints, spill,
// partitions and the second look change nothing, whatever the threads, the
// memory and what the inputs can, and however small the bits of a fingerprint
// that bring a key together: what meets there by chance is told apart by name.
//
// Without the plain bit (same) a delete marker or a deleted entry is `ok` when
// its name matches; with a fingerprint that has no size a corrupt one is; and
// without what is taken off (countMatched) what was looked at again is `ok` too.
func TestComparisonSaysWhatTheJudgeSaysWithEverythingBeforeIt(t *testing.T) {
	worlds := 600
	if reduced() {
		worlds = 150
	}
	for seed := range uint64(worlds) {
		rng := rand.New(rand.NewPCG(seed, 4))
		w := randomWorld(rng, 1+rng.IntN(4), 60)
		o := randomOptions(rng)
		want := w.truth(t, o)
		got, err := w.compared(t.Context(), t, o)
		if err != nil && o.Prefix != "" {
			continue // nothing is inside it
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := differ(want, got); diff != "" {
			t.Fatalf("seed %d: truth and comparison:\n%s", seed, diff)
		}
	}
}

func randomOptions(rng *rand.Rand) Options {
	o := testOptions()
	o.MaxOrphanPercent = 25
	o.Threads, o.Memory = 1+rng.IntN(8), 1<<20
	o.All = rng.IntN(3) == 0
	if rng.IntN(8) == 0 {
		o.Prefix = "k/1"
	}
	if rng.IntN(2) == 0 {
		o.trial.keyCount = 1 // every key is a big one
	}
	if rng.IntN(3) == 0 {
		o.trial.mask = &fingerprint{hi: 0xff << 56, lo: ^uint64(0)}
	}
	return o
}

// TestFingerprintsOfEightBitsHideButNeverInvent: two names with the same
// fingerprint are taken for one, and so an orphan and a missing one may cancel
// each other out. What is reported all the same is right, for it was looked at
// by name. With 128 bits the first does not happen.
func TestFingerprintsOfEightBitsHideButNeverInvent(t *testing.T) {
	hidden := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		w := randomWorld(rng, 3, 80)
		o := testOptions()
		o.Threads, o.Memory = 2, 1<<20
		want := w.truth(t, o)
		o.trial.mask = &fingerprint{hi: 0xff << 56}
		got := w.mustCompare(t, o)
		truth := sortedLines(want.findings)
		for _, line := range sortedLines(got.findings) {
			if _, ok := slices.BinarySearch(truth, line); !ok {
				t.Fatalf("seed %d: it says %s", seed, line)
			}
		}
		hidden += len(want.findings) - len(got.findings)
	}
	t.Logf("%d findings were hidden", hidden)
}

// TestAVersionThatBothSidesHaveTwiceIsAConflict: each row has its entry, size
// and all. Without the order of tags (matches) both would be `ok`.
func TestAVersionThatBothSidesHaveTwiceIsAConflict(t *testing.T) {
	w := worldOf(2, rowsOf(row("v"), row("v", sized(6)), row("w")), entriesOf(entry("v"), entry("v", stating(6)), entry("w")))
	got := w.mustCompare(t, testOptions()).summary.Counts
	if diff := cmp.Diff(map[Verdict]Count{Conflict: {1, 6}, OK: {1, 5}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestALookUpThatFindsLessThanItWasAskedForIsAnError of the reader: a verdict
// would lack a row. Without the count (fetchRows, fetchEntries) the judge would
// be asked all the same, and only the sum at the end would be wrong.
func TestALookUpThatFindsLessThanItWasAskedForIsAnError(t *testing.T) {
	w, _, _ := differing()
	w.inv.seekable, w.inv.forget = true, true
	got, err := w.compared(t.Context(), t, testOptions())
	if !errors.Is(err, errLookup) || len(got.findings) > 0 {
		t.Errorf("error %v, %d findings", err, len(got.findings))
	}
}
