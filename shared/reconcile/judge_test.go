package reconcile

import (
	"slices"
	"testing"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// judgement is one key and what is to be said of it. without says what happens
// when the guard that the case stands for is removed; each was removed once, and
// the case was red.
type judgement struct {
	name    string
	given   func(*inventory.Manifest, *Options)
	current bool // the list is of current versions only
	rows    []keptRow
	entries []keptEntry
	want    string
	without string
}

func judgeAll(t *testing.T, cases []judgement) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.given == nil {
				c.given = func(*inventory.Manifest, *Options) {}
			}
			rules := testRules(t, c.given)
			rules.CurrentOnly = c.current
			lines, _ := judgeKey(rules, c.rows, c.entries)
			if got := said(lines); got != c.want {
				t.Errorf("it is %q, want %q; without the guard: %s", got, c.want, c.without)
			}
			slices.Reverse(c.rows)
			slices.Reverse(c.entries)
			again, _ := judgeKey(rules, c.rows, c.entries)
			if !slices.Equal(lines, again) {
				t.Errorf("in another order it is %q, was %q", said(again), said(lines))
			}
			if got := naive(rules, c.rows, c.entries); got != c.want {
				t.Errorf("the naive reading of the protocol says %q, want %q", got, c.want)
			}
		})
	}
}

func TestWhatIsOwnedAndStands(t *testing.T) {
	judgeAll(t, []judgement{
		{name: "a version recorded with its size is ok",
			rows: rowsOf(row("v1", current)), entries: entriesOf(entry("v1")), want: "ok v1"},
		{name: "an entry without size is compared with nothing",
			rows: rowsOf(row("v1", sized(9))), entries: entriesOf(entry("v1", unstated)), want: "ok v1"},
		{name: "another size is corrupt",
			rows: rowsOf(row("v1", sized(6))), entries: entriesOf(entry("v1")), want: "corrupt v1",
			without: "a truncated object is ok"},
		{name: "no bytes where some were recorded is corrupt",
			rows: rowsOf(row("v1", sized(0))), entries: entriesOf(entry("v1")), want: "corrupt v1"},
		{name: "bytes where none were recorded are corrupt",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("v1", stating(0))), want: "corrupt v1"},
		{name: "another checksum is corrupt",
			rows: rowsOf(row("v1", etagged("a"))), entries: entriesOf(entry("v1", statingETag("b"))), want: "corrupt v1",
			without: "bytes that were exchanged for as many others are ok"},
		{name: "a checksum that only one side has is compared with nothing",
			rows: rowsOf(row("v1", etagged("a"))), entries: entriesOf(entry("v1")), want: "ok v1"},
		{name: "a checksum that only the owner has is compared with nothing",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("v1", statingETag("b"))), want: "ok v1"},
		{name: "a list without sizes cannot confirm a size that is stated",
			rows: rowsOf(row("v1", unsized)), entries: entriesOf(entry("v1")), want: "not_checkable v1",
			without: "a list without sizes says that nothing is truncated"},
		{name: "a list without sizes confirms an entry that states none",
			rows: rowsOf(row("v1", unsized)), entries: entriesOf(entry("v1", unstated)), want: "ok v1"},
		{name: "without sizes another checksum is still corrupt",
			rows: rowsOf(row("v1", unsized, etagged("a"))), entries: entriesOf(entry("v1", statingETag("b"))), want: "corrupt v1"},
		{name: "a row that may be a delete marker is not checkable",
			rows: rowsOf(row("v1", unanswered)), entries: entriesOf(entry("v1")), want: "not_checkable v1",
			without: "a delete marker in place of the object is ok"},
		{name: "a row without LastModified is ok where it is owned",
			rows: rowsOf(row("v1", undated)), entries: entriesOf(entry("v1")), want: "ok v1"},
		{name: "recorded a moment ago and there already is ok",
			rows: rowsOf(row("v1", modified(0))), entries: entriesOf(entry("v1", recorded(0))), want: "ok v1"},
		{name: "modified after the inventory began is ok",
			rows: rowsOf(row("v1", modified(day))), entries: entriesOf(entry("v1")), want: "ok v1"},
		{name: "a version that two uploads own is one line",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("v1"), entry("v1", of("u-2"))), want: "ok v1"},
		{name: "two owners that state different sizes: one of them has a corrupt object",
			rows: rowsOf(row("v1")), entries: entriesOf(entry("v1"), entry("v1", of("u-2"), stating(7))), want: "corrupt v1",
			without: "the owner that is right hides the one whose object is corrupt"},
		{name: "each version of a key has its own entry",
			rows: rowsOf(row("v1", noncurrent), row("v2", current)), entries: entriesOf(entry("v1"), entry("v2")), want: "ok v1, ok v2"},
		{name: "a null version is owned by its name",
			rows: rowsOf(row("null")), entries: entriesOf(entry("null")), want: "ok null"},
		{name: "a null version of another size is corrupt",
			rows: rowsOf(row("null", sized(6))), entries: entriesOf(entry("null")), want: "corrupt null"},
		{name: "a null version that was overwritten after the inventory began is not judged yet",
			rows: rowsOf(row("null", sized(6))), entries: entriesOf(entry("null", recorded(time1))), want: "unsettled null",
			without: "an object that was overwritten since is called corrupt"},
		{name: "of two records of a null version the newer counts",
			rows: rowsOf(row("null", sized(6))), entries: entriesOf(entry("null"), entry("null", stating(6), recorded(-5*day))), want: "ok null",
			without: "an object that was overwritten, and recorded again, is called corrupt by its old record"},
		{name: "a size that differs is corrupt however recent, where the version is named",
			rows: rowsOf(row("v1", sized(6))), entries: entriesOf(entry("v1", recorded(time1))), want: "corrupt v1"},
		{name: "an open entry owns its version whatever its size",
			rows: rowsOf(row("v1", sized(6))), entries: entriesOf(entry("v1", openThen)), want: "ok v1",
			without: "what is condemned and waits for its purge is called an orphan"},
		{name: "a declared key whose version is not recorded owns what stands",
			rows: rowsOf(row("v1"), row("v2")), entries: entriesOf(entry("", openThen, unstated)), want: "ok v1, ok v2",
			without: "an upload in progress is called an orphan"},
	})
}

