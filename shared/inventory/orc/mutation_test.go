package orc

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// allocations bounds all that is allocated, freed or not, to read any file of
// at most 32 KiB to its end or error. A sound one takes up to 2 MB (the strings
// of 300,000 bytes). The most that a damaged number can claim is a block of
// 8 MiB, and that only as far as there are bytes to expand.
const allocations = 16 << 20

// A damaged file is an error or rows, as many as the footer says. It never
// panics, hangs or takes memory that its size does not justify. (That it is
// never taken for the real file is the digest's work: ORC has no checksums.)
func TestDamagedFilesAreErrorsOrRowsAndNothingElse(t *testing.T) {
	count := 20_000
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		count = 2_000
	}
	files := smallFixtures(t)
	minute, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var refused, read int
	var most uint64
	for seed := range uint64(count) {
		if minute.Err() != nil {
			t.Fatalf("only %d of %d files in a minute", seed, count)
		}
		r := rand.New(rand.NewPCG(4, seed))
		b := mutate(r, files)
		var rows, want int64
		var err error
		used := allocated(func() { rows, want, err = readAll(minute, b) })
		if used > allocations {
			t.Errorf("seed %d: %d bytes allocated for a file of %d", seed, used, len(b))
		}
		most = max(most, used)
		switch {
		case err == nil && rows != want:
			t.Errorf("seed %d: %d rows, the footer says %d", seed, rows, want)
		case err == nil:
			read++
		case errors.Is(err, ErrCorrupt), errors.Is(err, ErrUnsupported):
			refused++
		default:
			t.Errorf("seed %d: an error of another kind: %v", seed, err)
		}
		if err != nil && strings.Contains(err.Error(), "tenants/") {
			t.Errorf("seed %d: a key in an error: %v", seed, err)
		}
	}
	t.Logf("%d files: %d refused, %d read as rows; at most %d bytes allocated", count, refused, read, most)
	if refused < count/2 {
		t.Errorf("only %d of %d damaged files were refused", refused, count)
	}
}

// smallFixtures are the files that damage is done to.
func smallFixtures(t testing.TB) [][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.orc")
	if err != nil {
		t.Fatal(err)
	}
	files := [][]byte{sound().bytes()}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, b)
	}
	return files
}

// mutate damages a copy of one of the files in one to three ways. Half of the
// damage is done to the last kilobyte, where the footers are.
func mutate(r *rand.Rand, files [][]byte) []byte {
	b := slices.Clone(files[r.IntN(len(files))])
	for range 1 + r.IntN(3) {
		if len(b) < 8 {
			return b
		}
		at := r.IntN(len(b))
		if r.IntN(2) == 0 {
			at = len(b) - 1 - r.IntN(min(len(b), 1024))
		}
		n := min(1+r.IntN(40), len(b)-at)
		switch r.IntN(8) {
		case 0, 1:
			b[at] ^= 1 << r.IntN(8)
		case 2:
			b[at] = byte(r.Uint32())
		case 3:
			b[at] = []byte{0, 0x7f, 0x80, 0xff}[r.IntN(4)]
		case 4: // cut out
			b = slices.Delete(b, at, at+n)
		case 5: // truncated
			b = b[:at]
		case 6: // written over by another file
			other := files[r.IntN(len(files))]
			copy(b[at:at+n], other[r.IntN(len(other)):])
		case 7: // put in twice
			b = slices.Insert(b, at, slices.Clone(b[at:at+n])...)
		}
	}
	return b
}

// readAll reads every column that can be read, up to a million rows.
func readAll(ctx context.Context, b []byte) (rows, want int64, err error) {
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return 0, 0, err
	}
	var names []string
	for _, c := range f.Columns() {
		if c.Kind != Other && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return f.Rows(), f.Rows(), nil
	}
	for batch, err := range f.Scan(ctx, names) {
		if err != nil {
			return rows, f.Rows(), err
		}
		if rows += int64(batch.Rows); rows > 1<<20 {
			return f.Rows(), f.Rows(), nil
		}
	}
	return rows, f.Rows(), nil
}

// FuzzScan finds bytes that panic, hang, or yield other than what they say.
func FuzzScan(f *testing.F) {
	for _, b := range smallFixtures(f) {
		if len(b) < 8<<10 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 64<<10 {
			return
		}
		if rows, want, err := readAll(t.Context(), b); err == nil && rows != want {
			t.Errorf("%d rows, the footer says %d", rows, want)
		}
	})
}

// FuzzInts: what is read of a run, whatever its bytes, the reference reads too,
// and the same; what is refused is refused as corrupt.
func FuzzInts(f *testing.F) {
	f.Add([]byte{0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32}, true, false)
	f.Add([]byte{0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46}, true, true)
	f.Add([]byte{0x61, 0xff, 0x64}, false, false)
	f.Fuzz(func(t *testing.T, b []byte, v2, signed bool) {
		d := &ints{s: over(b...), v2: v2, signed: signed}
		r := &reference{b: b}
		for range 100 {
			want := r.run2
			if !v2 {
				want = r.run1
			}
			run := want(signed)
			got := make([]int64, max(len(run), 1))
			if err := d.next(got); err != nil {
				if !errors.Is(err, ErrCorrupt) {
					t.Error(err)
				}
				return
			}
			if r.failed || !slices.Equal(got, run) {
				t.Fatalf("%v is read as %v, want %v (failed: %t)", b, got, run, r.failed)
			}
		}
	})
}
