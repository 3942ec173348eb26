package reconcile

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// A key of which anything may be said: few versions, sizes and instants, so that
// they meet. Instants lie on both sides of every edge, and on it.

func anyInstant(t *rapid.T, label string) int64 {
	if rapid.IntRange(0, 9).Draw(t, label+" is unknown") == 0 {
		return inventory.NoTime
	}
	return after(rapid.SampledFrom(instants).Draw(t, label))
}

func anyRow(versioned bool) *rapid.Generator[keptRow] {
	return rapid.Custom(func(t *rapid.T) keptRow {
		r := row(rapid.SampledFrom([]string{"null", "v1", "v2", "v3"}).Draw(t, "version"))
		r.Size = rapid.SampledFrom([]int64{5, 5, 6, 0, inventory.NoSize}).Draw(t, "size")
		r.ETag = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "etag")
		r.LastModified = anyInstant(t, "modified")
		r.Latest = rapid.SampledFrom([]inventory.Answer{inventory.Unknown, inventory.No, inventory.Yes}).Draw(t, "latest")
		r.Marker = rapid.SampledFrom([]inventory.Answer{inventory.No, inventory.No, inventory.No, inventory.Yes, inventory.Unknown}).Draw(t, "marker")
		if !versioned {
			r.VersionID, r.Marker, r.Latest = "", inventory.Unknown, inventory.Unknown
		}
		return r
	})
}

var anyEntryOfKey = rapid.Custom(func(t *rapid.T) keptEntry {
	e := entry(rapid.SampledFrom([]string{"", "null", "v1", "v2", "v3", "v4"}).Draw(t, "version"))
	e.Size = rapid.SampledFrom([]int64{5, 5, 6, 0, manifest.NoSize}).Draw(t, "size")
	e.ETag = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "etag")
	e.RecordedAt = anyInstant(t, "recorded")
	e.State = rapid.SampledFrom([]manifest.State{manifest.Live, manifest.Live, manifest.Live, manifest.Deleted, manifest.Open, manifest.Trimmed}).Draw(t, "state")
	e.Retained = rapid.IntRange(0, 5).Draw(t, "retained") == 0
	e.Upload = rapid.SampledFrom([]string{"u-1", "u-2"}).Draw(t, "upload")
	return e
})

// anyKey is a key under any rules: folders, out of scope, own files.
type anyKey struct {
	rules   ruleset
	rows    []keptRow
	entries []keptEntry
}

func drawKey(t *rapid.T) anyKey {
	var k anyKey
	versioned := rapid.IntRange(0, 3).Draw(t, "versioned") > 0
	k.rules = testRules(noTest{t}, func(m *inventory.Manifest, o *Options) {
		o.ManifestAt = rapid.SampledFrom(manifestInstants).Draw(t, "manifest at")
		o.Against = taken
		o.Prefix = rapid.SampledFrom([]string{"", "", "k", "other"}).Draw(t, "scope")
		m.Destination = rapid.SampledFrom([]string{"inventories", testBucket}).Draw(t, "destination")
	})
	k.rules.CurrentOnly = !versioned
	key := rapid.SampledFrom([]string{"k", "k", "k/", "inv/uploads/daily/data/1.orc"}).Draw(t, "key")
	k.rows = rapid.SliceOfN(anyRow(versioned), 0, 4).Draw(t, "rows")
	k.entries = rapid.SliceOfN(anyEntryOfKey, 0, 4).Draw(t, "entries")
	for i := range k.rows {
		k.rows[i].Key = key
	}
	for i := range k.entries {
		k.entries[i].Key = key
	}
	if n := len(k.rows); n > 0 && rapid.IntRange(0, 3).Draw(t, "twice") == 0 {
		k.rows = append(k.rows, k.rows[n-1])
	}
	return k
}

