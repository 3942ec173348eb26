package reconcile

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
)

func manifestBefore(_ *inventory.Manifest, o *Options) {
	o.ManifestAt, o.Against = began.Add(-time.Hour), taken
}
func manifestAtOnce(_ *inventory.Manifest, o *Options) { o.ManifestAt = began }
func scoped(_ *inventory.Manifest, o *Options)         { o.Prefix = "tenants/" }
func intoItself(m *inventory.Manifest, _ *Options)     { m.Destination = testBucket }

func TestWhatNobodyOwns(t *testing.T) {
	ms := time.Millisecond
	judgeAll(t, []judgement{
		{name: "older than the grace is an orphan",
			rows: rowsOf(row("v1")), want: "orphan v1"},
		{name: "a moment older than the grace is an orphan",
			rows: rowsOf(row("v1", modified(-grace-ms))), want: "orphan v1"},
		{name: "exactly as old as the grace is too fresh",
			rows: rowsOf(row("v1", modified(-grace))), want: "too_fresh v1",
			without: "the edge is an orphan's"},
		{name: "younger than the grace is too fresh",
			rows: rowsOf(row("v1", modified(-grace+ms))), want: "too_fresh v1",
			without: "an upload in progress is called an orphan"},
		{name: "old enough before the manifest but not before the inventory is too fresh",
			rows: rowsOf(row("v1", modified(-grace+time.Hour))), want: "too_fresh v1",
			without: "what was put while the lists were taken is called an orphan"},
		{name: "modified after the inventory began is too fresh",
			rows: rowsOf(row("v1", modified(time.Hour))), want: "too_fresh v1"},
		{name: "a manifest from before the inventory makes no orphans",
			given: manifestBefore, rows: rowsOf(row("v1")), want: "too_fresh v1",
			without: "an old key list calls all that came since orphans"},
		{name: "a manifest from the instant the inventory began makes none",
			given: manifestAtOnce, rows: rowsOf(row("v1")), want: "too_fresh v1"},
		{name: "without LastModified it is not checkable",
			rows: rowsOf(row("v1", undated)), want: "not_checkable v1",
			without: "a list without LastModified calls every upload in progress an orphan"},
		{name: "a row that may be a marker is not checkable",
			rows: rowsOf(row("v1", unanswered)), want: "not_checkable v1",
			without: "a delete marker is called an orphan"},
		{name: "a marker is a marker",
			rows: rowsOf(deleteMarker("m1")), want: "marker m1",
			without: "a delete marker is called an orphan"},
		{name: "a null version can be an orphan",
			rows: rowsOf(row("null")), want: "orphan null"},
		{name: "another version of an owned key is one",
			rows: rowsOf(row("v1", current), row("v2", noncurrent)), entries: entriesOf(entry("v1")), want: "ok v1, orphan v2"},
	})
}

func TestWhatIsIgnored(t *testing.T) {
	judgeAll(t, []judgement{
		{name: "a folder object is ignored",
			rows: rowsOf(row("v1", named("a/"), sized(0))), want: "ignored v1",
			without: "the console's folders are called orphans"},
		{name: "a key that ends in a slash and has bytes is an orphan",
			rows: rowsOf(row("v1", named("a/"))), want: "orphan v1"},
		{name: "whether it is a folder cannot be known without sizes",
			rows: rowsOf(row("v1", named("a/"), unsized)), want: "not_checkable v1"},
		{name: "a folder object that is owned is judged",
			rows: rowsOf(row("v1", named("a/"), sized(0))), entries: entriesOf(entry("v1", entryOf("a/"))), want: "corrupt v1"},
		{name: "a folder object that is owned can be missing",
			entries: entriesOf(entry("v1", entryOf("a/"))), want: "missing v1"},
		{name: "out of scope everything is ignored",
			given: scoped, rows: rowsOf(row("v1"), row("v2", sized(6)), deleteMarker("m1")), entries: entriesOf(entry("v2"), entry("v3")),
			want:    "ignored m1, ignored v1, ignored v2, ignored v3",
			without: "what other applications keep in the bucket is called orphans"},
		{name: "in scope nothing is",
			given: scoped, rows: rowsOf(row("v1", named("tenants/a"))), want: "orphan v1"},
		{name: "a key as long as less than the scope is outside",
			given: scoped, rows: rowsOf(row("v1", named("tenants"))), want: "ignored v1"},
		{name: "an entry of another bucket is ignored",
			entries: entriesOf(entry("v1", func(e *keptEntry) { e.Bucket = "elsewhere" })), want: "ignored v1",
			without: "what lies in another bucket is called missing"},
		{name: "an inventory that lies in its own source does not judge itself",
			given: intoItself, rows: rowsOf(row("v1", named("inv/uploads/daily/data/1.parquet"))), want: "ignored v1",
			without: "the inventory's own files are called orphans"},
		{name: "what lies beside it is judged",
			given: intoItself, rows: rowsOf(row("v1", named("inv/uploads/dailyx"))), want: "orphan v1"},
		{name: "an inventory that lies elsewhere has no files here",
			rows: rowsOf(row("v1", named("inv/uploads/daily/data/1.parquet"))), want: "orphan v1"},
		{name: "an owned object in its folder is judged",
			given: intoItself, entries: entriesOf(entry("v1", entryOf("inv/uploads/daily/mine"))), want: "missing v1"},
	})
}

