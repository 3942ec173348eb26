package reconcile

import (
	"sort"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// naive is a second reading of the protocol's §7, slow and with nothing in common
// with the judge but the rows, the entries and the instants: it asks the whole
// table of every version, and sorts what it has found. It says what the tests'
// said() says.
func naive(rules ruleset, rows []keptRow, entries []keptEntry) string {
	n := naiveKey{
		created: time.UnixMilli(rules.Created), manifestAt: time.UnixMilli(rules.ManifestAt), currentOnly: rules.CurrentOnly,
		rows: map[string][]keptRow{}, entries: entries, used: map[string]bool{},
	}
	seen := map[keptRow]bool{}
	outside := false
	for _, r := range rows {
		outside = outside || r.Bucket != rules.Bucket || strings.Index(r.Key, rules.Prefix) != 0
		if r.VersionID == "" {
			r.VersionID, r.Marker = "null", inventory.No
		}
		if !seen[r] {
			seen[r] = true
			n.rows[r.VersionID] = append(n.rows[r.VersionID], r)
		}
	}
	for _, e := range entries {
		outside = outside || e.Bucket != rules.Bucket || strings.Index(e.Key, rules.Prefix) != 0
	}
	if outside {
		return n.allIgnored()
	}
	n.findCurrent()
	for id := range n.rows {
		n.say(n.verdictOf(id, rules), id)
	}
	said := map[string]bool{}
	for _, e := range entries {
		if !n.used[e.VersionID] && !said[e.VersionID] {
			said[e.VersionID] = true
			n.say(n.absent(e.VersionID), e.VersionID)
		}
	}
	return n.sorted()
}

type naiveKey struct {
	created, manifestAt time.Time
	currentOnly         bool
	rows                map[string][]keptRow // by version, identical ones once
	entries             []keptEntry
	used                map[string]bool // by version: its entries share a row's line
	current             map[string]bool // the versions that may be the current one
	lines               [][2]string
}

func (n *naiveKey) say(v Verdict, id string) { n.lines = append(n.lines, [2]string{id, string(v)}) }

func (n *naiveKey) sorted() string {
	sort.Slice(n.lines, func(i, j int) bool {
		a, b := n.lines[i], n.lines[j]
		return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
	})
	var all []string
	for _, l := range n.lines {
		all = append(all, strings.TrimSpace(l[1]+" "+l[0]))
	}
	return strings.Join(all, ", ")
}

func (n *naiveKey) allIgnored() string {
	ids := map[string]bool{}
	for id := range n.rows {
		ids[id] = true
	}
	for _, e := range n.entries {
		ids[e.VersionID] = true
	}
	for id := range ids {
		n.say(Ignored, id)
	}
	return n.sorted()
}

// isMarker and isObject: rows that contradict each other may be neither.
func (n *naiveKey) isMarker(id string) bool {
	for _, r := range n.rows[id] {
		if r.Marker != inventory.Yes {
			return false
		}
	}
	return len(n.rows[id]) > 0
}

func (n *naiveKey) isObject(id string) bool {
	for _, r := range n.rows[id] {
		if r.Marker != inventory.No {
			return false
		}
	}
	return true
}

func (n *naiveKey) when(id string) int64 {
	at := inventory.NoTime
	for _, r := range n.rows[id] {
		if r.LastModified > at {
			at = r.LastModified
		}
	}
	return at
}

func (n *naiveKey) findCurrent() {
	pool := map[string]bool{}
	for id, group := range n.rows {
		for _, r := range group {
			if r.Latest == inventory.Yes {
				pool[id] = true
			}
		}
	}
	if len(pool) == 0 {
		for id := range n.rows {
			pool[id] = true
		}
	}
	n.current = map[string]bool{}
	dated := true
	for id := range pool {
		dated = dated && n.when(id) != inventory.NoTime
	}
	for id := range pool {
		newest := true
		for other := range pool {
			newest = newest && n.when(id) >= n.when(other)
		}
		if newest || !dated {
			n.current[id] = true
		}
	}
}

// hidden: yes, no, or perhaps.
func (n *naiveKey) hidden() (yes, perhaps bool) {
	markers, objects := 0, 0
	for id := range n.current {
		switch {
		case n.isMarker(id):
			markers++
		case n.isObject(id):
			objects++
		default:
			markers, objects = markers+1, objects+1
		}
	}
	return objects == 0 && markers > 0, objects > 0 && markers > 0
}

func (n *naiveKey) recent(ms int64) bool {
	return ms != manifest.NoTime && !time.UnixMilli(ms).Before(n.created.Add(-settle))
}

func (n *naiveKey) longUnowned(ms int64) bool {
	at := time.UnixMilli(ms).Add(grace)
	return ms != inventory.NoTime && at.Before(n.created) && at.Before(n.manifestAt) && n.manifestAt.After(n.created)
}

// have reports whether an entry about a version is as asked, and notes whose
// line is shared.
func (n *naiveKey) have(id string, ask func(keptEntry) bool) bool {
	for _, name := range []string{id, ""} {
		for _, e := range n.entries {
			if e.VersionID == name && ask(e) {
				n.used[id], n.used[name] = true, true
				return true
			}
		}
	}
	return false
}

func (n *naiveKey) verdictOf(id string, rules ruleset) Verdict {
	r := n.rows[id][0]
	isLive := func(e keptEntry) bool { return e.State == manifest.Live }
	if !n.isMarker(id) {
		for _, e := range n.entries {
			if e.VersionID == "" && isLive(e) {
				n.used[""] = true
			}
		}
	}
	switch {
	case len(n.rows[id]) > 1:
		if !n.isMarker(id) {
			n.have(id, func(keptEntry) bool { return true })
		}
		return Conflict
	case r.Marker == inventory.Yes:
		return Marker
	case r.Marker == inventory.Unknown:
		n.have(id, func(keptEntry) bool { return true })
		return NotCheckable
	case n.have(id, isLive):
		return n.liveVerdict(id, r)
	case n.have(id, func(e keptEntry) bool { return e.State == manifest.Open || e.Retained }):
		return OK
	case n.have(id, func(e keptEntry) bool { return n.recent(e.RecordedAt) }):
		return Unsettled
	case n.have(id, func(e keptEntry) bool { return e.State == manifest.Deleted && n.undead(r, e) }):
		return Undead
	case n.have(id, func(e keptEntry) bool { return e.State == manifest.Trimmed }):
		if r.LastModified == inventory.NoTime {
			return NotCheckable
		}
		if n.recent(r.LastModified) {
			return Unsettled
		}
		return Leftover
	}
	return n.unowned(r, rules)
}

func (n *naiveKey) undead(r keptRow, e keptEntry) bool {
	younger := r.LastModified == inventory.NoTime || e.RecordedAt == manifest.NoTime || r.LastModified > e.RecordedAt
	if r.VersionID == "null" {
		return !younger && r.Size >= 0 && r.Size == e.Size && r.ETag != "" && r.ETag == e.ETag
	}
	return e.VersionID == r.VersionID || !younger || n.longUnowned(r.LastModified)
}

func (n *naiveKey) unowned(r keptRow, rules ruleset) Verdict {
	if rules.own([]byte(r.Key)) || strings.HasSuffix(r.Key, "/") && r.Size == 0 {
		return Ignored
	}
	if strings.HasSuffix(r.Key, "/") && r.Size < 0 || r.LastModified == inventory.NoTime {
		return NotCheckable
	}
	for _, e := range n.entries {
		if n.currentOnly && e.VersionID != "" && e.VersionID != "null" {
			return NotCheckable
		}
	}
	if n.longUnowned(r.LastModified) {
		return Orphan
	}
	return TooFresh
}