// checkKeys holds a property against many keys: a hundred of them, rapid's own
// number, meet few of the corners.
func checkKeys(t *testing.T, property func(*rapid.T, anyKey)) {
	t.Helper()
	keys := 60
	if reduced() {
		keys = 3
	}
	rapid.Check(t, func(t *rapid.T) {
		for range keys {
			property(t, drawKey(t))
		}
	})
}

// noTest lets the tests' words fail a property.
type noTest struct{ *rapid.T }

func (noTest) Helper() {}

func TestTheJudgeIsTheProtocolReadTwice(t *testing.T) {
	checkKeys(t, func(t *rapid.T, k anyKey) {
		lines, _ := judgeKey(k.rules, k.rows, k.entries)
		if got, want := said(lines), naive(k.rules, k.rows, k.entries); got != want {
			t.Fatalf("the judge says %q, the naive reading %q", got, want)
		}
	})
}

func TestTheOrderOfTheListsDoesNotMatter(t *testing.T) {
	checkKeys(t, func(t *rapid.T, k anyKey) {
		lines, duplicates := judgeKey(k.rules, k.rows, k.entries)
		again, duplicatesAgain := judgeKey(k.rules, rapid.Permutation(k.rows).Draw(t, "rows again"), rapid.Permutation(k.entries).Draw(t, "entries again"))
		if !slices.Equal(lines, again) || duplicates != duplicatesAgain {
			t.Fatalf("in another order\n%+v\nwas\n%+v", again, lines)
		}
	})
}

// Were it otherwise, a person who trusts the list could approve the deletion of
// something that is in use.
func TestNothingThatSomebodyOwnsIsAnOrphan(t *testing.T) {
	checkKeys(t, func(t *rapid.T, k anyKey) {
		lines, _ := judgeKey(k.rules, k.rows, k.entries)
		for _, f := range lines {
			if f.Verdict != Orphan && f.Verdict != Undead && f.Verdict != Leftover {
				continue
			}
			for _, e := range k.entries {
				owns := e.VersionID == "" || e.VersionID == f.VersionID
				if owns && (e.State == manifest.Live || e.State == manifest.Open || e.Retained) {
					t.Fatalf("%s %s is owned by %+v", f.Verdict, f.VersionID, e)
				}
				if f.Verdict == Orphan && k.rules.CurrentOnly && e.VersionID != "" && e.VersionID != "null" {
					t.Fatalf("an orphan may be the version of %+v", e)
				}
			}
		}
	})
}

// Were it otherwise, there would be alarms that nobody believes.
func TestNothingThatStandsIsMissing(t *testing.T) {
	checkKeys(t, func(t *rapid.T, k anyKey) {
		lines, _ := judgeKey(k.rules, k.rows, k.entries)
		for _, f := range lines {
			if f.Verdict != Missing && f.Verdict != Changed {
				continue
			}
			for _, r := range k.rows {
				if r.Marker != inventory.Yes && (r.VersionID == f.VersionID || f.VersionID == "" || f.Verdict == Missing || r.VersionID == "" && f.VersionID == "null") {
					t.Fatalf("%s %q, and %+v stands", f.Verdict, f.VersionID, r)
				}
			}
			for _, e := range k.entries {
				if e.VersionID == f.VersionID && e.State == manifest.Live && !k.rules.settled(e.RecordedAt) {
					t.Fatalf("%s %q, and it was recorded too recently: %+v", f.Verdict, f.VersionID, e)
				}
			}
		}
	})
}

func TestMoreGraceNeverMakesMoreOrphans(t *testing.T) {
	checkKeys(t, func(t *rapid.T, k anyKey) {
		orphans := func(rules ruleset) (all []string) {
			lines, _ := judgeKey(rules, k.rows, k.entries)
			for _, f := range lines {
				if f.Verdict == Orphan {
					all = append(all, f.VersionID)
				}
			}
			return all
		}
		few := k.rules
		if few.OrphanBefore != inventory.NoTime {
			few.OrphanBefore -= rapid.Int64Range(0, 60*day.Milliseconds()).Draw(t, "more grace")
		}
		before := orphans(k.rules)
		for _, id := range orphans(few) {
			if !slices.Contains(before, id) {
				t.Fatalf("%s is an orphan only with more grace", id)
			}
		}
	})
}

