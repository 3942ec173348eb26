package reconcile

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// A world is what an application and strangers did to some keys of a bucket,
// the inventory and the manifest that show it, and the verdicts that follow from
// what happened: known from the history, never from the lists. All instants are
// counted from the inventory's beginning.

// setting is what an inventory and a manifest are like.
type setting struct {
	manifestAt time.Duration
	// versioned buckets keep what is overwritten; others have one null version.
	versioned bool
	// currentOnly lists have no versions.
	currentOnly bool
	// The application records version ids, ETags.
	ids, etags bool
	// The inventory has the columns.
	latest, sizes, modified bool
}

func drawSetting(rng *rand.Rand) setting {
	s := setting{
		manifestAt: manifestInstants[rng.IntN(len(manifestInstants))].Sub(began),
		versioned:  rng.IntN(3) > 0, ids: rng.IntN(3) > 0, etags: rng.IntN(2) == 0,
		latest: rng.IntN(3) > 0, sizes: rng.IntN(8) > 0, modified: rng.IntN(8) > 0,
	}
	s.currentOnly = rng.IntN(4) == 0
	switch {
	case s.currentOnly:
		s.latest = false
		s.ids = s.ids || s.versioned
	case s.versioned && (!s.ids || !s.latest):
		s.modified = true // else it is a matter of chance which version is current
	}
	return s
}

// never is later than everything.
const never = 10_000 * day

// thing is what was put once: a version, or a marker.
type thing struct {
	id      string
	content int64 // no two have the same
	put     time.Duration
	gone    time.Duration // when it left the bucket
	marker  bool
	owned   bool          // the application put it
	removed time.Duration // when the application recorded that it is deleted
	damaged bool          // it is not what the application recorded
	listed  bool
}

// history is all that happened in one world.
type history struct {
	setting
	rng        *rand.Rand
	key        string
	content    int64
	rows       []keptRow
	entries    []keptEntry
	truth      []string
	duplicates int
}

// newHistory lets some keys live. Their names begin with the world's.
func newHistory(s setting, seed uint64) *history {
	h := &history{setting: s, rng: rand.New(rand.NewPCG(seed, 77))}
	for i := range 1 + h.rng.IntN(8) {
		ends := []string{"", "", " b", "+b", "%20b", "é", "\xff\xfe", "/x", "\t", "&'\"<>"}
		h.key = fmt.Sprintf("w%d/%d%s", seed, i, ends[h.rng.IntN(len(ends))])
		switch {
		case h.rng.IntN(12) == 0:
			h.folder()
		case h.versioned:
			h.versions()
		default:
			h.slot()
		}
	}
	h.rng.Shuffle(len(h.rows), func(i, j int) { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] })
	h.rng.Shuffle(len(h.entries), func(i, j int) { h.entries[i], h.entries[j] = h.entries[j], h.entries[i] })
	slices.Sort(h.truth)
	return h
}

func (h *history) chance(percent int) bool { return h.rng.IntN(100) < percent }

// times are some instants in order, none of them twice.
func (h *history) times() []time.Duration {
	all := slices.Clone(instants)
	h.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:1+h.rng.IntN(5)]
	slices.Sort(all)
	return all
}

func (h *history) newContent() int64 { h.content++; return h.content + 5 }

func (h *history) say(v Verdict, id string) { h.truth = append(h.truth, line3(v, h.key, id)) }

func line3(v Verdict, key, id string) string {
	return strings.Join([]string{key, id, string(v)}, "\x00")
}

func recent(at time.Duration) bool { return at >= -settle }

// unowned is what a version is that the manifest says nothing of.
func (h *history) unowned(put time.Duration) Verdict {
	switch {
	case !h.modified:
		return NotCheckable
	case put < -grace && h.manifestAt > 0:
		return Orphan
	}
	return TooFresh
}

// list adds the row of something that stands, and now and then adds it twice.
// It reports whether the rows contradict each other.
func (h *history) list(o thing, latest bool) (conflict bool) {
	r := keptRow{
		Bucket: testBucket, Key: h.key, VersionID: o.id, Size: inventory.NoSize, LastModified: inventory.NoTime,
		ETag: etagOf(o.content), Marker: inventory.No,
	}
	if o.marker {
		r.Marker, r.ETag = inventory.Yes, ""
	}
	if h.sizes && !o.marker {
		r.Size = o.content
	}
	if h.modified {
		r.LastModified = after(o.put)
	}
	if h.latest {
		r.Latest = inventory.No
		if latest {
			r.Latest = inventory.Yes
		}
	}
	if h.currentOnly {
		r.VersionID, r.Latest, r.Marker = "", inventory.Unknown, inventory.Unknown
	}
	h.rows = append(h.rows, r)
	if h.chance(6) {
		h.rows = append(h.rows, r)
		h.duplicates++
	}
	if !o.marker && h.chance(4) {
		r.ETag = "another"
		h.rows = append(h.rows, r)
		return true
	}
	return false
}

func etagOf(content int64) string { return fmt.Sprintf("%032x", content) }

// record adds what the application says of something.
func (h *history) record(id string, content int64, state manifest.State, at time.Duration) {
	e := keptEntry{
		Bucket: testBucket, Key: h.key, VersionID: id, Size: content, RecordedAt: after(at), State: state,
		Tenant: "acme", Upload: "u-" + h.key[:2],
	}
	if h.etags {
		e.ETag = etagOf(content)
	}
	h.entries = append(h.entries, e)
}

// folder is an object that stands for a folder.
func (h *history) folder() {
	h.key += "/"
	id := "f1"
	if !h.versioned || h.currentOnly {
		id = inventory.NullVersion
	}
	h.rows = append(h.rows, keptRow{
		Bucket: testBucket, Key: h.key, VersionID: id, Size: 0, LastModified: after(long), Latest: inventory.Unknown, Marker: inventory.No,
	})
	if h.currentOnly {
		h.rows[len(h.rows)-1].VersionID, h.rows[len(h.rows)-1].Marker = "", inventory.Unknown
	}
	h.say(Ignored, id)
}

// sortedTruth makes findings comparable with a truth.
func sortedTruth(lines []Finding) []string {
	var all []string
	for _, f := range lines {
		all = append(all, line3(f.Verdict, f.Key, f.VersionID))
	}
	slices.Sort(all)
	return all
}

// byKey judges the history key by key.
func (h *history) byKey(rules ruleset) (lines []Finding, duplicates int) {
	rows, entries := map[string][]keptRow{}, map[string][]keptEntry{}
	keys := map[string]bool{}
	for _, r := range h.rows {
		rows[r.Key], keys[r.Key] = append(rows[r.Key], r), true
	}
	for _, e := range h.entries {
		entries[e.Key], keys[e.Key] = append(entries[e.Key], e), true
	}
	for key := range keys {
		of, more := judgeKey(rules, rows[key], entries[key])
		lines, duplicates = append(lines, of...), duplicates+more
	}
	slices.SortFunc(lines, func(a, b Finding) int { return cmp.Compare(a.Key, b.Key) })
	return lines, duplicates
}
