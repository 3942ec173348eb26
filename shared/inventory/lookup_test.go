package inventory_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// manyPages is a Parquet inventory in a folder whose columns have pages of
// different lengths, in several row groups, some values absent.
func manyPages(t testing.TB, options ...parquet.WriterOption) inventory.Reader {
	t.Helper()
	rows := make([]s3Row, 0, 5000)
	for i := range 5000 {
		row := s3Row{Bucket: "b", Key: fmt.Sprintf("k%d", i), Modified: &november, Class: pointer("STANDARD")}
		if i%3 > 0 {
			row.Version, row.Size = pointer(fmt.Sprintf("v%d%s", i, strings.Repeat("v", i%90))), pointer(int64(i))
		}
		if i%7 > 0 {
			row.Latest, row.ETag = pointer(i%2 == 0), pointer(fmt.Sprintf("e%d", i))
		}
		rows = append(rows, row)
	}
	options = append(options, parquet.PageBufferSize(700), parquet.MaxRowsPerRowGroup(1900))
	return openLocal(t, inventoryOf(inventory.Parquet, "", parquetOf(t, rows, options...)).inFolder(t))
}

func lookup(ctx context.Context, r inventory.Reader, numbers []int64) ([]inventory.Row, error) {
	var rows []inventory.Row
	for row, err := range r.Lookup(ctx, 0, numbers) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, clone(row))
	}
	return rows, nil
}

func TestRowsThatAreLookedUpAreThoseThatWereRead(t *testing.T) {
	for name, r := range map[string]inventory.Reader{
		"pages of version 1": manyPages(t, parquet.DataPageVersion(1)), "version 2": manyPages(t, parquet.DataPageVersion(2)),
		"dictionaries": manyPages(t, parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.RLEDictionary)),
	} {
		if !r.Seekable() {
			t.Fatal("a Parquet file in a folder is not seekable")
		}
		var all []inventory.Row
		for row, err := range r.Rows(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, clone(row))
		}
		random := rand.New(rand.NewPCG(3, 4))
		wanted := [][]int64{{}, {0}, {4999}, {1899, 1900}, {0, 0, 4999, 4999}}
		for density := range 6 {
			var some []int64
			for i := range int64(5000) {
				if random.IntN(1<<(2*density)) == 0 {
					some = append(some, i)
				}
			}
			wanted = append(wanted, some)
		}
		for _, numbers := range wanted {
			got, err := lookup(t.Context(), r, numbers)
			var want []inventory.Row
			for _, n := range numbers {
				want = append(want, all[n])
			}
			if err != nil || !reflect.DeepEqual(want, got) {
				t.Fatalf("%s, %d rows: %v\n%.800s", name, len(numbers), err, cmp.Diff(want, got))
			}
		}
	}
}

// A wrong number would show another object's name beside a verdict.
func TestRowsThatAreNotThereCannotBeLookedUp(t *testing.T) {
	r := manyPages(t)
	for _, numbers := range [][]int64{{5000}, {-1}, {0, 6000}, {3, 2}, {1 << 60}} {
		if rows, err := lookup(t.Context(), r, numbers); err == nil {
			t.Errorf("%v: %d rows and no error", numbers, len(rows))
		}
	}
}

func TestOnlyLocalParquetIsLookedUp(t *testing.T) {
	csv := openLocal(t, inventoryOf(inventory.CSV, versionsSchema, zipped(rowText("k"))).inFolder(t))
	elsewhere, err := open(inventoryOf(inventory.Parquet, "", parquetOf(t, someS3)))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []inventory.Reader{csv, elsewhere} {
		if _, err := lookup(t.Context(), r, []int64{0}); err == nil || r.Seekable() {
			t.Errorf("%s is looked up: %v", r.Manifest().Format, err)
		}
	}
}

// Without looking again the rows of a file that was exchanged after it was
// verified are taken for the inventory's.
func TestFileThatChangedSinceItWasVerifiedIsVerifiedAgain(t *testing.T) {
	for _, how := range []string{"replaced", "written over"} {
		row := someS3[0]
		k := inventoryOf(inventory.Parquet, "", parquetOf(t, []s3Row{row, row}))
		row.Key = "another"[:len(row.Key)]
		changed := parquetOf(t, []s3Row{row, row})
		if len(changed) != len(k[keptKey(0)]) {
			t.Fatal("the changed file is of another size")
		}
		path := k.inFolder(t)
		r := openLocal(t, path)
		if _, err := lookup(t.Context(), r, []int64{0}); err != nil {
			t.Fatal(err)
		}
		if _, err := lookup(t.Context(), r, []int64{1}); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(filepath.Dir(filepath.Dir(path)), "data", "0")
		if how == "replaced" {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(name, changed, fs.FileMode(0o600)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, november, november); err != nil {
			t.Fatal(err)
		}
		if rows, err := lookup(t.Context(), r, []int64{0}); err == nil {
			t.Errorf("%s: %d rows and no error", how, len(rows))
		}
	}
}

func TestReadingStopsWhenTheContextIsOver(t *testing.T) {
	big := zipped(strings.Repeat(rowText("k"), 200_000))
	for name, r := range map[string]inventory.Reader{
		"Parquet": manyPages(t), "CSV": openLocal(t, inventoryOf(inventory.CSV, versionsSchema, big).inFolder(t)),
		"ORC": openLocal(t, sampleManifest(inventory.ORC)),
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		var last error
		for _, err := range r.Rows(ctx, 0) {
			if n++; n == 1 {
				cancel()
			}
			last = err
		}
		if name != "ORC" && last == nil {
			t.Errorf("%s: read %d rows after the end", name, n)
		}
		for _, err := range r.Rows(ctx, 0) {
			if err == nil {
				t.Errorf("%s: a row under a context that is over", name)
			}
			break
		}
	}
}

func TestReaderThatIsLeftEarlyStops(t *testing.T) {
	for name, r := range map[string]inventory.Reader{"Parquet": manyPages(t), "CSV": openLocal(t, sampleManifest(inventory.CSV)), "ORC": openLocal(t, sampleManifest(inventory.ORC))} {
		n := 0
		for _, err := range r.Rows(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 3 {
				break
			}
		}
		if n != 3 {
			t.Errorf("%s: %d rows", name, n)
		}
	}
}
