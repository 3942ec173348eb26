package reconcile

import "github.com/strandline-dev/strandline/shared/manifest"

// liveVerdict collects all that can be said and takes what comes first.
func (n *naiveKey) liveVerdict(id string, r keptRow) Verdict {
	found := map[Verdict]bool{OK: true}
	for _, name := range []string{id, ""} {
		if name == "" && !n.current[id] {
			continue
		}
		newest := manifest.NoTime
		for _, e := range n.entries {
			if e.VersionID == name && e.State == manifest.Live && e.RecordedAt > newest {
				newest = e.RecordedAt
			}
		}
		for _, e := range n.entries {
			changes := name == "" || name == "null"
			if e.VersionID != name || e.State != manifest.Live || changes && e.RecordedAt != newest {
				continue
			}
			found[n.likeness(r, e)] = true
		}
	}
	hides, perhaps := n.hidden()
	found[Hidden] = hides
	found[NotCheckable] = found[NotCheckable] || perhaps
	for _, v := range []Verdict{Corrupt, Unsettled, Hidden, NotCheckable} {
		if found[v] {
			return v
		}
	}
	return OK
}

func (n *naiveKey) likeness(r keptRow, e keptEntry) Verdict {
	differs := func(r keptRow) bool {
		return r.Size >= 0 && e.Size >= 0 && r.Size != e.Size || r.ETag != "" && e.ETag != "" && r.ETag != e.ETag
	}
	lacks := func(r keptRow) bool { return r.Size < 0 && e.Size >= 0 }
	named := e.VersionID != "" && e.VersionID != "null"
	switch {
	case !differs(r) && lacks(r):
		return NotCheckable
	case !differs(r):
		return OK
	case named:
		return Corrupt
	case n.recent(e.RecordedAt):
		return Unsettled
	case e.VersionID == "" && len(n.current) > 1:
		for id := range n.current {
			if newest := n.newestRow(id); !differs(newest) && !lacks(newest) {
				return OK
			}
		}
		return NotCheckable
	}
	return Corrupt
}

func (n *naiveKey) newestRow(id string) keptRow {
	newest := n.rows[id][0]
	for _, r := range n.rows[id] {
		if compareRows(r, newest) < 0 {
			newest = r
		}
	}
	return newest
}

// absent judges the entries of a version that shares no row's line.
func (n *naiveKey) absent(id string) Verdict {
	strongest, at := 9, manifest.NoTime
	for _, e := range n.entries {
		if e.VersionID != id {
			continue
		}
		strength := map[manifest.State]int{manifest.Live: 0, manifest.Open: 1, manifest.Deleted: 3, manifest.Trimmed: 4}[e.State]
		if strength >= 3 && e.Retained {
			strength = 2
		}
		if strength < strongest {
			strongest, at = strength, e.RecordedAt
		}
		if strength == strongest && e.RecordedAt > at {
			at = e.RecordedAt
		}
	}
	switch {
	case n.currentOnly && id != "" && id != "null":
		return NotCheckable
	case n.recent(at):
		return Unsettled
	case strongest > 0:
		return Gone
	}
	for other := range n.rows {
		if id != "" && !n.isMarker(other) {
			return Changed
		}
	}
	return Missing
}