const time1 = -settle // exactly on the edge: unsettled

func TestWhatADeleteMarkerHides(t *testing.T) {
	judgeAll(t, []judgement{
		{name: "an owned version beneath a newer marker is hidden",
			rows: rowsOf(row("v1", noncurrent), deleteMarker("m1")), entries: entriesOf(entry("v1")), want: "marker m1, hidden v1",
			without: "readers get 404 and the report says ok"},
		{name: "all owned versions beneath it are",
			rows: rowsOf(row("v1", noncurrent), row("v2", noncurrent), deleteMarker("m1")), entries: entriesOf(entry("v1"), entry("v2")),
			want: "marker m1, hidden v1, hidden v2"},
		{name: "a marker beneath the current version hides nothing",
			rows:    rowsOf(row("v1", current), deleteMarker("m1", noncurrent, modified(long-day))),
			entries: entriesOf(entry("v1")), want: "marker m1, ok v1",
			without: "a key that was written again after a deletion is called hidden"},
		{name: "IsLatest counts, not the clock",
			rows:    rowsOf(row("v1", current), deleteMarker("m1", noncurrent, modified(long+day))),
			entries: entriesOf(entry("v1")), want: "marker m1, ok v1"},
		{name: "without IsLatest the newest marker hides",
			rows:    rowsOf(row("v1"), deleteMarker("m1", func(r *keptRow) { r.Latest = inventory.Unknown })),
			entries: entriesOf(entry("v1")), want: "marker m1, hidden v1",
			without: "a list without IsLatest hides nothing"},
		{name: "without IsLatest an older marker does not",
			rows:    rowsOf(row("v1"), deleteMarker("m1", modified(long-day), func(r *keptRow) { r.Latest = inventory.Unknown })),
			entries: entriesOf(entry("v1")), want: "marker m1, ok v1"},
		{name: "of several latest rows the newest counts: the marker",
			rows: rowsOf(row("v1", current), deleteMarker("m1")), entries: entriesOf(entry("v1")), want: "marker m1, hidden v1"},
		{name: "of several latest rows the newest counts: the version",
			rows:    rowsOf(row("v1", current, modified(long+2*day)), deleteMarker("m1")),
			entries: entriesOf(entry("v1")), want: "marker m1, ok v1"},
		{name: "of several latest rows only those count",
			rows:    rowsOf(row("v1", current), row("v2", current), deleteMarker("m1", noncurrent, modified(-day))),
			entries: entriesOf(entry("v1"), entry("v2")), want: "marker m1, ok v1, ok v2"},
		{name: "a marker as old as the version may hide it",
			rows:    rowsOf(row("v1"), deleteMarker("m1", modified(long), noncurrent)),
			entries: entriesOf(entry("v1")), want: "marker m1, not_checkable v1",
			without: "a version that a marker of the same second hides is ok"},
		{name: "without IsLatest and LastModified a marker may hide it",
			rows:    rowsOf(row("v1", undated), deleteMarker("m1", undated, noncurrent)),
			entries: entriesOf(entry("v1")), want: "marker m1, not_checkable v1"},
		{name: "a marker without a date may hide a version that has one",
			rows:    rowsOf(row("v1"), deleteMarker("m1", undated, noncurrent)),
			entries: entriesOf(entry("v1")), want: "marker m1, not_checkable v1",
			without: "a marker whose date is not known counts as the oldest, and hides nothing"},
		{name: "what is corrupt is so beneath a marker too",
			rows: rowsOf(row("v1", sized(6)), deleteMarker("m1")), entries: entriesOf(entry("v1")), want: "marker m1, corrupt v1",
			without: "corrupt counts less than hidden, and nobody is alarmed"},
		{name: "a marker is nobody's object: its own entry is missing",
			rows: rowsOf(deleteMarker("m1")), entries: entriesOf(entry("m1", unstated)), want: "marker m1, missing m1",
			without: "a marker that has the entry's version id is ok"},
		{name: "a condemned version beneath a quarantine marker is ok",
			rows: rowsOf(row("v1"), deleteMarker("m1")), entries: entriesOf(entry("v1", openThen)), want: "marker m1, ok v1"},
	})
}

