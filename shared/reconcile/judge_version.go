package reconcile

import (
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// judge says what a version of the key is.
func (k *keyed) judge(v *version) {
	switch e := k.first(v, anyEntry); {
	case v.conflict() && v.marker():
		k.say(Conflict, v, nil, noteConflict)
	case v.conflict():
		k.met(v, e)
		k.say(Conflict, v, e, noteConflict)
	case v.marker():
		k.say(Marker, v, nil, "")
	case v.perhapsMarker():
		k.met(v, e)
		k.say(NotCheckable, v, e, noteNoMarker)
	default:
		k.judgeStanding(v)
	}
}

// judgeStanding asks, in this order, who says that the version may stand, who
// says that it must not, and whether it is nobody's.
func (k *keyed) judgeStanding(v *version) {
	if k.first(v, live) != nil {
		k.judgeLive(v)
		return
	}
	if e := k.first(v, mayStand); e != nil {
		k.met(v, e)
		k.say(OK, v, e, "")
		return
	}
	if e := k.first(v, k.unsettled); e != nil {
		k.met(v, e)
		k.say(Unsettled, v, e, noteRecentlyDeleted)
		return
	}
	if e := k.first(v, func(e *keptEntry) bool { return e.State == manifest.Deleted && k.undead(v, e) }); e != nil {
		k.met(v, e)
		k.say(Undead, v, e, unrecorded(e))
		return
	}
	if e := k.first(v, trimmed); e != nil {
		k.met(v, e)
		k.judgeTrimmed(v, e)
		return
	}
	k.judgeUnowned(v)
}

// undead reports whether a version is one that the owner deleted. A version id
// is proof. The null version, and a deletion of a key without version id, can
// mean an object that came later: the one needs the same facts and an instant
// before the deletion; the other that instant, or the age of an orphan, since
// what lands under a key after its deletion is nobody's either.
func (k *keyed) undead(v *version, e *keptEntry) bool {
	row := v.row()
	before := row.LastModified != inventory.NoTime && row.LastModified <= e.RecordedAt
	switch {
	case v.id == inventory.NullVersion:
		return before && row.Size != inventory.NoSize && row.Size == e.Size && row.ETag != "" && row.ETag == e.ETag
	case e.VersionID != "":
		return true
	}
	return before || k.rules.oldEnough(row.LastModified)
}

// judgeTrimmed: nothing may stand below a key that its upload did not list,
// once the last writer must have given up.
func (k *keyed) judgeTrimmed(v *version, e *keptEntry) {
	switch modified := v.row().LastModified; {
	case modified == inventory.NoTime:
		k.say(NotCheckable, v, e, noteNoModified)
	case !k.rules.settled(modified):
		k.say(Unsettled, v, e, "")
	default:
		k.say(Leftover, v, e, unrecorded(e))
	}
}

// judgeUnowned: nobody says anything of this version.
func (k *keyed) judgeUnowned(v *version) {
	row := v.row()
	folder := strings.HasSuffix(row.Key, "/")
	switch {
	case k.rules.ownFile(row.Key), folder && row.Size == 0:
		k.say(Ignored, v, nil, "")
		return
	case folder && row.Size == inventory.NoSize:
		k.say(NotCheckable, v, nil, noteNoSize)
	case k.namesVersions() && k.rules.CurrentOnly:
		k.say(NotCheckable, v, nil, noteNoVersions)
	case row.LastModified == inventory.NoTime:
		k.say(NotCheckable, v, nil, noteNoModified)
	case k.rules.oldEnough(row.LastModified):
		k.say(Orphan, v, nil, "")
	case k.rules.OrphanBefore == inventory.NoTime:
		k.say(TooFresh, v, nil, noteManifestOlder)
	default:
		k.say(TooFresh, v, nil, "")
	}
	line := &k.lines[len(k.lines)-1]
	line.KeyKnown = len(k.claims) > 0
	line.NullVersion = v.id == inventory.NullVersion
}

// namesVersions reports whether the owner knows the key by version ids: then a
// list of current versions cannot tell whether its row is one of them.
func (k *keyed) namesVersions() bool { return slices.ContainsFunc(k.claims, (*claim).namesVersion) }

func (c *claim) namesVersion() bool { return c.id != "" && c.id != inventory.NullVersion }

// first is the first entry about a version that is as asked: of those that name
// it, then of those that mean every version of the key.
func (k *keyed) first(v *version, is func(*keptEntry) bool) *keptEntry {
	for _, id := range []string{v.id, ""} {
		c := k.claim(id)
		if c == nil {
			continue
		}
		for i := range c.entries {
			if is(&c.entries[i]) {
				return &c.entries[i]
			}
		}
	}
	return nil
}

// met notes which claims share the line of a version that stands: the entry's,
// whatever else is said of this very version, and a live one without version id,
// which is not missing where anything stands.
func (k *keyed) met(v *version, e *keptEntry) {
	for _, c := range k.claims {
		if c.id == v.id || c.id == "" && live(&c.entries[0]) || e != nil && c.id == e.VersionID {
			c.met = true
		}
	}
}

func anyEntry(*keptEntry) bool  { return true }
func live(e *keptEntry) bool    { return e.State == manifest.Live }
func trimmed(e *keptEntry) bool { return e.State == manifest.Trimmed }

func mayStand(e *keptEntry) bool {
	return e.State == manifest.Open || e.Retained && !live(e)
}

func (k *keyed) unsettled(e *keptEntry) bool { return !k.rules.settled(e.RecordedAt) }
