package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// witness sees everything that is really done, beneath all faults, and judges
// it by the protocol's invariants (docs/protocol.md, §3) and by its own memory
// of what was promised. It knows no more of the engines than that.
type witness struct {
	world *world
	owed  map[upload.ID]*owed
	// records is the last write of each upload, in the order of their beginning.
	records map[upload.ID]upload.Record
	begun   []upload.ID
	broken  []string
	dirty   bool // something was written since the last look

	// writes are those of functions, by words; a dead process need not have told.
	writes map[string]*write
	order  []string
	// published are the commands that the queue has been given, by words, and
	// referred the references that were ever added.
	published map[string]bool
	referred  map[upload.PutReference]bool
	// shutAt is since when the gate is closed; zero while it is open.
	shutAt time.Time
	passes passes
}

// write is one write of a function, and the audit lines about it.
type write struct {
	by            *process
	sure, unclear int
}

func newWitness(w *world) *witness {
	return &witness{
		world: w, owed: map[upload.ID]*owed{}, records: map[upload.ID]upload.Record{}, writes: map[string]*write{},
		published: map[string]bool{}, referred: map[upload.PutReference]bool{}, passes: newPasses(),
	}
}

// breaks notes that an invariant fell: its number in the protocol, and how.
func (w *witness) breaks(number, format string, args ...any) {
	w.broken = append(w.broken, number+": "+fmt.Sprintf(format, args...))
}

// ofFunctions are the events of which the functions owe an audit line: all that
// they write, but for what the recorder records.
var ofFunctions = []upload.Kind{
	upload.KindDefer, upload.KindRepair, upload.KindExpire, upload.KindClaim, upload.KindTrim, upload.KindResupersede,
	upload.KindReclaim, upload.KindContinue, upload.KindUnclear, upload.KindRetry, upload.KindFinish, upload.KindReopen,
}

func words(what, tenant, id string, version int64) string {
	return fmt.Sprintf("%s of %s/%s, version %d", what, tenant, id, version)
}

// wrote judges an accepted change that has just been stored, and was to be at
// asked: a write may take hours.
func (w *witness) wrote(p *process, c upload.Change, asked time.Time) {
	w.dirty = true
	b, a := c.Before, c.After
	w.world.count("event " + string(c.Event))
	if p.host.drift == wrongDrift {
		w.breaks("clock", "%s of %s by a function whose clock is an hour off", c.Event, a.Upload)
	}
	if _, known := w.records[a.ID]; !known {
		w.begun = append(w.begun, a.ID)
		w.owed[a.ID] = &owed{}
	}
	stored := w.records[a.ID]
	if b.Version != stored.Version {
		w.breaks("8", "%s of %s was decided from version %d and written onto %d", c.Event, a.Upload, b.Version, stored.Version)
	}
	if a.Version != b.Version+1 || a.Fence < b.Fence {
		w.breaks("3", "%s of %s: version %d → %d, fence %d → %d", c.Event, a.Upload, b.Version, a.Version, b.Fence, a.Fence)
	}
	w.transition(c, asked)
	w.fences(p, c)
	w.references(c)
	w.promised(c)
	w.recorded(p, c)
	w.owed[a.ID].remember(c, w.world.now())
	w.records[a.ID] = a
	w.weigh(a)
	switch c.Event {
	case upload.KindExpire, upload.KindRepair, upload.KindDefer:
		w.acts(p, string(c.Event))
	}
	if slices.Contains(ofFunctions, c.Event) {
		key := words(string(c.Event), a.Tenant, a.Upload, a.Version)
		w.writes[key] = &write{by: p}
		w.order = append(w.order, key)
	}
}

