package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
)

var created = time.Date(2026, 11, 28, 1, 0, 0, 0, time.UTC)

// delivery is what the tests write unless they say otherwise.
func delivery(t testing.TB, format inventory.Format) inventory.Delivery {
	return inventory.Delivery{
		Bucket: "uploads-eu", Destination: "inventories", Prefix: "inv", Config: "daily",
		Created: created, Format: format, RowsPerFile: 20, TempDir: t.TempDir(),
	}
}

// rowsOf yields every row of a reader.
func rowsOf(ctx context.Context, r inventory.Reader) iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) {
		for part := range r.Parts() {
			for row, err := range r.Rows(ctx, part) {
				if !yield(row, err) {
					return
				}
			}
		}
	}
}

// below lists the files under a folder.
func below(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != root {
			inside, _ := filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(inside))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestWrittenInventoryReadsBackTheSame(t *testing.T) {
	sample := openLocal(t, sampleManifest(inventory.CSV))
	for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet} {
		t.Run(string(format), func(t *testing.T) {
			root, d := t.TempDir(), delivery(t, format)
			key, err := inventory.Write(t.Context(), inventory.Folder(root), d, rowsOf(t.Context(), sample))
			if err != nil {
				t.Fatal(err)
			}
			if key != "inv/uploads-eu/daily/2026-11-28T01-00Z/manifest.json" {
				t.Errorf("manifest's key is %s", key)
			}
			r := openLocal(t, filepath.Join(root, filepath.FromSlash(key)))
			if diff := cmp.Diff(allRows(t, sample), allRows(t, r)); diff != "" {
				t.Errorf("sample (-) and what was written (+) differ:\n%s", diff)
			}
			m := r.Manifest()
			if len(m.Files) != 3 || !m.Created.Equal(created) || m.Destination != "inventories" || m.Prefix != "inv/" || m.Config != "daily" {
				t.Errorf("manifest says %+v", m)
			}
			if left := below(t, d.TempDir); len(left) > 0 {
				t.Errorf("left in the temporary folder: %v", left)
			}
		})
	}
}

func TestSameRowsAreWrittenAsTheSameBytesAndNames(t *testing.T) {
	sample := openLocal(t, sampleManifest(inventory.CSV))
	for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet} {
		var trees [2]map[string]string
		for i := range trees {
			root := t.TempDir()
			if _, err := inventory.Write(t.Context(), inventory.Folder(root), delivery(t, format), rowsOf(t.Context(), sample)); err != nil {
				t.Fatal(err)
			}
			trees[i] = map[string]string{}
			for _, name := range below(t, root) {
				content, _ := os.ReadFile(filepath.Join(root, name)) // a folder has none
				trees[i][name] = string(content)
			}
		}
		if diff := cmp.Diff(trees[0], trees[1]); diff != "" {
			t.Errorf("%s: two runs differ:\n%s", format, diff)
		}
	}
}

func TestListOfCurrentVersionsHasNoVersionIDs(t *testing.T) {
	sample := openLocal(t, sampleManifest(inventory.CSV))
	for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet} {
		root, d := t.TempDir(), delivery(t, format)
		d.CurrentOnly = true
		key, err := inventory.Write(t.Context(), inventory.Folder(root), d, rowsOf(t.Context(), sample))
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range rowsOf(t.Context(), openLocal(t, filepath.Join(root, key))) {
			if err != nil {
				t.Fatal(err)
			}
			if len(row.VersionID) > 0 || row.Latest != inventory.Unknown || row.Marker != inventory.Unknown {
				t.Fatalf("%s: %s", format, printed(row))
			}
		}
	}
}

func TestInventoryOfTheSameMinuteIsNotOverwritten(t *testing.T) {
	root := t.TempDir()
	none := func(func(*inventory.Row, error) bool) {}
	if _, err := inventory.Write(t.Context(), inventory.Folder(root), delivery(t, inventory.CSV), none); err != nil {
		t.Fatal(err)
	}
	before := below(t, root)
	_, err := inventory.Write(t.Context(), inventory.Folder(root), delivery(t, inventory.CSV), none)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("second: %v", err)
	}
	if diff := cmp.Diff(before, below(t, root)); diff != "" {
		t.Errorf("the refused one changed files:\n%s", diff)
	}
}

// failing is a sink whose n-th put fails: before it is done, or after, when
// only the answer is lost.
type failing struct {
	inventory.Sink
	n     int
	after bool
	puts  []string
}

func (f *failing) Put(ctx context.Context, key string, body io.ReadSeeker, size int64) error {
	f.puts = append(f.puts, key)
	if len(f.puts) != f.n {
		return f.Sink.Put(ctx, key, body, size)
	}
	if f.after {
		if err := f.Sink.Put(ctx, key, body, size); err != nil {
			return err
		}
	}
	return errors.New("no answer")
}

