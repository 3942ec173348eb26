package reconcile

import (
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

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
