package upload

import (
	"fmt"
	"math/bits"
	"time"
)

// broken is an invariant that fell: its number in the protocol's §3, or "§8"
// for the zero policy, which must delete nothing.
type broken struct {
	number string
	says   string
}

func (b *broken) String() string { return fmt.Sprintf("%s: %s", b.number, b.says) }

// taken is one accepted event as it was written.
type taken struct {
	Event         Kind
	Before, After *Record
}

func (m *model) breaks(number, format string, args ...any) {
	if m.bad == nil {
		m.bad = &broken{number, fmt.Sprintf(format, args...)}
	}
}

// observe judges one accepted change, and remembers what it promised.
func (m *model) observe(w *world, u int, c taken, e Event) {
	b, a, o := c.Before, c.After, &w.owed[u]
	if a.Version != b.Version+1 || a.Fence < b.Fence {
		m.breaks("3", "version %d → %d, fence %d → %d", b.Version, a.Version, b.Fence, a.Fence)
	}
	if shown, ok := fenceOf(e); ok && shown <= int64(o.ended) {
		m.breaks("3", "%s with fence %d, whose generation is over, changed the record", c.Event, shown)
	}
	m.observeState(w, c, e)
	if named, _ := versionOf(e); named != 0 && named != b.Version {
		m.breaks("8", "%s for version %d changed version %d", c.Event, named, b.Version)
	}
	if !a.DueAt.Equal(b.DueAt) && !a.DueAt.IsZero() && a.DueAt.Before(w.now().instant()) {
		m.breaks("6", "%s wrote a due in the past", c.Event)
	}
	m.promised(w, u, c, e)
	if e, ok := e.(Complete); ok {
		m.published(o, c, e)
	}
	o.remember(w, c, e)
}

func (m *model) observeState(w *world, c taken, e Event) {
	b, a := c.Before, c.After
	over := b.State == StateDeleting || b.State == StateDeleted
	if over && a.State != StateDeleting && a.State != StateDeleted {
		m.breaks("5", "%s brought it back from %s to %s", c.Event, b.State, a.State)
	}
	switch e := e.(type) {
	case Reserve, Acquire, Renew, Heartbeat, Declare, RecordObject, BeginAssembly, Complete, AddReference, ExtendHold:
		if over {
			m.breaks("5", "%s was accepted while %s", c.Event, b.State)
		}
	case Reopen:
		kept := b.Retained.Count > 0 && !b.Retained.Until.IsZero() && !b.Retained.Until.After(w.now().instant())
		if seen := e.Undead && w.anyStands(*b); !kept && !seen {
			m.breaks("7", "a command that came again opened what was deleted")
		}
	case Continue:
		if a.PurgedThrough <= b.PurgedThrough {
			m.breaks("14", "a purge went on without progress and without counting an attempt")
		}
	}
	if a.State == StateDeleting && a.Holder != "" && !a.ParkedAt.IsZero() {
		m.breaks("6", "%s took up a parked purge: nobody would come after it", c.Event)
	}
}

// deferred judges a Defer: it must bring the pass to rest, and never put off
// what is eligible, for which the unmutated table is asked.
func (m *model) deferred(b, a Record, e Event, now time.Time) *broken {
	d, ok := e.(Defer)
	if !ok {
		return nil
	}
	if b.DueAt.IsZero() || !a.DueAt.IsZero() && !a.DueAt.After(b.DueAt) {
		return &broken{"14", "defer moved the due nowhere: a pass that never comes to rest"}
	}
	for _, x := range condemning(b, b.Version, d.Cutoff) {
		if _, err := protocol.step(m.policy, b, x, now); err == nil {
			return &broken{"14", fmt.Sprintf("defer put off what was ripe for %s", x.Kind())}
		}
	}
	return nil
}

func (w *world) anyStands(r Record) bool {
	for k := range keys {
		if w.stands[k] != 0 && r.Manifest.declares(keys[k]) {
			return true
		}
	}
	return false
}

func versionNumber(r Record, k Key) int8 {
	id := r.Manifest.Object(k).VersionID
	if id == "" {
		return 0
	}
	return int8(id[1] - '0')
}

// standing judges the world as it is after a step.
func (m *model) standing(w *world) {
	for u, at := range w.up {
		if at != 0 {
			r := m.rec(at)
			m.readable(w, u, r)
			m.intent(r)
			m.settledBooks(w, u, r)
			if u == 0 {
				m.nothingLeft(w, r)
			}
		}
	}
	m.quotas(w)
}

