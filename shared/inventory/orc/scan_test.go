package orc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func openFixture(t *testing.T, path string) (*File, []byte) {
	t.Helper()
	b := readFixture(t, path)
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f, b
}

func TestColumnsSayWhatTheyHold(t *testing.T) {
	f, _ := openFixture(t, "testdata/neighbours.nested-bloom.orc")
	want := []Column{
		{"n", Other}, {"key", Bytes}, {"m", Other}, {"d", Other}, {"code", Bytes}, {"day", Other},
		{"u", Other}, {"t", Long}, {"last", Long},
	}
	if got := f.Columns(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// span is a part of a file that was read.
type span struct{ off, end int64 }

type watched struct {
	io.ReaderAt
	spans []span
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	w.spans = append(w.spans, span{off, off + int64(len(p))})
	return w.ReaderAt.ReadAt(p, off)
}

// Without ranges of their own, columns that nobody wants would be read and
// expanded: of 18 columns of an inventory 6 are needed.
func TestColumnsThatAreNotAskedForAreNotRead(t *testing.T) {
	paths, err := filepath.Glob("testdata/inventory.*-012-*.orc")
	if err != nil || len(paths) != 8 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		f, b := openFixture(t, path)
		want, err := dump(f, []string{"size", "is_latest"})
		if err != nil {
			t.Fatal(err)
		}
		wanted := map[uint64]bool{}
		for _, name := range []string{"size", "is_latest"} {
			c, err := f.find(name)
			if err != nil {
				t.Fatal(err)
			}
			wanted[c.id] = true
		}
		var others []span
		for key, at := range streamsOf(t, f) {
			if !wanted[key.column] || key.kind > streamSecondary {
				others = append(others, span(at))
				for i := at.off; i < at.end; i++ {
					b[i] = 0xff // would not be readable
				}
			}
		}
		w := &watched{ReaderAt: bytes.NewReader(b)}
		f.r = w
		got, err := dump(f, []string{"size", "is_latest"})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: with all other columns destroyed: %v", path, err)
		}
		for _, r := range w.spans {
			for _, o := range others {
				if r.off < o.end && o.off < r.end {
					t.Errorf("%s: %v was read, where another column is: %v", path, r, o)
				}
			}
		}
		if _, err := dump(f, []string{"key"}); err == nil {
			t.Errorf("%s: the destroyed column is readable", path)
		}
	}
}

// streamsOf finds where the streams of a file's only stripe are.
func streamsOf(t *testing.T, f *File) map[streamKey]place {
	t.Helper()
	c, err := newCodec(f.kind, f.block)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	info := f.stripes[0]
	foot := int64(info.offset + info.index + info.data)
	b, err := (&stream{r: f.r, off: foot, end: foot + int64(info.footer), codec: c}).readAll(maxFooter)
	if err != nil {
		t.Fatal(err)
	}
	footer, err := parseStripeFooter(b)
	if err != nil {
		t.Fatal(err)
	}
	all, err := footer.places(info)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestColumnsComeInTheOrderTheyWereAskedFor(t *testing.T) {
	got, err := scanBytes(sound().bytes(), "n", "key", "n")
	if want := []string{"7\t=aa\t7", "8\t=bbb\t8", "9\t=c\t9"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestOneFileIsScannedByManyAtOnce(t *testing.T) {
	f, _ := openFixture(t, "testdata/inventory.zstd-012-dict.orc")
	columns := readTruth(t, "testdata/inventory.txt").columns
	want, err := dump(f, columns)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got, err := dump(f, columns); err != nil || !slices.Equal(got, want) {
				t.Errorf("got something else, %v", err)
			}
		})
	}
	all.Wait()
}

func TestWrongQuestionsAreRefused(t *testing.T) {
	for _, columns := range [][]string{nil, {"nothing"}, {"KEY"}} {
		if _, err := scanBytes(sound().bytes(), columns...); err == nil {
			t.Errorf("columns %q: no error", columns)
		}
	}
}

// broken is a disk that fails after some bytes.
type broken struct {
	io.ReaderAt
	left int
}

var errDisk = errors.New("disk on fire")

func (b *broken) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errDisk
	}
	return b.ReaderAt.ReadAt(p, off)
}

// A failed read is no property of the file: it may be tried again.
func TestAFailedReadIsItsOwnError(t *testing.T) {
	whole := sound().bytes()
	for n := range whole {
		f, err := Open(&broken{bytes.NewReader(whole), n}, int64(len(whole)))
		if err == nil {
			_, err = dump(f, allColumns)
		}
		if err != nil && (!errors.Is(err, errDisk) || errors.Is(err, ErrCorrupt)) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	if _, err := Open(bytes.NewReader(whole[:40]), 80); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("shorter than it was said to be: %v", err)
	}
}

func TestACancelledScanStops(t *testing.T) {
	b := readFixture(t, "testdata/nulls.zlib-012-dict.orc")
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	batches := 0
	for _, err := range f.Scan(ctx, []string{"none_long"}) {
		if batches++; batches == 1 {
			cancel()
			continue
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if batches != 2 {
		t.Errorf("%d batches", batches)
	}
}

func TestAScanThatIsLeftYieldsNothingMore(t *testing.T) {
	b := readFixture(t, "testdata/nulls.zlib-012-dict.orc")
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range f.Scan(t.Context(), []string{"none_long"}) {
		if err != nil || b.Rows != batchRows {
			t.Errorf("%d rows, %v", b.Rows, err)
		}
		break
	}
}
