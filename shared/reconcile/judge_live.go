package reconcile

import (
	"slices"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// judgeLive says what a version is that a live entry owns.
func (k *keyed) judgeLive(v *version) {
	e := k.first(v, live)
	k.met(v, e)
	answer, against := k.compare(v)
	if against == nil {
		against = e
	}
	switch {
	case answer == sizeDiffers:
		k.say(Corrupt, v, against, noteSize)
	case answer == etagDiffers:
		k.say(Corrupt, v, against, noteETag)
	case answer == notYet:
		k.say(Unsettled, v, against, noteOverwritten)
	case k.latest.hides():
		k.say(Hidden, v, e, k.latest.note())
	case k.latest.mayHide(), answer == whichDiffers:
		k.say(NotCheckable, v, e, noteWhichCurrent)
	case answer == noSize:
		k.say(NotCheckable, v, against, noteNoSize)
	default:
		k.say(OK, v, e, "")
	}
}

// note says that the current version is not what the inventory calls so.
func (l latest) note() string {
	if l.guessed {
		return noteNewest
	}
	return ""
}

// likeness is how a version compares with an entry, the worst last.
type likeness int

const (
	same likeness = iota
	noSize
	whichDiffers // it may be another version that the entry means
	notYet       // the entry may mean what was written after the inventory began
	etagDiffers
	sizeDiffers
)

// compare holds a version against every live entry that states facts of it, and
// returns the worst that comes out, and against which.
func (k *keyed) compare(v *version) (likeness, *keptEntry) {
	worst, against := same, (*keptEntry)(nil)
	for _, e := range k.stated(v) {
		if l := k.like(v, e); l > worst {
			worst, against = l, e
		}
	}
	return worst, against
}

// stated are the entries whose facts are this version's: those that name it,
// and those without version id if it is the current one. Under "null", as
// without version id, a later write takes the earlier one's place, so the
// newest record is the one that counts.
func (k *keyed) stated(v *version) []*keptEntry {
	var all []*keptEntry
	if c := k.claim(v.id); c != nil {
		all = append(all, c.live(v.id == inventory.NullVersion)...)
	}
	if c := k.claim(""); c != nil && slices.Contains(k.latest.versions, v) {
		all = append(all, c.live(true)...)
	}
	return all
}

// live are its live entries, or only the newest record's.
func (c *claim) live(newest bool) []*keptEntry {
	var all []*keptEntry
	for i := range c.entries {
		e := &c.entries[i]
		if !live(e) || newest && e.RecordedAt != c.entries[0].RecordedAt {
			break
		}
		all = append(all, e)
	}
	return all
}

func (k *keyed) like(v *version, e *keptEntry) likeness {
	l := likeRow(v.row(), e)
	if l < etagDiffers {
		return l
	}
	if e.VersionID != "" && e.VersionID != inventory.NullVersion {
		return l
	}
	if k.unsettled(e) {
		return notYet
	}
	if e.VersionID == "" && len(k.latest.versions) > 1 {
		return k.likeOneOfMany(e)
	}
	return l
}

// likeOneOfMany: which version is current is open, so an entry that means it is
// content with any.
func (k *keyed) likeOneOfMany(e *keptEntry) likeness {
	if slices.ContainsFunc(k.latest.versions, func(v *version) bool { return likeRow(v.row(), e) == same }) {
		return same
	}
	return whichDiffers
}

func likeRow(row *keptRow, e *keptEntry) likeness {
	switch {
	case row.Size != inventory.NoSize && e.Size != manifest.NoSize && row.Size != e.Size:
		return sizeDiffers
	case row.ETag != "" && e.ETag != "" && row.ETag != e.ETag:
		return etagDiffers
	case row.Size == inventory.NoSize && e.Size != manifest.NoSize:
		return noSize
	}
	return same
}

// judgeAbsent says what a claim is that shares no version's line.
func (k *keyed) judgeAbsent(c *claim) {
	e := &c.entries[0]
	switch {
	case k.rules.CurrentOnly && c.namesVersion():
		k.sayAbsent(NotCheckable, e, noteNoVersions)
	case k.unsettled(e):
		k.sayAbsent(Unsettled, e, "")
	case !live(e):
		k.sayAbsent(Gone, e, "")
	case c.id != "" && k.stands():
		k.sayAbsent(Changed, e, unrecorded(e))
	default:
		k.sayAbsent(Missing, e, k.whyMissing(e))
	}
}

// stands reports whether any version of the key does: noncurrent ones, and what
// may be a marker, are versions too.
func (k *keyed) stands() bool {
	return slices.ContainsFunc(k.versions, func(v *version) bool { return !v.marker() })
}
