package reconcile

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// delivered is an inventory as it lies in a folder, and in memory, so that each
// case can spoil it and put it right again.
type delivered struct {
	history  *history
	folder   string
	manifest string // path in the folder
	lists    []string
	files    map[string][]byte
}

func deliver(t testing.TB, h *history, format inventory.Format) *delivered {
	t.Helper()
	folder := t.TempDir()
	d := &delivered{history: h, folder: folder, files: map[string][]byte{}}
	d.manifest, _ = filepath.Rel(folder, h.writeInventory(t, folder, format))
	d.lists = h.writeLists(t, folder)
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		d.files[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// data are the names of the inventory's files.
func (d *delivered) data() (names []string) {
	for name := range d.files {
		if strings.Contains(name, string(filepath.Separator)+"data"+string(filepath.Separator)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// compareSpoiled compares what lies there after some files were exchanged.
func (d *delivered) compareSpoiled(t testing.TB, o Options, spoiled map[string][]byte) ([]Finding, error) {
	t.Helper()
	for name, body := range spoiled {
		path := filepath.Join(d.folder, name)
		if err := os.WriteFile(path, body, 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(path, d.files[name], 0o600) //nolint:errcheck // the next case would fail
	}
	files, key, err := inventory.Local(filepath.Join(d.folder, d.manifest))
	if err != nil {
		return nil, err
	}
	inv, err := inventory.Open(t.Context(), files, key, inventory.Options{})
	if err != nil {
		return nil, err
	}
	lines, _, err := compareReaders(t, inv, openLists(t, d.folder, d.lists...), o)
	return lines, err
}

// spoil changes a file as a bad disk or a bad network would.
func spoil(rng *rand.Rand, body []byte) []byte {
	b := slices.Clone(body)
	switch rng.IntN(4) {
	case 0:
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
	case 1:
		b = b[:rng.IntN(len(b))]
	case 2:
		b = append(b, b[:1+rng.IntN(len(b))]...)
	default:
		at := rng.IntN(len(b))
		for i := at; i < min(len(b), at+1+rng.IntN(64)); i++ {
			b[i] ^= byte(1 + rng.IntN(255))
		}
	}
	return b
}

func sampleWorld(t testing.TB, format inventory.Format) (*delivered, Options) {
	t.Helper()
	s := setting{manifestAt: taken.Sub(began), versioned: true, ids: true, etags: true, latest: true, sizes: true, modified: true}
	var seeds []uint64
	for seed := range uint64(20) {
		seeds = append(seeds, seed)
	}
	return deliver(t, batchOf(s, seeds...), format), s.options(rand.New(rand.NewPCG(1, 5)))
}

// A file that is not what the manifest says is an error, whatever of it could
// still be read. Were it judged from, what its rows said would be missing.
func TestASpoiledFileEndsTheRun(t *testing.T) {
	cases := 120
	if reduced() {
		cases = 30
	}
	for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet} {
		d, o := sampleWorld(t, format)
		for n := range cases {
			rng := rand.New(rand.NewPCG(uint64(n), 6))
			names := append(d.data(), d.manifest)
			name := names[rng.IntN(len(names))]
			body := spoil(rng, d.files[name])
			if lines, err := d.compareSpoiled(t, o, map[string][]byte{name: body}); err == nil || len(lines) > 0 {
				t.Fatalf("%s, case %d: %d lines, %v", format, n, len(lines), err)
			}
		}
	}
}

func TestFilesThatTookEachOthersPlaceEndTheRun(t *testing.T) {
	for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet} {
		d, o := sampleWorld(t, format)
		names := d.data()
		swapped := map[string][]byte{names[0]: d.files[names[1]], names[1]: d.files[names[0]]}
		if lines, err := d.compareSpoiled(t, o, swapped); err == nil || len(lines) > 0 {
			t.Errorf("%s: %d lines, %v", format, len(lines), err)
		}
	}
}

// A manifest that states the spoiled file's own size and sum: then only the
// format can tell. Gzip has a sum of its own, so it is an error, or the same rows.
// (Parquet as S3 writes it has none: there the manifest's is the only one.)
func TestASpoiledCSVThatItsManifestVouchesFor(t *testing.T) {
	cases := 120
	if reduced() {
		cases = 30
	}
	d, o := sampleWorld(t, inventory.CSV)
	for n := range cases {
		rng := rand.New(rand.NewPCG(uint64(n), 8))
		names := d.data()
		name := names[rng.IntN(len(names))]
		lines, err := d.compareSpoiled(t, o, d.vouched(name, spoil(rng, d.files[name])))
		if err != nil && len(lines) > 0 {
			t.Fatalf("case %d: %d lines before %v", n, len(lines), err)
		}
		if got := sortedTruth(lines); err == nil && !slices.Equal(got, d.history.truth) {
			t.Fatalf("case %d: other verdicts:\n%s", n, cmp.Diff(d.history.truth, got))
		}
	}
}

// vouched puts a file in place and a manifest that states it.
func (d *delivered) vouched(name string, body []byte) map[string][]byte {
	old, sum := md5.Sum(d.files[name]), md5.Sum(body)
	text := string(d.files[d.manifest])
	text = strings.ReplaceAll(text, hex.EncodeToString(old[:]), hex.EncodeToString(sum[:]))
	i := strings.Index(text, filepath.Base(name))
	text = text[:i] + strings.Replace(text[i:], fmt.Sprintf("%d", len(d.files[name])), fmt.Sprintf("%d", len(body)), 1)
	whole := md5.Sum([]byte(text))
	checksum := filepath.Join(filepath.Dir(d.manifest), "manifest.checksum")
	return map[string][]byte{name: body, d.manifest: []byte(text), checksum: []byte(hex.EncodeToString(whole[:]) + "\n")}
}
