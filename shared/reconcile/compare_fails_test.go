package reconcile

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// differing is a small world that has findings of every part, and how many rows
// and entries it has.
func differing() (w world, rows, entries int) {
	var r []keptRow
	var e []keptEntry
	for i := range 40 {
		key := string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		if i%4 != 0 {
			r = append(r, row("v", named(key), sized(int64(i%3))))
		}
		if i%5 != 0 {
			e = append(e, entry("v", entryOf(key), stating(1)))
		}
	}
	return worldOf(3, r, e), len(r), len(e)
}

// TestAnErrorOfEitherSideAtAnyPlaceGivesNoFinding: what was read before it must
// not be judged from. Where findings went out before both sides were read, this
// would see them.
func TestAnErrorOfEitherSideAtAnyPlaceGivesNoFinding(t *testing.T) {
	_, rows, entries := differing()
	for _, side := range []side{ofInventory, ofOwner} {
		for at := range []int{rows, entries}[side] {
			w, _, _ := differing()
			if side == ofInventory {
				w.inv.failAt = at + 1
			} else {
				w.own.failAt = at + 1
			}
			o := testOptions()
			o.Threads = 1 + at%4
			got, err := w.compared(t.Context(), t, o)
			if !errors.Is(err, errTorn) {
				t.Fatalf("side %d, row %d: error %v", side, at+1, err)
			}
			if len(got.findings) > 0 || got.summary.Counts != nil {
				t.Fatalf("side %d, row %d: %d findings came out", side, at+1, len(got.findings))
			}
		}
	}
}

// TestAnErrorOfTheSecondLookGivesNoFinding: a row that was there at first and
// is not when its name is asked for.
func TestAnErrorOfTheSecondLookGivesNoFinding(t *testing.T) {
	for _, side := range []side{ofInventory, ofOwner} {
		w, rows, entries := differing()
		w.inv.seekable, w.own.seekable = true, true
		w.inv.reached = func(n int) {
			if n == rows && side == ofInventory {
				w.inv.failAt = 2
			}
		}
		w.own.reached = func(n int) {
			if n == entries && side == ofOwner {
				w.own.failAt = 2
			}
		}
		o := testOptions()
		o.Threads = 1
		got, err := w.compared(t.Context(), t, o)
		if err == nil || len(got.findings) > 0 {
			t.Errorf("side %d: error %v and %d findings", side, err, len(got.findings))
		}
	}
}

// TestWhatEachSideSaysOfAllIsAskedBeforeAnyFinding lists what refuses a run that
// was read to its end.
func TestWhatEachSideSaysOfAllIsAskedBeforeAnyFinding(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*world, *Options)
		says   string
	}{
		"no entry":         {func(w *world, _ *Options) { w.own.parts = nil }, "everything would be an orphan"},
		"no row":           {func(w *world, _ *Options) { w.inv.parts = nil }, "everything would be missing"},
		"no row in a part": {func(w *world, _ *Options) { w.inv.parts = make([][]keptRow, 2) }, "everything would be missing"},
		"another bucket": {func(w *world, _ *Options) {
			for _, part := range w.own.parts {
				for i := range part {
					part[i].Bucket = "another"
				}
			}
		}, "another bucket"},
		"an old inventory": {func(_ *world, o *Options) { o.Against = began.Add(5 * day) }, "take a newer one"},
		"more than the disk has": {func(w *world, _ *Options) {
			w.inv.manifest.Files = []inventory.Stated{{Size: 1 << 55}}
		}, "folder for temporary files"},
		"no folder": {func(_ *world, o *Options) {
			o.TempDir, o.Memory = filepath.Join(o.TempDir, "secret"), 1
		}, "make a temporary file: open: no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, _ := differing()
			o := testOptions()
			o.TempDir = t.TempDir()
			c.change(&w, &o)
			sent := 0
			_, err := Compare(t.Context(), w.inv, w.own, o, func(Finding) error { sent++; return nil })
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") || sent > 0 {
				t.Errorf("error %v after %d findings, wanted one that says %q", err, sent, c.says)
			}
		})
	}
}

func TestAnEmptyInventoryIsAcceptedWhenAskedFor(t *testing.T) {
	w, _, entries := differing()
	w.inv.parts = nil
	o := testOptions()
	o.AllowEmpty = true
	if got := w.mustCompare(t, o); got.summary.Counts[Missing].Count != int64(entries) {
		t.Errorf("counts %v", got.summary.Counts)
	}
}

// TestAComparisonEndsWhenItIsCancelled at any of its places, and leaves nothing.
func TestAComparisonEndsWhenItIsCancelled(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 6))
		w := randomWorld(rng, 3, 300)
		ctx, cancel := context.WithCancel(t.Context())
		places := 0
		at := rng.IntN(600)
		step := func(int) {
			if places++; places == at {
				cancel()
			}
		}
		w.inv.reached, w.own.reached = step, step
		o := testOptions()
		o.Threads, o.Memory = 1, 1
		got, err := w.compared(ctx, t, o)
		switch {
		case ctx.Err() == nil && err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		case err != nil && !errors.Is(err, context.Canceled):
			t.Fatalf("seed %d: cancelled at %d: %v", seed, at, err)
		case ctx.Err() != nil && err == nil && len(got.findings) > 0 && at < 10:
			t.Fatalf("seed %d: cancelled at %d and judged all the same", seed, at)
		}
		cancel()
	}
}

func TestAComparisonThatIsCancelledBeforeItBeginsReadsNothing(t *testing.T) {
	w, _, _ := differing()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := w.compared(ctx, t, testOptions())
	if !errors.Is(err, context.Canceled) || len(got.findings) > 0 {
		t.Errorf("error %v, %d findings", err, len(got.findings))
	}
}

// TestAnErrorOfTheSinkEndsTheComparison: it is not called again.
func TestAnErrorOfTheSinkEndsTheComparison(t *testing.T) {
	w, _, _ := differing()
	full, calls := errors.New("full"), 0
	_, err := Compare(t.Context(), w.inv, w.own, testOptions(), func(Finding) error {
		calls++
		if calls == 3 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || calls != 3 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}
