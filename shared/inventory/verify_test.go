package inventory_test

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// severalFiles writes an inventory of many files into a folder.
func severalFiles(t *testing.T) (manifest string, data []string) {
	t.Helper()
	root := t.TempDir()
	var rows iter.Seq2[*inventory.Row, error] = func(yield func(*inventory.Row, error) bool) {
		for i := range 40 {
			row := someRows[0]
			row.Key = []byte(strings.Repeat("k", i+1))
			if !yield(&row, nil) {
				return
			}
		}
	}
	key, err := inventory.Write(t.Context(), inventory.Folder(root), inventory.Delivery{
		Bucket: "b", Destination: "inventories", Prefix: "inv/", Config: "daily", Created: time.Date(2026, 11, 28, 1, 0, 0, 0, time.UTC),
		Format: inventory.Parquet, RowsPerFile: 2, TempDir: t.TempDir(),
	}, rows)
	if err != nil {
		t.Fatal(err)
	}
	data, err = filepath.Glob(filepath.Join(root, "inv", "b", "daily", "data", "*"))
	if err != nil || len(data) != 20 {
		t.Fatalf("%d files, %v", len(data), err)
	}
	return filepath.Join(root, filepath.FromSlash(key)), data
}

func verify(ctx context.Context, r inventory.Reader) error {
	return r.(interface{ Verify(context.Context) error }).Verify(ctx)
}

// All files are hashed side by side before one is parsed. Were one forgotten, or
// its sum taken for another's, a damaged file would be read as a whole one.
func TestEachOfManyFilesIsVerified(t *testing.T) {
	manifest, data := severalFiles(t)
	if err := verify(t.Context(), openLocal(t, manifest)); err != nil {
		t.Fatal(err)
	}
	for _, name := range data {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		damaged := append([]byte(nil), whole...)
		damaged[len(damaged)/2] ^= 1
		for what, content := range map[string][]byte{"flipped": damaged, "short": whole[:len(whole)-1]} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := verify(t.Context(), openLocal(t, manifest)); err == nil || !strings.Contains(err.Error(), "of the inventory's 20") {
				t.Errorf("%s: got %v", what, err)
			}
		}
		if err := os.WriteFile(name, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := verify(ctx, openLocal(t, manifest)); err == nil {
		t.Error("cancelled, and no error")
	}
}