// fences is invariant 3: who shows a fence that is over changes nothing.
func (w *witness) fences(p *process, c upload.Change) {
	b, a := c.Before, c.After
	stale := func(shown int64) {
		w.breaks("3", "%s of %s by %s, whose fence %d is over: there is %d", c.Event, a.Upload, p.host.name, shown, b.Fence)
	}
	switch c.Event {
	case upload.KindClaim, upload.KindReclaim:
		p.claims[a.ID] = claim{a.Fence, a.LeaseUntil}
		if c.Event == upload.KindClaim && !w.published[words("claim", a.Tenant, a.Upload, b.Version)] {
			w.breaks("8", "%s was claimed in version %d, of which no pass has said anything", a.Upload, b.Version)
		}
	case upload.KindContinue, upload.KindRetry, upload.KindFinish:
		if p.claims[a.ID].fence != b.Fence {
			stale(p.claims[a.ID].fence)
		}
	case upload.KindRenew, upload.KindHeartbeat, upload.KindDeclare, upload.KindBeginAssembly, upload.KindCancel, upload.KindComplete:
		if p.writes != 0 && p.writes != b.Fence {
			stale(p.writes)
		}
	case upload.KindRecordObject:
		for _, o := range a.Manifest.Objects {
			if o.Attempt != b.Fence && b.Manifest.Object(o.Key).VersionID != o.VersionID {
				stale(o.Attempt)
			}
		}
	}
}

// references: an identity is used once.
func (w *witness) references(c upload.Change) {
	for _, e := range c.Effects {
		if put, ok := e.(upload.PutReference); ok {
			put.At = time.Time{}
			if w.referred[put] {
				w.breaks("7", "a reference of %s that was dropped is live again", c.After.Upload)
			}
			w.referred[put] = true
		}
	}
}

// transition is invariant 5, and what follows from it.
func (w *witness) transition(c upload.Change, asked time.Time) {
	b, a := c.Before, c.After
	over := b.State == upload.StateDeleting || b.State == upload.StateDeleted
	if over && a.State != upload.StateDeleting && a.State != upload.StateDeleted {
		w.breaks("5", "%s brought %s back from %s to %s", c.Event, a.Upload, b.State, a.State)
	}
	switch c.Event {
	case upload.KindReserve, upload.KindAcquire, upload.KindRenew, upload.KindHeartbeat, upload.KindDeclare, upload.KindRecordObject,
		upload.KindBeginAssembly, upload.KindComplete, upload.KindAddReference, upload.KindExtendHold:
		if over {
			w.breaks("5", "%s was accepted while %s was %s", c.Event, a.Upload, b.State)
		}
	case upload.KindContinue:
		if a.PurgedThrough <= b.PurgedThrough {
			w.breaks("14", "the purge of %s went on without progress and without counting an attempt", a.Upload)
		}
	}
	// An unpark makes it due as of when a person asked for it, however often it was
	// written until an answer came.
	atOnce := c.Event == upload.KindUnpark
	if !atOnce && !a.DueAt.Equal(b.DueAt) && !a.DueAt.IsZero() && a.DueAt.Before(asked.Add(-maxDrift)) {
		w.breaks("6", "%s of %s wrote a due in the past", c.Event, a.Upload)
	}
}

// deletes judges a version that is about to be deleted: invariants 1 and 2. Its
// call has its slots, and none of before a pause.
func (w *witness) deletes(p *process, v upload.Condemned) {
	w.dirty = true
	if p.slots--; p.slots < 0 {
		w.breaks("gate", "a version of %s was deleted without a slot", v.Upload().Upload)
	}
	if !w.shutAt.IsZero() && p.since.After(w.shutAt.Add(gate.SlotLife)) {
		w.breaks("gate", "a delete for %s began %v after the gate was closed", v.Upload().Upload, p.since.Sub(w.shutAt))
	}
	if !w.world.stands(v.Key(), v.VersionID()) {
		return // nothing is deleted
	}
	if stranger, known := w.world.strangers[v.Key()]; known && stranger == v.VersionID() {
		w.breaks("2", "a version that no upload owns was deleted for %s", v.Upload().Upload)
		return
	}
	r := w.records[v.Upload()]
	if r.State == upload.StateDeleting || r.State == upload.StateDeleted {
		if over := p.claims[r.ID].until; p.since.Add(p.host.drift).After(over) {
			w.breaks("claim", "a delete for %s began %v after its worker's claim was over", r.Upload, p.since.Add(p.host.drift).Sub(over))
		}
		if !names(r, v.Key(), v.VersionID()) {
			w.breaks("2", "%s@%s is not of the manifest of %s", short(v.Key()), v.VersionID(), r.Upload)
		}
		return
	}
	_, k, own := upload.ParseObjectKey(v.Key())
	superseded := own && r.Declares(v.Key(), k) && !r.CompletedAt.IsZero() && r.State == upload.StateComplete && !r.Manifest.Listed(k)
	if !superseded {
		w.breaks("1", "%s@%s was deleted while %s was %s", short(v.Key()), v.VersionID(), r.Upload, r.State)
		return
	}
	w.mayTrim(r)
}

