package reconcile

import (
	"time"

	"github.com/strandline-dev/strandline/shared/manifest"
)

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
