package reconcile

import (
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// What may happen to one key of a bucket with versions.
type versionsOfKey struct {
	*history
	all []*thing
	// Without version ids the application has one record of the key.
	last    *thing // what it put last, before its record was made
	deleted time.Duration
}

func (h *history) versions() {
	k := &versionsOfKey{history: h, deleted: never}
	for _, at := range h.times() {
		k.happen(at)
	}
	latest := k.whatIsListed()
	conflicts := map[string]bool{}
	for _, o := range k.all {
		if o.listed && (!h.currentOnly || o == latest && !o.marker) {
			conflicts[o.id] = h.list(*o, o == latest)
		}
	}
	switch {
	case h.currentOnly:
		k.truthOfCurrent(latest, conflicts)
	case h.ids:
		k.truthOfVersions(latest != nil && latest.marker, conflicts)
	default:
		k.truthOfKey(latest, conflicts)
	}
}

// happen is one event.
func (k *versionsOfKey) happen(at time.Duration) {
	o := &thing{id: fmt.Sprintf("v%d", len(k.all)), put: at, gone: never, removed: never, content: k.newContent()}
	switch dice := k.rng.IntN(100); {
	case dice < 45 || len(k.all) == 0 && dice < 80: // the application puts
		o.owned = true
		o.damaged = k.chance(12)
		k.all = append(k.all, o)
		if at <= k.manifestAt {
			k.last, k.deleted = o, never
		}
	case dice < 65: // a stranger puts
		k.all = append(k.all, o)
	case dice < 75: // somebody deletes without a version
		o.marker = true
		k.all = append(k.all, o)
	case dice < 80: // and takes it back
		k.remove(at, func(o *thing) bool { return o.marker })
	case dice < 90: // bytes are lost
		k.remove(at, func(o *thing) bool { return !o.marker })
	default: // the application deletes
		k.delete(at)
	}
}

func (k *versionsOfKey) remove(at time.Duration, is func(*thing) bool) {
	for _, o := range k.all {
		if is(o) && o.gone == never {
			o.gone = at
			return
		}
	}
}

// delete removes a version of the application's, or says that it did.
func (k *versionsOfKey) delete(at time.Duration) {
	if !k.ids && k.last != nil {
		k.all = append(k.all, &thing{id: fmt.Sprintf("v%d", len(k.all)), put: at, gone: never, marker: true})
		if at <= k.manifestAt {
			k.deleted = at
		}
		return
	}
	for _, o := range k.all {
		if o.owned && o.removed == never {
			o.removed = at
			if o.gone == never && k.chance(60) {
				o.gone = at
			}
			return
		}
	}
}

// whatIsListed: what stood when the inventory began; of what came or went in
// its last two days it may be unaware.
func (k *versionsOfKey) whatIsListed() (latest *thing) {
	for _, o := range k.all {
		o.listed = o.put <= 0 && o.gone > 0
		if o.put <= 0 && (o.gone <= 0 && recent(o.gone) || o.gone > 0 && recent(o.put)) && k.chance(20) {
			o.listed = !o.listed
		}
		if o.listed {
			latest = o
		}
	}
	return latest
}

// recorded is what the manifest says of a version: nothing, live or deleted.
func (k *versionsOfKey) recorded(o *thing) (known, deleted bool, at time.Duration) {
	switch {
	case !o.owned || o.put > k.manifestAt:
		return false, false, 0
	case o.removed <= k.manifestAt:
		return true, true, o.removed
	}
	return true, false, o.put
}

func (k *versionsOfKey) truthOfVersions(hidden bool, conflicts map[string]bool) {
	for _, o := range k.all {
		known, deleted, at := k.recorded(o)
		if known {
			state := manifest.Live
			if deleted {
				state = manifest.Deleted
			}
			k.record(o.id, o.stated(), state, at)
		}
		switch {
		case !o.listed && known:
			k.say(k.absent(deleted, at), o.id)
		case !o.listed:
		case o.marker:
			k.say(Marker, o.id)
		case conflicts[o.id]:
			k.say(Conflict, o.id)
		case !known:
			k.say(k.unowned(o.put), o.id)
		case deleted && recent(at):
			k.say(Unsettled, o.id)
		case deleted:
			k.say(Undead, o.id)
		default:
			k.say(k.standing(o, hidden), o.id)
		}
	}
}

// stated is the content that the application recorded.
func (o *thing) stated() int64 {
	if o.damaged {
		return o.content + 1_000_000
	}
	return o.content
}

func (k *versionsOfKey) standing(o *thing, hidden bool) Verdict {
	switch {
	case o.damaged && (k.sizes || k.etags):
		return Corrupt
	case hidden:
		return Hidden
	case !k.sizes:
		return NotCheckable
	}
	return OK
}

func (k *versionsOfKey) absent(deleted bool, at time.Duration) Verdict {
	switch {
	case recent(at):
		return Unsettled
	case deleted:
		return Gone
	}
	for _, o := range k.all {
		if o.listed && !o.marker {
			return Changed
		}
	}
	return Missing
}

// truthOfCurrent: of a version that is named a list of current ones says nothing.
func (k *versionsOfKey) truthOfCurrent(latest *thing, conflicts map[string]bool) {
	named := false
	for _, o := range k.all {
		if known, deleted, at := k.recorded(o); known {
			state := manifest.Live
			if deleted {
				state = manifest.Deleted
			}
			named = true
			k.record(o.id, o.stated(), state, at)
			k.say(NotCheckable, o.id)
		}
	}
	switch {
	case latest == nil || latest.marker:
	case conflicts[latest.id]:
		k.say(Conflict, inventory.NullVersion)
	case named:
		k.say(NotCheckable, inventory.NullVersion)
	default:
		k.say(k.unowned(latest.put), inventory.NullVersion)
	}
}
