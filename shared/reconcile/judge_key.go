package reconcile

import (
	"cmp"
	"slices"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// keyed is everything known of one key while it is judged.
type keyed struct {
	rules    *ruleset
	outside  bool
	versions []*version
	claims   []*claim
	distinct int // rows that differ from each other
	latest   latest
	lines    []Finding
}

// version is what the inventory says of one version: more than one row only
// where its rows contradict each other.
type version struct {
	id   string
	rows []keptRow
}

// claim is what the owner says of one version, or of every version of the key
// where the id is empty: first what counts most.
type claim struct {
	id      string
	entries []keptEntry
	met     bool // it shares a version's line
}

func gather(rules *ruleset, rows []keptRow, entries []keptEntry) *keyed {
	k := &keyed{rules: rules}
	for _, row := range rows {
		k.addRow(row)
	}
	for _, e := range entries {
		k.addEntry(e)
	}
	for _, v := range k.versions {
		slices.SortFunc(v.rows, compareRows)
	}
	for _, c := range k.claims {
		slices.SortFunc(c.entries, compareEntries)
	}
	slices.SortFunc(k.versions, func(a, b *version) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(k.claims, func(a, b *claim) int { return cmp.Compare(a.id, b.id) })
	k.latest = latestOf(k.versions)
	return k
}

// addRow keeps a row unless the same one is there already. A row without a
// version id is of a list of current versions: it is judged as the version null.
func (k *keyed) addRow(row keptRow) {
	if row.VersionID == "" {
		row.VersionID = inventory.NullVersion
		row.Marker = inventory.No
	}
	k.outside = k.outside || k.rules.outside(row.Bucket, row.Key)
	v := k.version(row.VersionID)
	if v == nil {
		v = &version{id: row.VersionID}
		k.versions = append(k.versions, v)
	}
	if !slices.Contains(v.rows, row) {
		v.rows = append(v.rows, row)
		k.distinct++
	}
}

func (k *keyed) addEntry(e keptEntry) {
	k.outside = k.outside || k.rules.outside(e.Bucket, e.Key)
	c := k.claim(e.VersionID)
	if c == nil {
		c = &claim{id: e.VersionID}
		k.claims = append(k.claims, c)
	}
	c.entries = append(c.entries, e)
}

func (k *keyed) version(id string) *version {
	i := slices.IndexFunc(k.versions, func(v *version) bool { return v.id == id })
	if i < 0 {
		return nil
	}
	return k.versions[i]
}

func (k *keyed) claim(id string) *claim {
	i := slices.IndexFunc(k.claims, func(c *claim) bool { return c.id == id })
	if i < 0 {
		return nil
	}
	return k.claims[i]
}

// row is the one that speaks for the version: its newest.
func (v *version) row() *keptRow { return &v.rows[0] }

// conflict reports whether the version's rows contradict each other.
func (v *version) conflict() bool { return len(v.rows) > 1 }

// marker reports whether every row of it is a delete marker.
func (v *version) marker() bool {
	return !slices.ContainsFunc(v.rows, func(r keptRow) bool { return r.Marker != inventory.Yes })
}

// perhapsMarker reports whether the inventory leaves it open.
func (v *version) perhapsMarker() bool {
	return !v.marker() && slices.ContainsFunc(v.rows, func(r keptRow) bool { return r.Marker != inventory.No })
}

// current reports whether a row of it says that it is the current version.
func (v *version) current() bool {
	return slices.ContainsFunc(v.rows, func(r keptRow) bool { return r.Latest == inventory.Yes })
}

// latest is the key's current version; several where the inventory leaves open
// which one it is.
type latest struct {
	versions []*version
	// guessed: not exactly one version is said to be it.
	guessed bool
}

// latestOf follows IsLatest; where none or several have it, the newest
// LastModified among those. Without that, or with the same, it stays open.
func latestOf(versions []*version) latest {
	pool := slices.DeleteFunc(slices.Clone(versions), func(v *version) bool { return !v.current() })
	l := latest{guessed: len(pool) != 1}
	if len(pool) == 0 {
		pool = versions
	}
	l.versions = newest(pool)
	return l
}

func newest(pool []*version) []*version {
	at := inventory.NoTime
	for _, v := range pool {
		modified := v.row().LastModified
		if modified == inventory.NoTime {
			return pool
		}
		at = max(at, modified)
	}
	return slices.DeleteFunc(slices.Clone(pool), func(v *version) bool { return v.row().LastModified != at })
}

// hides: the key's current version is a delete marker.
func (l latest) hides() bool {
	return len(l.versions) > 0 && !slices.ContainsFunc(l.versions, func(v *version) bool { return !v.marker() })
}

// mayHide: it might be one.
func (l latest) mayHide() bool {
	return slices.ContainsFunc(l.versions, func(v *version) bool { return v.marker() || v.perhapsMarker() })
}

// compareRows puts the newest first; the rest only makes the order a fixed one.
func compareRows(a, b keptRow) int {
	return cmp.Or(
		cmp.Compare(b.LastModified, a.LastModified), cmp.Compare(b.Size, a.Size), cmp.Compare(a.ETag, b.ETag),
		cmp.Compare(b.Latest, a.Latest), cmp.Compare(a.Marker, b.Marker))
}

// compareEntries puts first what counts most: a state in which something may
// stand, then the newest record.
func compareEntries(a, b keptEntry) int {
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)), cmp.Compare(b.RecordedAt, a.RecordedAt), cmp.Compare(a.Tenant, b.Tenant),
		cmp.Compare(a.Upload, b.Upload), cmp.Compare(b.Size, a.Size), cmp.Compare(a.ETag, b.ETag))
}

func rank(e keptEntry) int {
	switch {
	case e.State == manifest.Live:
		return 0
	case e.State == manifest.Open:
		return 1
	case e.Retained:
		return 2
	case e.State == manifest.Deleted:
		return 3
	}
	return 4
}
