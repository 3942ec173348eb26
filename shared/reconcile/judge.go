package reconcile

import (
	"cmp"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// keptRow is a row of the inventory, kept. Its fields are those of inventory.Row.
type keptRow struct {
	Bucket, Key, VersionID, ETag string
	Size, LastModified           int64
	Latest, Marker               inventory.Answer
}

// keptEntry is an entry of the owner's lists, kept. Its fields are those of
// manifest.Entry.
type keptEntry struct {
	Bucket, Key, VersionID, ETag string
	Size, RecordedAt             int64
	State                        manifest.State
	Retained                     bool
	Tenant, Upload               string
}

func keepRow(r *inventory.Row) keptRow {
	return keptRow{
		Bucket: string(r.Bucket), Key: string(r.Key), VersionID: string(r.VersionID), ETag: string(r.ETag),
		Size: r.Size, LastModified: r.LastModified, Latest: r.Latest, Marker: r.Marker,
	}
}

func keepEntry(e *manifest.Entry) keptEntry {
	return keptEntry{
		Bucket: string(e.Bucket), Key: string(e.Key), VersionID: string(e.VersionID), ETag: string(e.ETag),
		Size: e.Size, RecordedAt: e.RecordedAt, State: e.State, Retained: e.Retained,
		Tenant: string(e.Tenant), Upload: string(e.Upload),
	}
}

// judgeKey says what every version of one (bucket, key) is, and every entry
// that has none: the whole of the protocol's §7 that can be known from the two
// lists. Rows and entries are all there are of that key, in any order. It
// returns one line per version in a fixed order, and how many identical rows
// collapsed.
//
// Every row has exactly one line. An entry shares the line of the version that
// it owns or owned, and has its own where nothing of that kind stands. Missing
// means: look it up before anybody is alarmed.
func judgeKey(rules ruleset, rows []keptRow, entries []keptEntry) (lines []Finding, duplicates int) {
	k := gather(&rules, rows, entries)
	if k.outside {
		k.ignore()
	} else {
		k.judgeAll()
	}
	slices.SortFunc(k.lines, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.VersionID, b.VersionID), cmp.Compare(a.Verdict, b.Verdict))
	})
	return k.lines, len(rows) - k.distinct
}

func (k *keyed) judgeAll() {
	for _, v := range k.versions {
		k.judge(v)
	}
	for _, c := range k.claims {
		if !c.met {
			k.judgeAbsent(c)
		}
	}
}

// ignore says of every version, on either side, that nothing is said of it.
func (k *keyed) ignore() {
	for _, v := range k.versions {
		k.say(Ignored, v, nil, "")
	}
	for _, c := range k.claims {
		if k.version(c.id) == nil {
			k.sayAbsent(Ignored, &c.entries[0], "")
		}
	}
}

// say adds a line about a version, and about the entry that it belongs to,
// where there is one.
func (k *keyed) say(verdict Verdict, v *version, e *keptEntry, note string) {
	row := v.row()
	f := Finding{
		Verdict: verdict, Bucket: row.Bucket, Key: row.Key, VersionID: v.id, Size: row.Size,
		LastModified: instant(row.LastModified), Latest: row.Latest == inventory.Yes, Note: note,
	}
	f.owned(e)
	k.lines = append(k.lines, f)
}

// sayAbsent adds a line about an entry that no version belongs to.
func (k *keyed) sayAbsent(verdict Verdict, e *keptEntry, note string) {
	f := Finding{Verdict: verdict, Bucket: e.Bucket, Key: e.Key, VersionID: e.VersionID, Size: inventory.NoSize, Note: note}
	f.owned(e)
	k.lines = append(k.lines, f)
}

func (f *Finding) owned(e *keptEntry) {
	if e == nil {
		return
	}
	f.RecordedAt, f.Tenant, f.Upload = instant(e.RecordedAt), e.Tenant, e.Upload
	if f.Size == inventory.NoSize {
		f.Size = e.Size
	}
}

// instant is the time of a number of milliseconds, zero where it is unknown.
func instant(ms int64) time.Time {
	if ms == inventory.NoTime {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
