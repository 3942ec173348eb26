package reconcile

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// The two sides of a comparison's tests, in memory: parts of rows and entries.

type heldRows struct {
	manifest inventory.Manifest
	parts    [][]keptRow
	seekable bool
	failAt   int           // the row of all that cannot be read, from 1
	reached  func(row int) // is told each row, counted likewise
	forget   bool          // Lookup leaves out the last
	lean     bool          // it can be read without ETags
}

func (h *heldRows) Manifest() inventory.Manifest { return h.manifest }
func (h *heldRows) Parts() int                   { return len(h.parts) }
func (h *heldRows) Seekable() bool               { return h.seekable }

func (h *heldRows) Rows(_ context.Context, part int) iter.Seq2[*inventory.Row, error] {
	return h.numbered(part, nil)
}

func (h *heldRows) WithoutETag() inventory.Reader {
	if !h.lean {
		return h
	}
	return leanRows{h}
}

type leanRows struct{ *heldRows }

func (l leanRows) Rows(ctx context.Context, part int) iter.Seq2[*inventory.Row, error] {
	return withoutETags(l.heldRows.Rows(ctx, part))
}

func (l leanRows) Lookup(ctx context.Context, part int, numbers []int64) iter.Seq2[*inventory.Row, error] {
	return withoutETags(l.heldRows.Lookup(ctx, part, numbers))
}