func TestLiveEntriesWithoutVersionID(t *testing.T) {
	judgeAll(t, []judgement{
		{name: "it is compared with the current version and owns the others",
			rows:    rowsOf(row("v1", noncurrent, sized(9)), row("v2", current)),
			entries: entriesOf(entry("")), want: "ok v1, ok v2",
			without: "the earlier versions of a live key are called orphans, or corrupt"},
		{name: "the current version of another size is corrupt, the others are not",
			rows:    rowsOf(row("v1", noncurrent), row("v2", current, sized(6))),
			entries: entriesOf(entry("")), want: "ok v1, corrupt v2"},
		{name: "overwritten after the inventory began is not judged yet",
			rows: rowsOf(row("v1", current, sized(6))), entries: entriesOf(entry("", recorded(day))), want: "unsettled v1",
			without: "an object that was overwritten since is called corrupt"},
		{name: "recorded twice, the newer record counts",
			rows:    rowsOf(row("v1", current, sized(6))),
			entries: entriesOf(entry(""), entry("", stating(6), recorded(long+day))), want: "ok v1"},
		{name: "nothing stands: missing",
			entries: entriesOf(entry("")), want: "missing"},
		{name: "nothing but a marker stands: missing",
			rows: rowsOf(deleteMarker("m1")), entries: entriesOf(entry("")), want: "missing, marker m1"},
		{name: "nothing stands yet: unsettled",
			entries: entriesOf(entry("", recorded(time1))), want: "unsettled"},
		{name: "beneath a marker all its versions are hidden",
			rows: rowsOf(row("v1", noncurrent, sized(9)), deleteMarker("m1")), entries: entriesOf(entry("")), want: "marker m1, hidden v1"},
		{name: "without IsLatest the newest is compared",
			rows:    rowsOf(row("v1", sized(9)), row("v2", modified(long+day))),
			entries: entriesOf(entry("")), want: "ok v1, ok v2"},
		{name: "of two versions as old as each other either may be meant",
			rows:    rowsOf(row("v1", sized(9)), row("v2")),
			entries: entriesOf(entry("")), want: "ok v1, ok v2",
			without: "which of two rows of one second is current depends on their order"},
		{name: "neither of two such versions fits",
			rows:    rowsOf(row("v1", sized(9)), row("v2", sized(8))),
			entries: entriesOf(entry("")), want: "not_checkable v1, not_checkable v2"},
		{name: "a named version counts beside it",
			rows:    rowsOf(row("v1", noncurrent, sized(9)), row("v2", current)),
			entries: entriesOf(entry(""), entry("v1")), want: "corrupt v1, ok v2"},
		{name: "it owns what another entry says is deleted",
			rows: rowsOf(row("v1", current)), entries: entriesOf(entry(""), entry("v1", deletedThen)), want: "ok v1",
			without: "what a live key may mean is purged as undead"},
		{name: "its current version lacks a size that it states",
			rows: rowsOf(row("v1", current, unsized)), entries: entriesOf(entry("")), want: "not_checkable v1"},
	})
}
