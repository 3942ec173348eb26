package reconcile

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// madeRows and madeEntries are made while they are read, so that what is in
// memory is the comparison's.

type madeRows struct {
	parts, rows int
	make        func(n int) keptRow
	seekable    bool
}

func (m madeRows) Manifest() inventory.Manifest { return testManifest() }
func (m madeRows) Parts() int                   { return m.parts }
func (m madeRows) Seekable() bool               { return m.seekable }

func (m madeRows) Rows(_ context.Context, part int) iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) {
		for n := part; n < m.rows; n += m.parts {
			if !yield(m.row(n), nil) {
				return
			}
		}
	}
}

func (m madeRows) Lookup(_ context.Context, part int, numbers []int64) iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) {
		for _, n := range numbers {
			if !yield(m.row(part+int(n)*m.parts), nil) {
				return
			}
		}
	}
}

func (m madeRows) row(n int) *inventory.Row {
	r := m.make(n)
	return &inventory.Row{
		Bucket: []byte(r.Bucket), Key: []byte(r.Key), VersionID: []byte(r.VersionID), ETag: []byte(r.ETag), Size: r.Size,
		LastModified: r.LastModified, Latest: r.Latest, Marker: r.Marker, Number: int64(n / m.parts),
	}
}

type madeEntries struct {
	parts, entries int
	make           func(n int) keptEntry
	seekable       bool
}

func (m madeEntries) Parts() int     { return m.parts }
func (m madeEntries) Seekable() bool { return m.seekable }

func (m madeEntries) Entries(_ context.Context, part int) iter.Seq2[*manifest.Entry, error] {
	return func(yield func(*manifest.Entry, error) bool) {
		for n := part; n < m.entries; n += m.parts {
			if !yield(m.entry(n), nil) {
				return
			}
		}
	}
}

func (m madeEntries) Lookup(_ context.Context, part int, numbers []int64) iter.Seq2[*manifest.Entry, error] {
	return func(yield func(*manifest.Entry, error) bool) {
		for _, n := range numbers {
			if !yield(m.entry(part+int(n)*m.parts), nil) {
				return
			}
		}
	}
}

func (m madeEntries) entry(n int) *manifest.Entry {
	e := m.make(n)
	return &manifest.Entry{
		Bucket: []byte(e.Bucket), Key: []byte(e.Key), VersionID: []byte(e.VersionID), ETag: []byte(e.ETag), Size: e.Size,
		RecordedAt: e.RecordedAt, State: e.State, Tenant: []byte(e.Tenant), Upload: []byte(e.Upload), Number: int64(n / m.parts),
	}
}

// peak is the most that the heap held while f ran, above what it held before.
func peak(f func()) int64 {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var most atomic.Int64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				runtime.ReadMemStats(&now)
				most.Store(max(most.Load(), int64(now.HeapAlloc)))
			}
		}
	}()
	f()
	close(stop)
	<-done
	return most.Load() - int64(before.HeapAlloc)
}

func bigVersion(n int) string { return fmt.Sprintf("version-%08d", n*2654435761%100_000_007) }

// TestOneKeyOfVeryManyVersionsNeedsNoMoreMemory: a partition that is one key
// cannot be parted, and its versions are judged without holding them. Without
// bigKey it does not come to its end: judgeKey compares all with all.
func TestOneKeyOfVeryManyVersionsNeedsNoMoreMemory(t *testing.T) {
	versions := 300_000
	if reduced() {
		versions = 30_000
	}
	const orphans, missing = 3, 2
	inv := madeRows{parts: 3, rows: versions, make: func(n int) keptRow {
		return row(bigVersion(n), sized(int64(n)), func(r *keptRow) {
			if n == versions-1 {
				r.Latest = inventory.Yes
			}
		})
	}}
	own := madeEntries{parts: 2, entries: versions - orphans + missing, make: func(n int) keptEntry {
		return entry(bigVersion(n+orphans), stating(int64(n+orphans)))
	}}
	o := testOptions()
	o.Threads, o.Memory, o.MaxOrphanPercent = 2, 4<<20, 25
	o.TempDir = t.TempDir()
	got := map[Verdict]int{}
	var s Summary
	var err error
	held := peak(func() {
		s, err = Compare(t.Context(), inv, own, o, func(f Finding) error { got[f.Verdict]++; return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[Verdict]int{Orphan: orphans, Changed: missing}, got); diff != "" {
		t.Fatal(diff)
	}
	if n := s.Counts[OK].Count; n != int64(versions-orphans) {
		t.Errorf("%d are ok", n)
	}
	t.Logf("%d versions of one key: %.1f MB of memory, %.1f MB of disk", versions, float64(held)/1e6, float64(s.TempBytes)/1e6)
	if bound := int64(24 << 20); held > bound {
		t.Errorf("%d bytes were held, and %d are allowed", held, bound)
	}
}

// TestHalfOfEverythingDiffersInLittleMemory: the second look sorts on disk what
// does not fit, and every verdict comes out.
func TestHalfOfEverythingDiffersInLittleMemory(t *testing.T) {
	n := 200_000
	if reduced() {
		n = 20_000
	}
	for _, seekable := range []bool{true, false} {
		t.Run(fmt.Sprintf("seekable %t", seekable), func(t *testing.T) {
			key := func(n int) string { return fmt.Sprintf("tenants/%d/%d", n%7, n) }
			inv := madeRows{parts: 5, rows: n, seekable: seekable, make: func(n int) keptRow { return row("v", named(key(n))) }}
			own := madeEntries{parts: 3, entries: n, seekable: seekable, make: func(i int) keptEntry { return entry("v", entryOf(key(i+n/2))) }}
			o := testOptions()
			o.Threads, o.Memory, o.MaxOrphanPercent = 3, 2<<20, 25
			o.TempDir = t.TempDir()
			last, sorted := "", true
			var s Summary
			var err error
			held := peak(func() {
				s, err = Compare(t.Context(), inv, own, o, func(f Finding) error {
					sorted = sorted && last <= f.Key
					last = f.Key
					return nil
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			half := int64(n / 2)
			want := map[Verdict]Count{OK: {half, 5 * half}, Orphan: {half, 5 * half}, Missing: {half, 5 * half}}
			if diff := cmp.Diff(want, s.Counts); diff != "" {
				t.Fatal(diff)
			}
			if !sorted {
				t.Error("the findings are not in the order of their keys")
			}
			if !s.HoldsBlocked {
				t.Error("half of the bucket is orphans, and holds are not blocked")
			}
			t.Logf("%.1f MB of memory, %.1f MB of disk", float64(held)/1e6, float64(s.TempBytes)/1e6)
			if bound := int64(24 << 20); held > bound {
				t.Errorf("%d bytes were held, and %d are allowed", held, bound)
			}
		})
	}
}
