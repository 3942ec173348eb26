package reconcile

import (
	"slices"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

func TestWhatOnlyTheOwnerKnows(t *testing.T) {
	ms := time.Millisecond
	judgeAll(t, []judgement{
		{name: "recorded long ago and not there is missing",
			entries: entriesOf(entry("v1")), want: "missing v1"},
		{name: "recorded a moment before the edge is missing",
			entries: entriesOf(entry("v1", recorded(-settle-ms))), want: "missing v1"},
		{name: "recorded exactly on the edge is unsettled",
			entries: entriesOf(entry("v1", recorded(-settle))), want: "unsettled v1",
			without: "the edge is called missing"},
		{name: "recorded after the inventory began is unsettled",
			entries: entriesOf(entry("v1", recorded(day))), want: "unsettled v1",
			without: "what the inventory could not see yet is called missing"},
		{name: "without recorded_at it is old",
			entries: entriesOf(entry("v1", undatedEntry)), want: "missing v1"},
		{name: "another version under the key: changed",
			rows: rowsOf(row("v2")), entries: entriesOf(entry("v1")), want: "changed v1, orphan v2",
			without: "an overwritten object is called missing, and the only surviving bytes may be approved for deletion"},
		{name: "another noncurrent version under the key: changed",
			rows: rowsOf(row("v2", noncurrent), deleteMarker("m1")), entries: entriesOf(entry("v1")), want: "marker m1, changed v1, orphan v2"},
		{name: "another version that somebody owns: changed",
			rows: rowsOf(row("v2")), entries: entriesOf(entry("v1"), entry("v2")), want: "changed v1, ok v2"},
		{name: "only a marker under the key: missing",
			rows: rowsOf(deleteMarker("m1")), entries: entriesOf(entry("v1")), want: "marker m1, missing v1",
			without: "a marker counts as the bytes that survived"},
		{name: "what may be a marker may be the surviving bytes",
			rows: rowsOf(row("v2", unanswered)), entries: entriesOf(entry("v1")), want: "changed v1, not_checkable v2"},
		{name: "unsettled comes before changed",
			rows: rowsOf(row("v2")), entries: entriesOf(entry("v1", recorded(0))), want: "unsettled v1, orphan v2"},
		{name: "two records of one version, one of them recent",
			entries: entriesOf(entry("v1"), entry("v1", recorded(0))), want: "unsettled v1",
			without: "a version that was recorded again just now is called missing"},
		{name: "a live and a deleted record of one version: live wins",
			entries: entriesOf(entry("v1"), entry("v1", deletedThen)), want: "missing v1",
			without: "a live object that is lost is called gone"},
		{name: "an open entry is never missing",
			entries: entriesOf(entry("v1", openThen)), want: "gone v1",
			without: "a purge in progress raises an alarm"},
		{name: "a declared key that was never put is never missing",
			entries: entriesOf(entry("", openThen)), want: "gone"},
		{name: "a recent open entry is unsettled",
			entries: entriesOf(entry("v1", openThen, recorded(0))), want: "unsettled v1"},
		{name: "a trimmed key under which nothing stands is gone",
			entries: entriesOf(entry("", trimmedThen)), want: "gone"},
	})
}

func TestWhatTheOwnerDeleted(t *testing.T) {
	fits := func(e *keptEntry) { e.ETag, e.RecordedAt = "a", after(long+day) }
	judgeAll(t, []judgement{
		{name: "still there is undead",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("v1", deletedThen)), want: "undead v1"},
		{name: "not there is gone",
			entries: entriesOf(entry("v1", deletedThen)), want: "gone v1"},
		{name: "undead counts more than corrupt and hidden",
			rows: rowsOf(row("v1", sized(6)), deleteMarker("m1")), entries: entriesOf(entry("v1", deletedThen)), want: "marker m1, undead v1"},
		{name: "undead counts more than a size that is absent",
			rows: rowsOf(row("v1", unsized)), entries: entriesOf(entry("v1", deletedThen)), want: "undead v1"},
		{name: "deleted on the edge and still there is unsettled",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("v1", deletedThen, recorded(-settle))), want: "unsettled v1",
			without: "what was deleted while the inventory was taken is called undead, or an orphan"},
		{name: "deleted on the edge and not there is unsettled",
			entries: entriesOf(entry("v1", deletedThen, recorded(-settle))), want: "unsettled v1"},
		{name: "what is retained may stand",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("v1", retained)), want: "ok v1",
			without: "object lock raises an alarm in every run"},
		{name: "what was retained and is not there is gone",
			entries: entriesOf(entry("v1", retained)), want: "gone v1"},
		{name: "a live and a deleted record of one version: live wins",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("v1", deletedThen), entry("v1", of("u-2"))), want: "ok v1",
			without: "a live object is purged as undead"},
		{name: "an open and a deleted record of one version: open wins",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("v1", deletedThen), entry("v1", openThen)), want: "ok v1"},
		{name: "another version than the deleted one is nobody's",
			rows: rowsOf(row("v2")), entries: entriesOf(entry("v1", deletedThen)), want: "gone v1, orphan v2"},
		{name: "a marker of that id is nothing that stands",
			rows: rowsOf(deleteMarker("v1")), entries: entriesOf(entry("v1", deletedThen)), want: "gone v1, marker v1"},

		{name: "a null version with the same facts from before the deletion is undead",
			rows: rowsOf(row("null", etagged("a"))), entries: entriesOf(entry("null", deletedThen, fits)), want: "undead null"},
		{name: "a null version of another size is nobody's",
			rows: rowsOf(row("null", etagged("a"), sized(6))), entries: entriesOf(entry("null", deletedThen, fits)), want: "gone null, orphan null",
			without: "an object that was put under a deleted key is purged as undead"},
		{name: "a null version with another checksum is nobody's",
			rows: rowsOf(row("null", etagged("b"))), entries: entriesOf(entry("null", deletedThen, fits)), want: "gone null, orphan null"},
		{name: "a null version without a checksum is not proven",
			rows: rowsOf(row("null")), entries: entriesOf(entry("null", deletedThen, fits)), want: "gone null, orphan null"},
		{name: "a null version without sizes is not proven",
			rows: rowsOf(row("null", etagged("a"), unsized)), entries: entriesOf(entry("null", deletedThen, fits, unstated)), want: "gone null, orphan null"},
		{name: "a null version as old as the deletion is undead",
			rows: rowsOf(row("null", etagged("a"), modified(long+day))), entries: entriesOf(entry("null", deletedThen, fits)), want: "undead null"},
		{name: "a null version younger than the deletion is nobody's",
			rows:    rowsOf(row("null", etagged("a"), modified(long+day+time.Millisecond))),
			entries: entriesOf(entry("null", deletedThen, fits)), want: "gone null, orphan null",
			without: "the same bytes put again after the deletion are purged as undead"},
		{name: "a null version whose deletion has no date is nobody's",
			rows: rowsOf(row("null", etagged("a"))), entries: entriesOf(entry("null", deletedThen, statingETag("a"), undatedEntry)), want: "gone null, orphan null"},
		{name: "a null version without a date is not checkable",
			rows: rowsOf(row("null", etagged("a"), undated)), entries: entriesOf(entry("null", deletedThen, fits)), want: "gone null, not_checkable null"},
		{name: "a null version that was deleted a moment ago is unsettled",
			rows: rowsOf(row("null", sized(6))), entries: entriesOf(entry("null", deletedThen, recorded(0))), want: "unsettled null"},
	})
}