// readable is invariant 4. What was complete stays so until the claim, since a
// reference may revive it until then.
func (m *model) readable(w *world, u int, r *Record) {
	o := &w.owed[u]
	if r.State != StateDeleting && r.State != StateDeleted {
		for k := range keys {
			if o.listed&(1<<k) != 0 && (o.version[k] == 0 || w.stands[k] != o.version[k]) {
				m.breaks("4", "listed object %d/%d is not readable while %s", keys[k].Attempt, keys[k].Seq, r.State)
			}
		}
	}
	if r.Refs > 0 && r.State != StateComplete {
		m.breaks("4", "a live reference to what is %s", r.State)
	}
	if r.State == StateComplete && o.completed == 0 {
		m.breaks("4", "complete, though nothing was ever published")
	}
	if r.State == StateComplete && (r.Holder != "" || !r.LeaseUntil.IsZero() || minutesOf(r.LastActivityAt) > o.completed) {
		m.breaks("14", "a writer keeps a complete upload beyond its hold")
	}
}

// intent is invariant 6.
func (m *model) intent(r *Record) {
	needs := true
	switch r.State {
	case StateComplete:
		left := r.Manifest.superseded() > 0 && !r.Trimmed
		needs = left || !r.HoldExpiresAt.IsZero() && r.Refs == 0
		if left && r.SupersededDueAt.IsZero() {
			m.breaks("6", "superseded objects are never due")
		}
	case StateDeleting:
		needs = r.ParkedAt.IsZero()
		if !needs && !r.DueAt.IsZero() {
			m.breaks("6", "parked and due")
		}
	case StateDeleted:
		needs = r.Retained.Count > 0 && !r.Retained.Until.IsZero()
	}
	if needs && r.DueAt.IsZero() {
		m.breaks("6", "%s without a due", r.State)
	}
}

// settledBooks is the part of invariant 9 that one record shows.
func (m *model) settledBooks(w *world, u int, r *Record) {
	live := r.State == StateReceiving || r.State == StateAssembling || r.State == StateExpired || r.State == StateComplete
	if r.QuotaHeld && !live || w.owed[u].quota && live && !r.QuotaHeld {
		m.breaks("9", "quota held %v while %s", r.QuotaHeld, r.State)
	}
	if u == 0 && int(r.Refs) != bits.OnesCount8(w.books.refLive) {
		m.breaks("9", "%d references in the record, %d live", r.Refs, bits.OnesCount8(w.books.refLive))
	}
}

func (m *model) quotas(w *world) {
	held, content := int8(0), int8(0)
	for u, at := range w.up {
		if at == 0 {
			continue
		}
		if m.rec(at).QuotaHeld {
			held++
		}
		if m.rec(at).HashHeld {
			if content != 0 {
				m.breaks("9", "two live uploads of one content")
			}
			content = int8(u + 1)
		}
	}
	if held != w.books.quota || content != w.books.hash {
		m.breaks("9", "quota used %d, held by %d uploads; content live for %d, held by %d", w.books.quota, held, w.books.hash, content)
	}
	if w.books.quota > quotaLimit {
		m.breaks("9", "%d of %d places used", w.books.quota, quotaLimit)
	}
}

// nothingLeft is invariant 13. A writer that breaks its own promise may put
// something there afterwards; until the reconciler has seen it, that stands.
func (m *model) nothingLeft(w *world, r *Record) {
	if w.books.rogueHit {
		return
	}
	for k := range keys {
		kept := m.sc.locked[k] != 0 && r.Retained.Count > 0
		if w.stands[k] == 0 || kept || !r.Manifest.declares(keys[k]) {
			continue
		}
		if r.State == StateDeleted {
			m.breaks("13", "%d/%d stands after finish", keys[k].Attempt, keys[k].Seq)
		}
		if r.State == StateComplete && r.Trimmed && !r.Manifest.Listed(keys[k]) {
			m.breaks("13", "%d/%d stands after trim", keys[k].Attempt, keys[k].Seq)
		}
	}
}

// erase deletes one version for the upload, as S3 does, and judges it.
func (m *model) erase(w *world, key, version string) {
	r := m.record(w, 0)
	k, known := r.parseKey(key)
	if !known {
		m.breaks("2", "an object outside the manifest was deleted")
		return
	}
	over := r.State == StateDeleting || r.State == StateDeleted
	superseded := w.owed[0].completed != 0 && w.owed[0].listed&(1<<keyIndex(k)) == 0
	if !over && !superseded {
		m.breaks("1", "%d/%d was deleted while %s", k.Attempt, k.Seq, r.State)
	}
	if !over && superseded {
		m.mayTrim(w, 0)
	}
	if i := keyIndex(k); versionName(w.stands[i]) == version {
		w.stands[i] = 0
	}
}

// again is invariant 7 for one event: delivered once more it changes nothing,
// or only the writer's activity.
func (m *model) again(after Record, e Event, now time.Time) *broken {
	twice, err := m.table.step(m.policy, after, e, now)
	if err != nil || twice.Nothing() {
		return nil
	}
	switch e.(type) {
	case Acquire, AddReference, DropReference:
		return nil // a new lease; refused by the reference's own row
	case Renew, Heartbeat, Declare, RecordObject, Unclear:
		if newEntry(twice.After).digest == newEntry(after).digest {
			return nil
		}
	}
	return &broken{"7", fmt.Sprintf("%s delivered twice changed the record twice", e.Kind())}
}
