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

// truthOfKey: the application knows the key and no version.
func (k *versionsOfKey) truthOfKey(latest *thing, conflicts map[string]bool) {
	at, state := k.deleted, manifest.Deleted
	if k.last != nil && k.deleted == never {
		at, state = k.last.put, manifest.Live
	}
	if k.last != nil {
		k.record("", k.last.stated(), state, at)
	}
	met := false
	for _, o := range k.all {
		switch {
		case !o.listed:
			continue
		case o.marker:
			k.say(Marker, o.id)
			continue
		case conflicts[o.id]:
			k.say(Conflict, o.id)
			met = true
			continue
		case k.last == nil:
			k.say(k.unowned(o.put), o.id)
			continue
		}
		v := k.ofDeletedKey(o, at)
		if state == manifest.Live {
			v = k.ofLiveKey(o, latest, at)
		}
		met = met || v != TooFresh
		k.say(v, o.id)
	}
	switch {
	case k.last == nil || met:
	case recent(at):
		k.say(Unsettled, "")
	case state == manifest.Live:
		k.say(Missing, "")
	default:
		k.say(Gone, "")
	}
}

func (k *versionsOfKey) ofLiveKey(o, latest *thing, at time.Duration) Verdict {
	switch {
	case latest.marker:
		return Hidden
	case o != latest:
		return OK
	case (o != k.last || o.damaged) && (k.sizes || k.etags):
		if recent(at) {
			return Unsettled
		}
		return Corrupt
	case !k.sizes:
		return NotCheckable
	}
	return OK
}

func (k *versionsOfKey) ofDeletedKey(o *thing, at time.Duration) Verdict {
	switch {
	case recent(at):
		return Unsettled
	case o.put <= at, o.put < -grace && k.manifestAt > 0:
		return Undead
	}
	return TooFresh
}

// slot is a key of a bucket without versions: the null version, and nothing of
// what it was before.
func (h *history) slot() {
	listing := never
	if h.chance(25) {
		listing = -settle // the list was unaware of the last two days
	}
	var stands, listed, last *thing
	deleted := never
	for _, at := range h.times() {
		switch dice := h.rng.IntN(100); {
		case dice < 60:
			stands = &thing{content: h.newContent(), put: at}
			if at <= h.manifestAt {
				last, deleted = stands, never
			}
		case dice < 75:
			stands = &thing{content: h.newContent(), put: at}
		case dice < 85:
			stands = nil
		case last != nil:
			if h.chance(60) {
				stands = nil
			}
			if at <= h.manifestAt {
				deleted = at
			}
		}
		if at <= 0 && at < listing {
			listed = stands
		}
	}
	h.truthOfSlot(listed, last, deleted)
}

func (h *history) truthOfSlot(listed, last *thing, deleted time.Duration) {
	id := ""
	if h.ids {
		id = inventory.NullVersion
	}
	conflict := false
	if listed != nil {
		listed.id = inventory.NullVersion
		conflict = h.list(*listed, true)
	}
	at, state := deleted, manifest.Deleted
	if last != nil && deleted == never {
		at, state = last.put, manifest.Live
	}
	if last != nil {
		h.record(id, last.content, state, at)
	}
	switch {
	case conflict:
		h.say(Conflict, inventory.NullVersion)
	case last == nil && listed != nil:
		h.say(h.unowned(listed.put), inventory.NullVersion)
	case last == nil:
	case listed == nil && recent(at):
		h.say(Unsettled, id)
	case listed == nil && state == manifest.Live:
		h.say(Missing, id)
	case listed == nil:
		h.say(Gone, id)
	case state == manifest.Live:
		h.say(h.ofLiveSlot(listed, last), inventory.NullVersion)
	case recent(at):
		h.say(Unsettled, inventory.NullVersion)
	case listed == last && h.etags && h.sizes && h.modified:
		h.say(Undead, inventory.NullVersion)
	default:
		h.say(h.unowned(listed.put), inventory.NullVersion)
		h.say(Gone, id)
	}
}

func (h *history) ofLiveSlot(listed, last *thing) Verdict {
	switch {
	case listed != last && (h.sizes || h.etags):
		if recent(last.put) {
			return Unsettled
		}
		return Corrupt
	case !h.sizes:
		return NotCheckable
	}
	return OK
}
