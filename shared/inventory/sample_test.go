package inventory_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// sampleManifest returns the path of the sample's manifest.json in a format.
func sampleManifest(format inventory.Format) string {
	return filepath.Join("testdata", "sample", strings.ToLower(string(format)), "inv", "uploads-eu", "daily", "2026-11-28T01-00Z", "manifest.json")
}

func openLocal(t testing.TB, path string) inventory.Reader {
	t.Helper()
	files, key, err := inventory.Local(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := inventory.Open(t.Context(), files, key, inventory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// printed is a row as text, without its number.
func printed(r *inventory.Row) string {
	return fmt.Sprintf("%q %q %q etag %q size %d modified %d latest %d marker %d",
		r.Bucket, r.Key, r.VersionID, r.ETag, r.Size, r.LastModified, r.Latest, r.Marker)
}

func allRows(t testing.TB, r inventory.Reader) []string {
	t.Helper()
	var rows []string
	for part := range r.Parts() {
		for row, err := range r.Rows(t.Context(), part) {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, printed(row))
		}
	}
	slices.Sort(rows)
	return rows
}

func TestAllFormatsOfTheSampleGiveTheSameRows(t *testing.T) {
	want := allRows(t, openLocal(t, sampleManifest(inventory.CSV)))
	if len(want) != 48 {
		t.Fatalf("%d rows in CSV, want 48", len(want))
	}
	for _, format := range []inventory.Format{inventory.Parquet, inventory.ORC} {
		if diff := cmp.Diff(want, allRows(t, openLocal(t, sampleManifest(format)))); diff != "" {
			t.Errorf("CSV (-) and %s (+) differ:\n%s", format, diff)
		}
	}
}
