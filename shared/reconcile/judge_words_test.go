package reconcile

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// The words of the judge's tests. A row stands since long ago with 5 bytes, an
// entry says so since long ago; what a case is about is said by changing that.

const (
	testBucket = "uploads"
	testKey    = "k"
	day        = 24 * time.Hour
	grace      = 7 * day
	settle     = 2 * day
)

var (
	began = time.Date(2026, 11, 28, 1, 0, 0, 0, time.UTC)
	taken = began.Add(35 * time.Hour)
	long  = -27 * day // before the inventory began
)

// instants lie on both sides of every edge, and on it, counted from when the
// inventory began; manifestInstants about its beginning.
var (
	instants = []time.Duration{
		long, long + day, -grace - time.Millisecond, -grace, -grace + time.Millisecond, -5 * day, -settle - time.Millisecond,
		-settle, -settle + time.Millisecond, -time.Hour, 0, time.Hour, 40 * time.Hour,
	}
	manifestInstants = []time.Time{taken, taken, taken, began, began.Add(time.Millisecond), began.Add(-time.Hour)}
)

func reduced() bool { return os.Getenv("STRANDLINE_BOUNDS") == "reduced" }

func testOptions() Options {
	return Options{ManifestAt: taken, OrphanGrace: grace, Settle: settle, MaxInventoryAge: 4 * day, Against: taken}
}

func testManifest() inventory.Manifest {
	return inventory.Manifest{SourceBucket: testBucket, Destination: "inventories", Created: began, Prefix: "inv/", Config: "daily"}
}

// fatal is what a test and a property have in common.
type fatal interface {
	Helper()
	Fatal(...any)
}

func testRules(t fatal, change ...func(*inventory.Manifest, *Options)) ruleset {
	t.Helper()
	m, o := testManifest(), testOptions()
	for _, c := range change {
		c(&m, &o)
	}
	rules, err := newRules(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// after is an instant in milliseconds, so long after the inventory began.
func after(d time.Duration) int64 { return began.Add(d).UnixMilli() }

type (
	rowChange   func(*keptRow)
	entryChange func(*keptEntry)
)

func row(version string, changes ...rowChange) keptRow {
	r := keptRow{Bucket: testBucket, Key: testKey, VersionID: version, Size: 5, LastModified: after(long), Marker: inventory.No}
	for _, c := range changes {
		c(&r)
	}
	return r
}

// deleteMarker is one that is the key's current version.
func deleteMarker(version string, changes ...rowChange) keptRow {
	return row(version, append([]rowChange{func(r *keptRow) {
		r.Marker, r.Latest, r.Size, r.LastModified = inventory.Yes, inventory.Yes, inventory.NoSize, after(long+day)
	}}, changes...)...)
}

func entry(version string, changes ...entryChange) keptEntry {
	e := keptEntry{Bucket: testBucket, Key: testKey, VersionID: version, Size: 5, RecordedAt: after(long), Tenant: "acme", Upload: "u-1"}
	for _, c := range changes {
		c(&e)
	}
	return e
}

func current(r *keptRow)                 { r.Latest = inventory.Yes }
func noncurrent(r *keptRow)              { r.Latest = inventory.No }
func unanswered(r *keptRow)              { r.Marker = inventory.Unknown }
func unsized(r *keptRow)                 { r.Size = inventory.NoSize }
func undated(r *keptRow)                 { r.LastModified = inventory.NoTime }
func sized(n int64) rowChange            { return func(r *keptRow) { r.Size = n } }
func etagged(s string) rowChange         { return func(r *keptRow) { r.ETag = s } }
func modified(d time.Duration) rowChange { return func(r *keptRow) { r.LastModified = after(d) } }
func named(key string) rowChange         { return func(r *keptRow) { r.Key = key } }

func deletedThen(e *keptEntry)             { e.State = manifest.Deleted }
func openThen(e *keptEntry)                { e.State = manifest.Open }
func trimmedThen(e *keptEntry)             { e.State = manifest.Trimmed }
func retained(e *keptEntry)                { e.State, e.Retained = manifest.Deleted, true }
func unstated(e *keptEntry)                { e.Size = manifest.NoSize }
func undatedEntry(e *keptEntry)            { e.RecordedAt = manifest.NoTime }
func stating(n int64) entryChange          { return func(e *keptEntry) { e.Size = n } }
func statingETag(s string) entryChange     { return func(e *keptEntry) { e.ETag = s } }
func recorded(d time.Duration) entryChange { return func(e *keptEntry) { e.RecordedAt = after(d) } }
func entryOf(key string) entryChange       { return func(e *keptEntry) { e.Key = key } }
func of(upload string) entryChange         { return func(e *keptEntry) { e.Upload = upload } }

func rowsOf(rows ...keptRow) []keptRow           { return rows }
func entriesOf(entries ...keptEntry) []keptEntry { return entries }

// said writes findings as a case wants them: "orphan v1, gone v2".
func said(lines []Finding) string {
	var all []string
	for _, f := range lines {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s", f.Verdict, f.VersionID)))
	}
	return strings.Join(all, ", ")
}