func TestDeletionsWithoutVersionID(t *testing.T) {
	judgeAll(t, []judgement{
		{name: "what stood before the deletion is undead, every version of it",
			rows:    rowsOf(row("v1"), row("v2", modified(long-day))),
			entries: entriesOf(entry("", deletedThen)), want: "undead v1, undead v2"},
		{name: "what came after it, and is as old as an orphan, is undead too",
			rows: rowsOf(row("v1", modified(long+time.Hour))), entries: entriesOf(entry("", deletedThen)), want: "undead v1"},
		{name: "what came after it and not long ago is too fresh",
			rows: rowsOf(row("v1", modified(-day))), entries: entriesOf(entry("", deletedThen)), want: "gone, too_fresh v1",
			without: "a key that is being written again is purged as undead"},
		{name: "what stands under a key deleted at an unknown time is undead when it is old",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("", deletedThen, undatedEntry)), want: "undead v1"},
		{name: "what stands without a date is not checkable",
			rows: rowsOf(row("v1", undated)), entries: entriesOf(entry("", deletedThen)), want: "gone, not_checkable v1"},
		{name: "nothing stands: gone",
			entries: entriesOf(entry("", deletedThen)), want: "gone"},
		{name: "deleted a moment ago: unsettled, every version of it",
			rows: rowsOf(row("v1"), row("v2")), entries: entriesOf(entry("", deletedThen, recorded(0))), want: "unsettled v1, unsettled v2"},
		{name: "a live entry of one version keeps that",
			rows:    rowsOf(row("v1"), row("v2")),
			entries: entriesOf(entry("", deletedThen), entry("v2")), want: "undead v1, ok v2",
			without: "a live object is purged with its key's past"},
		{name: "a null version needs the facts",
			rows: rowsOf(row("null")), entries: entriesOf(entry("", deletedThen)), want: "gone, orphan null"},
		{name: "what is retained may stand",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("", retained)), want: "ok v1"},
	})
}