// Without the removal of what was written, an inventory that failed half-way
// leaves files that nobody knows, or a manifest.json that looks like one.
func TestErrorOnTheWayLeavesNothingBehind(t *testing.T) {
	sample := openLocal(t, sampleManifest(inventory.CSV))
	for n := 1; n <= 5; n++ {
		for _, after := range []bool{false, true} {
			root := t.TempDir()
			sink := &failing{Sink: inventory.Folder(root), n: n, after: after}
			d := delivery(t, inventory.CSV)
			if _, err := inventory.Write(t.Context(), sink, d, rowsOf(t.Context(), sample)); err == nil {
				t.Fatalf("put %d failed and nobody says so", n)
			}
			if left := append(below(t, root), below(t, d.TempDir)...); len(left) > 0 {
				t.Errorf("put %d (done: %t) leaves %v", n, after, left)
			}
		}
	}
	root := t.TempDir()
	sink := &failing{Sink: inventory.Folder(root)}
	d := delivery(t, inventory.Parquet)
	if _, err := inventory.Write(t.Context(), sink, d, rowsOf(t.Context(), sample)); err != nil {
		t.Fatal(err)
	}
	if len(sink.puts) != 5 || !strings.HasSuffix(sink.puts[3], "/manifest.json") || !strings.HasSuffix(sink.puts[4], "/manifest.checksum") {
		t.Errorf("stored in this order: %v", sink.puts)
	}
}

func TestRowsThatCannotBeReadAreNotWritten(t *testing.T) {
	sample := openLocal(t, sampleManifest(inventory.CSV))
	broken := func(yield func(*inventory.Row, error) bool) {
		n := 0
		for row, err := range rowsOf(t.Context(), sample) {
			if n++; n == 30 {
				yield(nil, errors.New("the listing broke"))
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}
	other := func(yield func(*inventory.Row, error) bool) {
		yield(&inventory.Row{Bucket: []byte("another"), Key: []byte("k")}, nil)
	}
	for name, rows := range map[string]iter.Seq2[*inventory.Row, error]{"error": broken, "other bucket": other} {
		root, d := t.TempDir(), delivery(t, inventory.Parquet)
		if _, err := inventory.Write(t.Context(), inventory.Folder(root), d, rows); err == nil {
			t.Errorf("%s: written", name)
		}
		if left := append(below(t, root), below(t, d.TempDir)...); len(left) > 0 {
			t.Errorf("%s leaves %v", name, left)
		}
	}
}

// A file that an earlier, whole run of the same content wrote is not removed by
// a later one that fails.
func TestFailedRunKeepsTheFilesOfAnEarlierOne(t *testing.T) {
	sample := openLocal(t, sampleManifest(inventory.CSV))
	root := t.TempDir()
	d := delivery(t, inventory.CSV)
	if _, err := inventory.Write(t.Context(), inventory.Folder(root), d, rowsOf(t.Context(), sample)); err != nil {
		t.Fatal(err)
	}
	before := below(t, filepath.Join(root, "inv/uploads-eu/daily/data"))
	if err := os.Remove(filepath.Join(root, "inv/uploads-eu/daily/2026-11-28T01-00Z/manifest.checksum")); err != nil {
		t.Fatal(err)
	}
	sink := &failing{Sink: inventory.Folder(root), n: 1}
	if _, err := inventory.Write(t.Context(), sink, d, rowsOf(t.Context(), sample)); err == nil {
		t.Fatal("the put failed and nobody says so")
	}
	if diff := cmp.Diff(before, below(t, filepath.Join(root, "inv/uploads-eu/daily/data"))); diff != "" {
		t.Error(diff)
	}
}

func TestDeliveryThatIsNotWholeIsRefused(t *testing.T) {
	for name, change := range map[string]func(*inventory.Delivery){
		"no bucket":     func(d *inventory.Delivery) { d.Bucket = "" },
		"no config":     func(d *inventory.Delivery) { d.Config = "" },
		"no time":       func(d *inventory.Delivery) { d.Created = time.Time{} },
		"ORC":           func(d *inventory.Delivery) { d.Format = inventory.ORC },
		"negative rows": func(d *inventory.Delivery) { d.RowsPerFile = -1 },
		"out of folder": func(d *inventory.Delivery) { d.Config = "../../../etc" },
	} {
		d := delivery(t, inventory.CSV)
		change(&d)
		if _, err := inventory.Write(t.Context(), inventory.Folder(t.TempDir()), d, func(func(*inventory.Row, error) bool) {}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func ExampleWrite() {
	rows := func(yield func(*inventory.Row, error) bool) {
		yield(&inventory.Row{Bucket: []byte("uploads"), Key: []byte("a+b"), VersionID: []byte("null"), Size: 3, LastModified: inventory.NoTime, Latest: inventory.Yes}, nil)
	}
	root, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(root)
	key, err := inventory.Write(context.Background(), inventory.Folder(root), inventory.Delivery{
		Bucket: "uploads", Destination: "reports", Config: "daily", Created: created, Format: inventory.CSV,
	}, rows)
	fmt.Println(key, err)
	// Output: uploads/daily/2026-11-28T01-00Z/manifest.json <nil>
}
