package reconcile

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// A version that is listed twice, with two ETags, is a conflict also where its
// key has more rows than are compared with each other (alone), and where they
// are more than memory holds (partition). Were these looked up without their
// ETags, the version would be one row twice, and an orphan.
func TestRowsOfOneVersionConflictAmongManyVersions(t *testing.T) {
	for _, versions := range []int{1, keyCount - 2, keyCount + 1, 10 * keyCount, 3_000} {
		t.Run(fmt.Sprintf("%d versions", versions), func(t *testing.T) {
			var rows []keptRow
			var entries []keptEntry
			for i := range versions {
				rows = append(rows, row(fmt.Sprint("v", i), etagged("e")))
				entries = append(entries, entry(fmt.Sprint("v", i)))
			}
			rows = append(rows, row("twice", etagged("e1")), row("twice", etagged("e2")))
			w := worldOf(2, rows, entries)
			w.inv.seekable, w.inv.lean = true, true
			o := testOptions()
			o.Threads, o.Memory = 8, 1<<20 // 32 KiB of records at once
			got := w.mustCompare(t, o).summary.Counts
			want := map[Verdict]Count{OK: {int64(versions), 5 * int64(versions)}, Conflict: {1, 5}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// countedRows counts what is looked up with its ETag.
type countedRows struct {
	*heldRows
	whole *atomic.Int64
}

func (c countedRows) Lookup(ctx context.Context, part int, numbers []int64) iter.Seq2[*inventory.Row, error] {
	c.whole.Add(int64(len(numbers)))
	return c.heldRows.Lookup(ctx, part, numbers)
}

// Only what may conflict by an ETag that nobody states is looked up with it: the
// two rows of one version here. Without the difference every orphan would be.
func TestRowThatIsAloneIsLookedUpWithoutItsETag(t *testing.T) {
	var rows []keptRow
	for i := range 20 {
		rows = append(rows, row("v1", named(fmt.Sprint("stray/", i)), etagged("e")), row("v2", named(fmt.Sprint("stray/", i)), etagged("e")))
	}
	rows = append(rows, row("v", named("owned")), row("v3", named("stray/7"), etagged("e")), row("v3", named("stray/7"), etagged("f")))
	w := worldOf(3, rows, entriesOf(entry("v", entryOf("owned"))))
	w.inv.seekable, w.inv.lean = true, true
	counted := countedRows{w.inv, new(atomic.Int64)}
	lines, _, err := compareReaders(t, counted, w.own, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	if n := counted.whole.Load(); n != 2 || len(lines) != 41 {
		t.Errorf("%d rows of %d findings were looked up with their ETag, want 2 of 41", n, len(lines))
	}
}

// One entry states an ETag and many do not: its row is compared by it all the
// same. Were the inventory read without ETags because most say nothing of them,
// the damage would not be noticed.
func TestETagThatOnlyOneEntryStatesIsCompared(t *testing.T) {
	h := &history{rows: rowsOf(row("v", named("damaged"), etagged("is"))), entries: entriesOf(entry("v", entryOf("damaged")))}
	h.entries[0].ETag = "was"
	for i := range 30 {
		h.rows = append(h.rows, row("v", named(fmt.Sprint("owned/", i)), etagged("e")))
		h.entries = append(h.entries, entry("v", entryOf(fmt.Sprint("owned/", i))))
	}
	folder := t.TempDir()
	inv := openInventory(t, h.writeInventory(t, folder, inventory.Parquet))
	_, s, err := compareReaders(t, inv, openLists(t, folder, h.writeLists(t, folder)...), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[Verdict]Count{OK: {30, 150}, Corrupt: {1, 5}}, s.Counts); diff != "" {
		t.Error(diff)
	}
}

// A pair is counted when its row comes, and taken back when a third record does:
// in every order of parts. Counted twice, or not taken back, the sums would not
// agree, and the comparison would be refused.
func TestThirdRecordOfAPairIsLookedAt(t *testing.T) {
	one, other := row("v"), row("w", sized(6))
	states, named6 := entry("v"), entry("w", stating(6))
	keyOnly := entry("")
	for name, test := range map[string]struct {
		rows    []keptRow
		entries []keptEntry
		want    map[Verdict]Count
	}{
		"a pair":                      {rowsOf(one), entriesOf(states), map[Verdict]Count{OK: {1, 5}}},
		"its row twice":               {rowsOf(one, one), entriesOf(states), map[Verdict]Count{OK: {1, 5}}},
		"its row three times":         {rowsOf(one, one, one), entriesOf(states), map[Verdict]Count{OK: {1, 5}}},
		"its entry twice":             {rowsOf(one), entriesOf(states, states), map[Verdict]Count{OK: {1, 5}}},
		"both twice":                  {rowsOf(one, one), entriesOf(states, states), map[Verdict]Count{OK: {1, 5}}},
		"another version":             {rowsOf(one, other), entriesOf(states), map[Verdict]Count{OK: {1, 5}, Orphan: {1, 6}}},
		"another entry":               {rowsOf(one), entriesOf(states, named6), map[Verdict]Count{OK: {1, 5}, Changed: {1, 6}}},
		"another pair":                {rowsOf(one, other), entriesOf(states, named6), map[Verdict]Count{OK: {2, 11}}},
		"a pair by the key":           {rowsOf(one), entriesOf(keyOnly), map[Verdict]Count{OK: {1, 5}}},
		"by the key, its row twice":   {rowsOf(one, one), entriesOf(keyOnly), map[Verdict]Count{OK: {1, 5}}},
		"by the key, its entry twice": {rowsOf(one), entriesOf(keyOnly, keyOnly), map[Verdict]Count{OK: {1, 5}}},
		"two rows and no entry, where entries state a key and nothing else": {
			rowsOf(one, row("v", named("stray")), row("v", named("stray"))), entriesOf(entry("", stating(manifest.NoSize))),
			map[Verdict]Count{OK: {1, 5}, Orphan: {1, 5}},
		},
		"by the key, both of them often": {rowsOf(one, one, one), entriesOf(keyOnly, keyOnly, keyOnly), map[Verdict]Count{OK: {1, 5}}},
	} {
		t.Run(name, func(t *testing.T) {
			for parts := 1; parts <= 3; parts++ {
				for _, all := range []bool{false, true} {
					w := worldOf(parts, test.rows, test.entries)
					o := testOptions()
					o.All = all
					s := w.mustCompare(t, o).summary
					if diff := cmp.Diff(test.want, s.Counts); diff != "" {
						t.Errorf("%d parts, all %t:\n%s", parts, all, diff)
					}
					if s.Rows != int64(len(test.rows)) || s.Entries != int64(len(test.entries)) {
						t.Errorf("%d rows and %d entries", s.Rows, s.Entries)
					}
				}
			}
		})
	}
}

// Where the entries name keys alone, no row's record has its version, and every
// other row of the key may be of it.
func TestRowsOfOneVersionConflictWhereNoEntryNamesAVersion(t *testing.T) {
	w := worldOf(1, rowsOf(row("v", named("owned")), row("v", named("stray"), etagged("e1")), row("v", named("stray"), etagged("e2"))),
		entriesOf(entry("", entryOf("owned"))))
	w.inv.seekable, w.inv.lean = true, true
	got := w.mustCompare(t, testOptions()).summary.Counts
	if diff := cmp.Diff(map[Verdict]Count{OK: {1, 5}, Conflict: {1, 5}}, got); diff != "" {
		t.Error(diff)
	}
}