func withoutETags(rows iter.Seq2[*inventory.Row, error]) iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) {
		for row, err := range rows {
			if row != nil {
				row.ETag = nil
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

func (h *heldRows) Lookup(_ context.Context, part int, numbers []int64) iter.Seq2[*inventory.Row, error] {
	if h.forget {
		numbers = numbers[:len(numbers)-1]
	}
	return h.numbered(part, numbers)
}

var errTorn = errors.New("torn")

func (h *heldRows) numbered(part int, numbers []int64) iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) {
		before := 0
		for _, p := range h.parts[:part] {
			before += len(p)
		}
		var b inventory.Row // one, as the readers have
		for n, r := range h.parts[part] {
			if h.failAt == before+n+1 {
				yield(nil, errTorn)
				return
			}
			if h.reached != nil {
				h.reached(before + n + 1)
			}
			if _, found := slices.BinarySearch(numbers, int64(n)); numbers != nil && !found {
				continue
			}
			b = inventory.Row{
				Bucket: []byte(r.Bucket), Key: append(b.Key[:0], r.Key...), VersionID: append(b.VersionID[:0], r.VersionID...),
				ETag: append(b.ETag[:0], r.ETag...), Size: r.Size, LastModified: r.LastModified,
				Latest: r.Latest, Marker: r.Marker, Number: int64(n),
			}
			if !yield(&b, nil) {
				return
			}
		}
	}
}

type heldEntries struct {
	parts    [][]keptEntry
	seekable bool
	failAt   int
	reached  func(entry int)
}

func (h *heldEntries) Parts() int     { return len(h.parts) }
func (h *heldEntries) Seekable() bool { return h.seekable }

func (h *heldEntries) Entries(_ context.Context, part int) iter.Seq2[*manifest.Entry, error] {
	return h.numbered(part, nil)
}

func (h *heldEntries) Lookup(_ context.Context, part int, numbers []int64) iter.Seq2[*manifest.Entry, error] {
	return h.numbered(part, numbers)
}

func (h *heldEntries) numbered(part int, numbers []int64) iter.Seq2[*manifest.Entry, error] {
	return func(yield func(*manifest.Entry, error) bool) {
		before := 0
		for _, p := range h.parts[:part] {
			before += len(p)
		}
		var b manifest.Entry
		for n, e := range h.parts[part] {
			if h.failAt == before+n+1 {
				yield(nil, errTorn)
				return
			}
			if h.reached != nil {
				h.reached(before + n + 1)
			}
			if _, found := slices.BinarySearch(numbers, int64(n)); numbers != nil && !found {
				continue
			}
			b = manifest.Entry{
				Bucket: []byte(e.Bucket), Key: append(b.Key[:0], e.Key...), VersionID: append(b.VersionID[:0], e.VersionID...),
				ETag: append(b.ETag[:0], e.ETag...), Size: e.Size, RecordedAt: e.RecordedAt, State: e.State, Retained: e.Retained,
				Tenant: append(b.Tenant[:0], e.Tenant...), Upload: []byte(e.Upload), Number: int64(n),
			}
			if !yield(&b, nil) {
				return
			}
		}
	}
}

// world is what a test compares.
type world struct {
	inv *heldRows
	own *heldEntries
}

// worldOf deals rows and entries out to parts.
func worldOf(parts int, rows []keptRow, entries []keptEntry) world {
	w := world{&heldRows{manifest: testManifest(), parts: make([][]keptRow, parts)}, &heldEntries{parts: make([][]keptEntry, parts)}}
	for i, r := range rows {
		w.inv.parts[i%parts] = append(w.inv.parts[i%parts], r)
	}
	for i, e := range entries {
		w.own.parts[i%parts] = append(w.own.parts[i%parts], e)
	}
	return w
}

// seen is what came out of a comparison.
type seen struct {
	summary  Summary
	findings []Finding
}

// compared runs one in a folder that must be empty afterwards.
func (w world) compared(ctx context.Context, t testing.TB, o Options) (seen, error) {
	t.Helper()
	var s seen
	if o.TempDir == "" {
		o.TempDir = t.TempDir()
	}
	var err error
	s.summary, err = Compare(ctx, w.inv, w.own, o, func(f Finding) error {
		s.findings = append(s.findings, f)
		return nil
	})
	left, readErr := os.ReadDir(o.TempDir)
	if readErr != nil || len(left) > 0 {
		t.Fatalf("temporary files are left: %v, %v", left, readErr)
	}
	return s, err
}

func (w world) mustCompare(t testing.TB, o Options) seen {
	t.Helper()
	s, err := w.compared(t.Context(), t, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// truth is what the judge says with everything of a key before it: names are
// compared as they are, nothing is a fingerprint.
func (w world) truth(t testing.TB, o Options) seen {
	t.Helper()
	rules, err := newRules(w.inv.manifest, o)
	if err != nil {
		t.Fatal(err)
	}
	type name struct{ key, bucket string }
	rows, entries := map[name][]keptRow{}, map[name][]keptEntry{}
	var names []name
	add := func(n name) {
		if rows[n] == nil && entries[n] == nil {
			names = append(names, n)
		}
	}
	var read sides
	r := newRead(&bands{}, &roster{})
	for _, row := range slices.Concat(w.inv.parts...) {
		n := name{row.Key, row.Bucket}
		add(n)
		rows[n] = append(rows[n], row)
		read.rows++
		if row.VersionID != "" {
			read.versions++
		}
	}
	rules.CurrentOnly = read.currentOnly()
	run := run{bands: newBands(began), read: r, again: newRead(&bands{}, &roster{}), roster: roster{named: map[string]bool{}}}
	run.summary = Summary{Bucket: testBucket, Created: began, ManifestAt: o.ManifestAt, Rows: read.rows}
	for _, e := range slices.Concat(w.own.parts...) {
		n := name{e.Key, e.Bucket}
		add(n)
		entries[n] = append(entries[n], e)
		run.summary.Entries++
		if e.RecordedAt == manifest.NoTime {
			run.summary.Unrecorded++
		}
	}
	slices.SortFunc(names, func(a, b name) int { return strings.Compare(a.key+"\x00"+a.bucket, b.key+"\x00"+b.bucket) })
	var s seen
	for _, n := range names {
		lines, duplicates := judgeKey(rules, rows[n], entries[n])
		run.summary.Duplicates += int64(duplicates)
		for _, f := range lines {
			run.count(&f)
			if o.All || f.Verdict.Finding() {
				s.findings = append(s.findings, f)
			}
		}
	}
	s.summary = run.summary
	s.summary.HoldsBlocked = float64(s.summary.Counts[Orphan].Count)*100 > o.MaxOrphanPercent*float64(s.summary.Rows)
	return s
}

func sortedLines(findings []Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, fmt.Sprintf("%+v", f))
	}
	slices.Sort(all)
	return all
}