func TestRowsThatContradictEachOther(t *testing.T) {
	for _, c := range []struct {
		fact string
		and  rowChange
	}{
		{"size", sized(6)}, {"time", modified(-day)}, {"checksum", etagged("a")}, {"IsLatest", current}, {"marker", unanswered},
	} {
		judgeAll(t, []judgement{
			{name: "another " + c.fact + " of an unowned version is a conflict, not an orphan",
				rows: rowsOf(row("v1"), row("v1", c.and)), want: "conflict v1",
				without: "a broken list makes orphans"},
			{name: "another " + c.fact + " of an owned version is a conflict",
				rows: rowsOf(row("v1"), row("v1", c.and)), entries: entriesOf(entry("v1")), want: "conflict v1"},
		})
	}
	judgeAll(t, []judgement{
		{name: "the same row twice is one",
			rows: rowsOf(row("v1"), row("v1")), entries: entriesOf(entry("v1")), want: "ok v1"},
		{name: "a conflict counts more than undead",
			rows: rowsOf(row("v1"), row("v1", sized(6))), entries: entriesOf(entry("v1", deletedThen)), want: "conflict v1",
			without: "a version that the list contradicts itself about is purged"},
		{name: "a version that contradicts itself stands",
			rows: rowsOf(row("v1"), row("v1", sized(6))), entries: entriesOf(entry("v2")), want: "conflict v1, changed v2"},
		{name: "a marker and an object of one id: the entry is there, perhaps",
			rows: rowsOf(row("v1"), deleteMarker("v1")), entries: entriesOf(entry("v1")), want: "conflict v1"},
		{name: "markers that contradict each other are no object",
			rows: rowsOf(deleteMarker("m1"), deleteMarker("m1", modified(-day))), entries: entriesOf(entry("v1")), want: "conflict m1, missing v1"},
		{name: "nor for an entry that names them, or the key",
			rows:    rowsOf(deleteMarker("m1"), deleteMarker("m1", modified(-day))),
			entries: entriesOf(entry("m1"), entry("")), want: "missing, conflict m1, missing m1",
			without: "a lost object is not missing while its markers are listed wrongly"},
		{name: "a live entry without version id is not missing where a version contradicts itself",
			rows: rowsOf(row("v1"), row("v1", sized(6))), entries: entriesOf(entry("")), want: "conflict v1"},
	})
}

func TestIdenticalRowsAreCounted(t *testing.T) {
	rows := rowsOf(row("v1"), row("v1"), row("v1"), row("v2"), row("v2", sized(6)), row("v2"))
	if _, duplicates := judgeKey(testRules(t), rows, nil); duplicates != 3 {
		t.Errorf("%d collapsed, want 3: two of the first version, one of the second", duplicates)
	}
}

func TestListsOfCurrentVersionsOnly(t *testing.T) {
	plain := func(changes ...rowChange) []keptRow { return rowsOf(row("", append(changes, unanswered)...)) }
	judgeAll(t, []judgement{
		{name: "a row is judged as the version null",
			current: true, rows: plain(), want: "orphan null"},
		{name: "an entry of the version null owns it",
			current: true, rows: plain(), entries: entriesOf(entry("null")), want: "ok null"},
		{name: "an entry without version id owns it",
			current: true, rows: plain(), entries: entriesOf(entry("")), want: "ok null"},
		{name: "an entry without version id is compared with it",
			current: true, rows: plain(sized(6)), entries: entriesOf(entry("")), want: "corrupt null"},
		{name: "an entry with a version id can neither be confirmed nor missed, and its key is no orphan",
			current: true, rows: plain(), entries: entriesOf(entry("v1")), want: "not_checkable null, not_checkable v1",
			without: "every live object of a versioned bucket is called an orphan"},
		{name: "nor where nothing stands",
			current: true, entries: entriesOf(entry("v1")), want: "not_checkable v1",
			without: "noncurrent versions are called missing"},
		{name: "nor where it was deleted",
			current: true, rows: plain(), entries: entriesOf(entry("v1", deletedThen)), want: "not_checkable null, not_checkable v1"},
		{name: "an entry without version id is missing",
			current: true, entries: entriesOf(entry("")), want: "missing"},
		{name: "one that names a version beside one that does not",
			current: true, rows: plain(), entries: entriesOf(entry(""), entry("v1")), want: "ok null, not_checkable v1"},
	})
}
