package inventory_test

import (
	"bytes"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/inventory"
)

const benchRows = 400_000

// benchManifest is where an inventory of a format lies: the one that
// STRANDLINE_INVENTORY_CSV or …_PARQUET names, or one that is written once.
func benchManifest(b *testing.B, format inventory.Format) string {
	b.Helper()
	name := map[inventory.Format]string{inventory.CSV: "STRANDLINE_INVENTORY_CSV", inventory.Parquet: "STRANDLINE_INVENTORY_PARQUET"}[format]
	if path := os.Getenv(name); path != "" {
		return path
	}
	root := b.TempDir()
	d := delivery(b, format)
	d.Bucket, d.RowsPerFile = "acme-prod-uploads", benchRows/4
	key, err := inventory.Write(b.Context(), inventory.Folder(root), d, manyRows(d.Bucket, benchRows))
	if err != nil {
		b.Fatal(err)
	}
	return filepath.Join(root, filepath.FromSlash(key))
}

// manyRows yields rows with keys and ids as long as real ones.
func manyRows(bucket string, n int) iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) {
		random := rand.New(rand.NewPCG(1, 2))
		row := inventory.Row{Bucket: []byte(bucket), Latest: inventory.Yes, Marker: inventory.No}
		for i := range n {
			row.Key = fmt.Appendf(row.Key[:0], "tenants/t-%05d/uploads/2026/%02d/%02d/%016x%016x/part-%05d",
				random.IntN(20_000), 1+i%11, 1+i%28, random.Uint64(), random.Uint64(), random.IntN(40))
			if i%33 == 0 {
				row.Key = append(row.Key, " résumé a+b"...)
			}
			row.VersionID = fmt.Appendf(row.VersionID[:0], "%016x%016x", random.Uint64(), random.Uint64())
			row.ETag = fmt.Appendf(row.ETag[:0], "%016x%016x", random.Uint64(), random.Uint64())
			row.Size = random.Int64N(8 << 20)
			row.LastModified = created.UnixMilli() - random.Int64N(300*86_400_000)
			if !yield(&row, nil) {
				return
			}
		}
	}
}

// sideBySide reads every part of a reader on two threads.
func sideBySide(b *testing.B, parts int, read func(part int) (rows int64, err error)) int64 {
	b.Helper()
	var total int64
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(2)
	for part := range parts {
		g.Go(func() error {
			n, err := read(part)
			mu.Lock()
			total += n
			mu.Unlock()
			return err
		})
	}
	if err := g.Wait(); err != nil {
		b.Fatal(err)
	}
	return total
}

func perSecond(b *testing.B, rows int64) {
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrow/s")
}

// benchRead measures reading with verification, and without the first one: a
// reader does not verify a local file twice.
func benchRead(b *testing.B, format inventory.Format, o inventory.Options) {
	path := benchManifest(b, format)
	open := func() inventory.Reader {
		files, key, err := inventory.Local(path)
		if err != nil {
			b.Fatal(err)
		}
		r, err := inventory.Open(b.Context(), files, key, o)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	scan := func(r inventory.Reader) int64 {
		return sideBySide(b, r.Parts(), func(part int) (n int64, err error) {
			for _, err = range r.Rows(b.Context(), part) {
				n++
			}
			return n, err
		})
	}
	b.Run("verified", func(b *testing.B) {
		b.ReportAllocs()
		rows := int64(0)
		for b.Loop() {
			rows += scan(open())
		}
		perSecond(b, rows)
	})
	b.Run("verified before", func(b *testing.B) {
		r := open()
		scan(r)
		rows := int64(0)
		for b.Loop() {
			rows += scan(r)
		}
		perSecond(b, rows)
	})
}

func BenchmarkCSV(b *testing.B)     { benchRead(b, inventory.CSV, inventory.Options{}) }
func BenchmarkParquet(b *testing.B) { benchRead(b, inventory.Parquet, inventory.Options{}) }
func BenchmarkParquetWithoutETag(b *testing.B) {
	benchRead(b, inventory.Parquet, inventory.Options{WithoutETag: true})
}

// benchFiles measures what anybody has to do with the same files.
func benchFiles(b *testing.B, format inventory.Format, read func(f *os.File) (int64, error)) {
	path := benchManifest(b, format)
	root := filepath.Dir(filepath.Dir(path))
	names, _ := filepath.Glob(filepath.Join(root, "data", "*"))
	rows := int64(0)
	for b.Loop() {
		rows += sideBySide(b, len(names), func(part int) (int64, error) {
			f, err := os.Open(names[part])
			if err != nil {
				return 0, err
			}
			defer f.Close()
			return read(f)
		})
	}
	perSecond(b, rows)
}

// BenchmarkBaselineMD5OfParquet and the other baselines bound what the readers
// can reach on this machine.
func BenchmarkBaselineMD5OfParquet(b *testing.B) {
	benchFiles(b, inventory.Parquet, func(f *os.File) (int64, error) {
		p, err := openBare(f)
		if err != nil {
			return 0, err
		}
		_, err = io.CopyBuffer(md5.New(), f, make([]byte, 256<<10))
		return p.NumRows(), err
	})
}

func BenchmarkBaselineInflateOfCSV(b *testing.B) {
	benchFiles(b, inventory.CSV, func(f *os.File) (int64, error) {
		z, err := gzip.NewReader(f)
		if err != nil {
			return 0, err
		}
		lines := &lineCounter{}
		_, err = io.CopyBuffer(lines, struct{ io.Reader }{z}, make([]byte, 256<<10))
		return lines.n, err
	})
}

type lineCounter struct{ n int64 }

func (l *lineCounter) Write(p []byte) (int, error) {
	l.n += int64(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}

func BenchmarkBaselineRowsOfParquet(b *testing.B) {
	benchFiles(b, inventory.Parquet, func(f *os.File) (int64, error) {
		p, err := openBare(f)
		if err != nil {
			return 0, err
		}
		n, buf := int64(0), make([]parquet.Row, 256)
		for _, g := range p.RowGroups() {
			rows := g.Rows()
			for err == nil {
				var k int
				k, err = rows.ReadRows(buf)
				n += int64(k)
			}
			rows.Close()
			if !errors.Is(err, io.EOF) {
				return n, err
			}
			err = nil
		}
		return n, nil
	})
}

func openBare(f *os.File) (*parquet.File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}