// Every row has one line, and every entry that shares none its own: nothing is
// lost on the way.
func TestNothingIsLeftUnsaid(t *testing.T) {
	checkKeys(t, func(t *rapid.T, k anyKey) {
		lines, duplicates := judgeKey(k.rules, k.rows, k.entries)
		about := map[string]int{}
		for _, f := range lines {
			about[f.VersionID]++
		}
		distinct := map[keptRow]bool{}
		versions := map[string]bool{}
		for _, r := range k.rows {
			distinct[r] = true
			id := r.VersionID
			if id == "" {
				id = "null"
			}
			versions[id] = true
			if about[id] == 0 {
				t.Fatalf("nothing is said of %+v", r)
			}
		}
		if duplicates != len(k.rows)-len(distinct) {
			t.Fatalf("%d duplicates of %d rows, %d of them distinct", duplicates, len(k.rows), len(distinct))
		}
		for _, e := range k.entries {
			if e.VersionID != "" && about[e.VersionID] == 0 {
				t.Fatalf("nothing is said of %+v", e)
			}
			if e.VersionID == "" && len(lines) == 0 {
				t.Fatalf("nothing is said of %+v", e)
			}
			versions[e.VersionID] = true
		}
		for id, n := range about {
			if !versions[id] || n > 2 {
				t.Fatalf("%d lines about %q", n, id)
			}
		}
	})
}

// A pair that is counted without a second look must be what the judge says: if
// it is not, corrupt and conflicting objects are counted `ok`.
func TestAPlainMatchIsExactlyOneOK(t *testing.T) {
	matches := 0
	checkKeys(t, func(t *rapid.T, k anyKey) {
		var rows []keptRow
		var entries []keptEntry
		seen := map[string]bool{}
		for i := range min(len(k.rows), len(k.entries)) {
			r, e := k.rows[i], k.entries[i]
			if rapid.Bool().Draw(t, "alike") {
				e.VersionID, e.Size, e.ETag = r.VersionID, r.Size, r.ETag
			}
			if !plainMatch(&k.rules, bytesOfRow(r), bytesOfEntry(e)) || seen[r.VersionID] || (e.VersionID == "" || len(rows) > 0 && seen[""]) && i > 0 {
				break
			}
			seen[r.VersionID], seen[e.VersionID] = true, true
			rows, entries = append(rows, r), append(entries, e)
		}
		matches += len(rows)
		lines, duplicates := judgeKey(k.rules, rows, entries)
		if len(lines) != len(rows) || duplicates != 0 {
			t.Fatalf("%d plain matches are %q", len(rows), said(lines))
		}
		for _, f := range lines {
			if f.Verdict != OK {
				t.Fatalf("%d plain matches are %q", len(rows), said(lines))
			}
		}
	})
	if matches == 0 {
		t.Error("nothing matched: the property says nothing")
	}
}

func bytesOfRow(r keptRow) *inventory.Row {
	return &inventory.Row{
		Bucket: []byte(r.Bucket), Key: []byte(r.Key), VersionID: []byte(r.VersionID), ETag: []byte(r.ETag),
		Size: r.Size, LastModified: r.LastModified, Latest: r.Latest, Marker: r.Marker,
	}
}

func bytesOfEntry(e keptEntry) *manifest.Entry {
	return &manifest.Entry{
		Bucket: []byte(e.Bucket), Key: []byte(e.Key), VersionID: []byte(e.VersionID), ETag: []byte(e.ETag), Size: e.Size,
		RecordedAt: e.RecordedAt, State: e.State, Retained: e.Retained, Tenant: []byte(e.Tenant), Upload: []byte(e.Upload),
	}
}
