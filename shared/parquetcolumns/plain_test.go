package parquetcolumns_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/strandline-dev/strandline/shared/parquetcolumns"
)

type plainRow struct {
	Text   string  `parquet:"text,plain"`
	Maybe  *string `parquet:"maybe,optional,plain"`
	Number int64   `parquet:"number,plain"`
	Some   *int64  `parquet:"some,optional,plain"`
	At     int64   `parquet:"at,plain,timestamp(microsecond)"`
}

// plainRows are rows whose optional values come in runs and one by one.
func plainRows(r *rand.Rand, n int) []plainRow {
	rows := make([]plainRow, n)
	share := r.Float64()
	for i := range rows {
		rows[i].Text, rows[i].Number = strings.Repeat("x", r.IntN(40))+fmt.Sprint(i), r.Int64()-r.Int64()
		rows[i].At = r.Int64() - r.Int64()
		if r.IntN(50) == 0 {
			share = []float64{0, 1, r.Float64()}[r.IntN(3)]
		}
		if r.Float64() < share {
			rows[i].Maybe, rows[i].Some = new(strings.Repeat("y", r.IntN(9))), new(r.Int64())
		}
	}
	return rows
}

func written(t *testing.T, rows []plainRow, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[plainRow](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t *testing.T, file []byte) *parquetcolumns.File {
	t.Helper()
	f, err := parquetcolumns.Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// bounded is how many cases are tried of so many: a fifth of them in reduced
// bounds, which are for the race detector.
func bounded(n int) int {
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		return n / 5
	}
	return n
}

// Pages in the plain layout are read past the library. What they say, all of
// them or only some rows, must be what it says.
func TestPlainPagesSayWhatTheLibrarySays(t *testing.T) {
	for version := 1; version <= 2; version++ {
		for name, codec := range map[string]parquet.WriterOption{
			"snappy": parquet.Compression(&parquet.Snappy), "not packed": parquet.Compression(&parquet.Uncompressed),
		} {
			t.Run(fmt.Sprintf("version %d, %s", version, name), func(t *testing.T) {
				for seed := range uint64(bounded(40)) {
					r := rand.New(rand.NewPCG(seed, uint64(version)))
					file := written(t, plainRows(r, 1+r.IntN(3_000)), parquet.DataPageVersion(version), codec,
						parquet.PageBufferSize(64<<r.IntN(9)), parquet.MaxRowsPerRowGroup(int64(1+r.IntN(2_000))))
					f := open(t, file)
					if n := f.Plain(); n != 5 {
						t.Fatalf("seed %d: %d of 5 columns are read as plain: the test looks at nothing", seed, n)
					}
					library := open(t, file).ByLibrary()
					want := told(t, library.Scan(0, 1, 2, 3, 4))
					if diff := cmp.Diff(want, told(t, f.Scan(0, 1, 2, 3, 4))); diff != "" {
						t.Fatalf("seed %d: all rows (-library +plain):\n%s", seed, diff)
					}
					var numbers []int64
					var some []string
					for i := range want {
						if r.IntN(20) == 0 {
							numbers, some = append(numbers, int64(i)), append(some, want[i])
						}
					}
					s, err := f.Lookup(numbers, 0, 1, 2, 3, 4)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(some, told(t, s)); diff != "" {
						t.Fatalf("seed %d: some rows (-library +plain):\n%s", seed, diff)
					}
				}
			})
		}
	}
}

// A list has no digest of the whole file: a byte that flipped in a page shows by
// the page's checksum only. Without the comparison the key is another, and the
// object that it names an orphan.
func TestFlippedByteOfAPlainPageIsAnError(t *testing.T) {
	file := written(t, []plainRow{{Text: "a-key-to-find"}}, parquet.Compression(&parquet.Uncompressed))
	at := bytes.Index(file, []byte("\x0d\x00\x00\x00a-key-to-find")) // the value; statistics have it too
	file[at+4] = 'b'
	s := open(t, file).Scan(0)
	defer s.Close()
	if _, _, _, err := s.Next(); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("got %v, want that the checksum differs", err)
	}
}

// Lengths that reach out of a page, levels that do not cover its rows: an error,
// never a value from elsewhere and never a panic.
func TestDamagedPlainPagesAreErrorsOrRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for version := 1; version <= 2; version++ {
		file := written(t, plainRows(r, 300), parquet.DataPageVersion(version), parquet.Compression(&parquet.Uncompressed), parquet.PageBufferSize(512))
		refused := 0
		for range bounded(3_000) {
			damaged := bytes.Clone(file)
			for range 1 + r.IntN(3) {
				damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
			}
			f, err := parquetcolumns.OpenVerified(bytes.NewReader(damaged)) // no checksums: the decoder itself
			if err != nil || len(f.Names()) != 4 {
				refused++
				continue
			}
			s := f.Scan(0, 1, 2, 3, 4)
			rows := int64(0)
			for {
				_, _, n, err := s.Next()
				if err != nil {
					refused++
					break
				}
				if n == 0 {
					if rows != f.Rows() {
						t.Fatalf("%d rows of %d, and no error", rows, f.Rows())
					}
					break
				}
				rows += int64(n)
			}
			s.Close()
		}
		if refused == 0 {
			t.Error("no damage was noticed")
		}
	}
}
