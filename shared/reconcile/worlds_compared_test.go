package reconcile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// batchOf is some worlds of one setting, side by side in one inventory: that
// they do not touch each other is part of what is tested.
func batchOf(s setting, seeds ...uint64) *history {
	all := &history{setting: s}
	for _, seed := range seeds {
		h := newHistory(s, seed)
		all.rows, all.entries = append(all.rows, h.rows...), append(all.entries, h.entries...)
		all.truth = append(all.truth, h.truth...)
		all.duplicates += h.duplicates
	}
	// One key that is there for sure, so that no side is empty.
	r := row(inventory.NullVersion, named("always"))
	if s.currentOnly {
		r.VersionID, r.Marker = "", inventory.Unknown
	}
	all.rows = append(all.rows, r)
	all.entries = append(all.entries, entry("", entryOf("always")))
	all.truth = append(all.truth, line3(OK, "always", inventory.NullVersion))
	slices.Sort(all.truth)
	return all
}

// seq yields the rows as a reader would: in one buffer that is used again.
func (h *history) seq() iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) {
		for _, r := range h.rows {
			if !yield(bytesOfRow(r), nil) {
				return
			}
		}
	}
}

// writeInventory writes the rows as S3 delivers them, several files of them, and
// returns the manifest's path.
func (h *history) writeInventory(t testing.TB, folder string, format inventory.Format) string {
	t.Helper()
	key, err := inventory.Write(t.Context(), inventory.Folder(folder), inventory.Delivery{
		Bucket: testBucket, Destination: "inventories", Prefix: "inv", Config: "daily", Created: began, Format: format,
		CurrentOnly: h.currentOnly, RowsPerFile: int64(len(h.rows)/3 + 1), TempDir: folder,
	}, h.seq())
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, filepath.FromSlash(key))
}

// writeLists writes the entries as two key lists, or as one if there is no
// second entry: an empty list is refused.
func (h *history) writeLists(t testing.TB, folder string) (names []string) {
	t.Helper()
	half := (len(h.entries) + 1) / 2
	for part := range slices.Chunk(h.entries, half) {
		var list bytes.Buffer
		for _, e := range part {
			text, err := json.Marshal(listed(e))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&list, "%s\n", text)
		}
		name := fmt.Sprintf("%d.jsonl", len(names))
		if err := os.WriteFile(filepath.Join(folder, name), list.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// listed is an entry as a line of a key list.
func listed(e keptEntry) map[string]any {
	l := map[string]any{"bucket": e.Bucket, "tenant": e.Tenant, "upload": e.Upload, "state": e.State.String()}
	if utf8.ValidString(e.Key) {
		l["key"] = e.Key
	} else {
		l["key_base64"] = []byte(e.Key)
	}
	if e.VersionID != "" {
		l["version_id"] = e.VersionID
	}
	if e.Size != manifest.NoSize {
		l["size"] = e.Size
	}
	if e.ETag != "" {
		l["etag"] = `"` + e.ETag + `"`
	}
	if e.RecordedAt != manifest.NoTime {
		l["recorded_at"] = time.UnixMilli(e.RecordedAt).UTC()
	}
	return l
}

func (s setting) options(rng *rand.Rand) Options {
	o := testOptions()
	o.ManifestAt, o.All, o.Threads = began.Add(s.manifestAt), true, 1+rng.IntN(4)
	return o
}

// mustCompareAs compares real files, and asks for the truth.
func (h *history) mustCompareAs(t testing.TB, format inventory.Format, o Options, what string) {
	t.Helper()
	folder := t.TempDir()
	inv := openInventory(t, h.writeInventory(t, folder, format))
	own := openLists(t, folder, h.writeLists(t, folder)...)
	lines, summary, err := compareReaders(t, inv, own, o)
	if err != nil {
		t.Fatalf("%s in %s: %v", what, format, err)
	}
	if got := sortedTruth(lines); !slices.Equal(h.truth, got) {
		t.Fatalf("%s in %s, %+v\n%s", what, format, h.setting, cmp.Diff(h.truth, got))
	}
	if summary.Duplicates != int64(h.duplicates) {
		t.Fatalf("%s in %s: %d rows collapsed, %d were added", what, format, summary.Duplicates, h.duplicates)
	}
	counts := map[Verdict]int64{}
	for _, f := range lines {
		counts[f.Verdict]++
	}
	o.All = false // then what matches is counted without another look
	_, again, err := compareReaders(t, inv, own, o)
	if err != nil {
		t.Fatalf("%s in %s: %v", what, format, err)
	}
	for _, v := range Verdicts() {
		if counts[v] != again.Counts[v].Count {
			t.Fatalf("%s in %s: %d × %s with every line, %d counted without", what, format, counts[v], v, again.Counts[v].Count)
		}
	}
}

// The whole way: files of an inventory and key lists, the fingerprints, the
// second look, the judge. Most worlds share an inventory with others; some have
// their own.
func TestRandomWorldsAreComparedAsTheyWere(t *testing.T) {
	const perBatch = 250
	for first := uint64(0); first < howManyWorlds(); first += perBatch {
		rng := rand.New(rand.NewPCG(first, 2))
		s := drawSetting(rng)
		var seeds []uint64
		for seed := first; seed < first+perBatch; seed++ {
			seeds = append(seeds, seed)
		}
		batch := batchOf(s, seeds...)
		for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet} {
			batch.mustCompareAs(t, format, s.options(rng), fmt.Sprintf("worlds from %d", first))
		}
	}
	for seed := range howManyWorlds() / 100 {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := drawSetting(rng)
		o := s.options(rng)
		o.trial.keyCount = rng.IntN(4) // also keys that are too big to be held at once
		batchOf(s, seed).mustCompareAs(t, []inventory.Format{inventory.CSV, inventory.Parquet}[seed%2], o, fmt.Sprintf("world %d", seed))
	}
}

// Two rows of a version that differ in their ETag alone conflict, and are one
// row twice if they do not. Parquet is read without ETags where no entry states
// one: were such rows looked up without them too, the first would be an orphan,
// and could be held.
func TestRowsOfOneVersionConflictByAnETagThatNoEntryStates(t *testing.T) {
	h := &history{
		rows: rowsOf(
			row("v1", named("owned"), etagged("e1")),
			row("v2", named("stray"), etagged("e2")), row("v2", named("stray"), etagged("e3")), row("v3", named("stray"), etagged("e3")),
			row("v4", named("twice"), etagged("e4")), row("v4", named("twice"), etagged("e4")),
		),
		entries: []keptEntry{entry("v1", entryOf("owned"))},
	}
	folder := t.TempDir()
	inv := openInventory(t, h.writeInventory(t, folder, inventory.Parquet))
	lines, s, err := compareReaders(t, inv, openLists(t, folder, h.writeLists(t, folder)...), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Verdict{}
	for _, line := range lines {
		got[line.VersionID] = line.Verdict
	}
	want := map[string]Verdict{"v2": Conflict, "v3": Orphan, "v4": Orphan}
	if diff := cmp.Diff(want, got); diff != "" || s.Duplicates != 1 {
		t.Errorf("%d duplicates, and:\n%s", s.Duplicates, diff)
	}
}