// names reports whether the record declares the key, or names the very version.
func names(r upload.Record, key, version string) bool {
	if _, k, own := upload.ParseObjectKey(key); own && r.Declares(key, k) {
		return true
	}
	return slices.ContainsFunc(r.Manifest.Explicit, func(e upload.Explicit) bool { return e.Key == key && e.VersionID == version })
}

// aborts judges a multipart upload that is about to be aborted. It takes no
// slot, and begins under none of before a pause.
func (w *witness) aborts(p *process, key, uploadID string) {
	w.dirty = true
	if !w.shutAt.IsZero() && p.since.After(w.shutAt.Add(gate.SlotLife)) {
		w.breaks("gate", "an abort of %s began %v after the gate was closed", short(key), p.since.Sub(w.shutAt))
	}
	if w.world.beginnings[uploadID] {
		w.breaks("2", "parts that no upload owns were aborted, of %s", short(key))
	}
	id, k, _ := upload.ParseObjectKey(key)
	r := w.records[id]
	superseded := r.State == upload.StateComplete && !r.Manifest.Listed(k)
	if r.State != upload.StateDeleting && r.State != upload.StateDeleted && !superseded {
		w.breaks("1", "parts of %s were aborted while %s was %s", short(key), r.Upload, r.State)
	}
}

// Write takes a line of a function's audit trail.
func (t trailOf) Write(text []byte) (int, error) {
	var l audit.Line
	if err := json.Unmarshal(text, &l); err != nil {
		return 0, err
	}
	if !t.process.alive() {
		return len(text), nil // nobody reads what it says
	}
	t.witness.told(l)
	return len(text), nil
}

// trailOf is where one process writes its audit lines.
type trailOf struct {
	process *process
	witness *witness
}

func (w *witness) told(l audit.Line) {
	if w.world.broken == silent && l.What == string(upload.KindFinish) {
		return
	}
	if l.Upload == "" || !slices.Contains(ofFunctions, upload.Kind(l.What)) {
		return
	}
	w.world.mu.Lock()
	defer w.world.mu.Unlock()
	done, known := w.writes[words(l.What, l.Tenant, l.Upload, l.Version)]
	switch {
	case l.Outcome == audit.Unclear && known:
		done.unclear++
	case l.Outcome == audit.Unclear:
	case !known:
		w.breaks("trail", "the trail says %s, and it was not done", words(l.What, l.Tenant, l.Upload, l.Version))
	default:
		if done.sure++; done.sure > 1 {
			w.breaks("trail", "%s has %d lines in the trail", words(l.What, l.Tenant, l.Upload, l.Version), done.sure)
		}
	}
}

// untold is what was written and never told, by processes that lived.
func (w *witness) untold() {
	for _, key := range w.order {
		if d := w.writes[key]; d.sure+d.unclear == 0 && !d.by.dead {
			w.breaks("trail", "%s was done and has no line in the trail", key)
		}
	}
}

// shut notes whether the gate is closed.
func (w *witness) shut(closed bool) {
	if !closed {
		w.shutAt = time.Time{}
	} else if w.shutAt.IsZero() {
		w.shutAt = w.world.now()
	}
}

// uploads is every upload that was ever begun, in that order.
func (w *witness) uploads() []upload.ID { return slices.Clone(w.begun) }

// all is every upload's record as it was last written.
func (w *witness) all() []upload.Record {
	all := make([]upload.Record, len(w.begun))
	for i, id := range w.begun {
		all[i] = w.records[id]
	}
	return all
}