func TestWhatStandsBelowATrimmedKey(t *testing.T) {
	judgeAll(t, []judgement{
		{name: "settled, it is a leftover",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("", trimmedThen)), want: "leftover v1"},
		{name: "a named version too",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("v1", trimmedThen)), want: "leftover v1"},
		{name: "trimmed on the edge, it is unsettled",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("", trimmedThen, recorded(-settle))), want: "unsettled v1",
			without: "what was purged while the inventory was taken is purged again"},
		{name: "put on the edge, it is unsettled",
			rows: rowsOf(row("v1", modified(-settle))), entries: entriesOf(entry("", trimmedThen)), want: "unsettled v1"},
		{name: "without a date it is not checkable",
			rows: rowsOf(row("v1", undated)), entries: entriesOf(entry("", trimmedThen)), want: "not_checkable v1"},
		{name: "retained, it may stand",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("", retained, trimmedThen)), want: "ok v1",
			without: "object lock on what was superseded is purged again in every run"},
		{name: "a marker below it is a marker",
			rows: rowsOf(deleteMarker("m1")), entries: entriesOf(entry("", trimmedThen)), want: "gone, marker m1"},
		{name: "a live entry of that version keeps it",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("", trimmedThen), entry("v1")), want: "gone, ok v1"},
	})
}

// A person who reads a line must know what weakens it.
func TestLinesSayWhatWeakensThem(t *testing.T) {
	for _, c := range []struct {
		name    string
		rows    []keptRow
		entries []keptEntry
		want    string
	}{
		{"a missing that has no recorded_at", nil, entriesOf(entry("v1", undatedEntry)), noteUnrecorded},
		{"an undead that has no recorded_at", rowsOf(row("v1")), entriesOf(entry("v1", undatedEntry, deletedThen)), noteUnrecorded},
		{"a conflict", rowsOf(row("v1"), row("v1", sized(6))), nil, noteConflict},
		{"a corrupt size", rowsOf(row("v1", sized(6))), entriesOf(entry("v1")), noteSize},
		{"a corrupt checksum", rowsOf(row("v1", etagged("a"))), entriesOf(entry("v1", statingETag("b"))), noteETag},
		{"an unowned row without time", rowsOf(row("v1", undated)), nil, noteNoModified},
		{"a plain orphan", rowsOf(row("v1")), nil, ""},
	} {
		lines, _ := judgeKey(testRules(t), c.rows, c.entries)
		if len(lines) != 1 || lines[0].Note != c.want {
			t.Errorf("%s: %+v, want the note %q", c.name, lines, c.want)
		}
	}
}

// Without the note a guess looks like what the inventory says.
func TestWhatIsConcludedWithoutAColumnSaysSo(t *testing.T) {
	unmarked := func(r *keptRow) { r.Latest = inventory.Unknown }
	for _, c := range []struct {
		name    string
		rules   ruleset
		rows    []keptRow
		entries []keptEntry
		verdict Verdict
		want    string
	}{
		{"hidden by the newest marker, where no row is the latest", testRules(t),
			rowsOf(row("v1"), deleteMarker("m1", unmarked)), entriesOf(entry("v1")), Hidden, noteNewest},
		{"hidden by the latest row", testRules(t), rowsOf(row("v1", noncurrent), deleteMarker("m1")), entriesOf(entry("v1")), Hidden, ""},
		{"unowned, and the list is older", testRules(t, manifestBefore), rowsOf(row("v1")), nil, TooFresh, noteManifestOlder},
		{"perhaps a marker", testRules(t), rowsOf(row("v1", unanswered)), entriesOf(entry("v1")), NotCheckable, noteNoMarker},
		{"a size that is stated, and no column", testRules(t), rowsOf(row("v1", unsized)), entriesOf(entry("v1")), NotCheckable, noteNoSize},
	} {
		lines, _ := judgeKey(c.rules, c.rows, c.entries)
		at := slices.IndexFunc(lines, func(f Finding) bool { return f.Verdict == c.verdict })
		if at < 0 || lines[at].Note != c.want {
			t.Errorf("%s: %+v, want %s with the note %q", c.name, lines, c.verdict, c.want)
		}
	}
}

func TestALineSaysWhatIsKnownOfItsObject(t *testing.T) {
	rules := testRules(t)
	lines, _ := judgeKey(rules, rowsOf(row("null", current, etagged("a"))), entriesOf(entry("v1", undatedEntry)))
	want := []Finding{
		{Verdict: Orphan, Bucket: testBucket, Key: testKey, VersionID: "null", Size: 5, LastModified: began.Add(long),
			KeyKnown: true, NullVersion: true, Latest: true},
		{Verdict: Changed, Bucket: testBucket, Key: testKey, VersionID: "v1", Size: 5, Tenant: "acme", Upload: "u-1", Note: noteUnrecorded},
	}
	if len(lines) != 2 || lines[0] != want[0] || lines[1] != want[1] {
		t.Errorf("lines\n%+v, want\n%+v", lines, want)
	}
	owned, _ := judgeKey(rules, rowsOf(row("v1", unsized)), entriesOf(entry("v1")))
	if f := owned[0]; f.Size != 5 || !f.RecordedAt.Equal(began.Add(long)) || f.Upload != "u-1" {
		t.Errorf("a row without size takes the owner's: %+v", f)
	}
	unknown, _ := judgeKey(rules, nil, entriesOf(entry("v1", unstated)))
	if f := unknown[0]; f.Size != manifest.NoSize || !f.LastModified.IsZero() {
		t.Errorf("what neither side knows stays unknown: %+v", f)
	}
}
