package sim

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

const calmName = "calm"

// settle ends the storm and lets the installation go on by itself, with nothing
// in its way, until it is at rest.
func (w *world) settle(name string) {
	h := w.host(name, 0, false)
	p := h.boot()
	if !p.sleep(time.Duration(12+w.draw("storm", 60)) * time.Hour) {
		return
	}
	w.calm()
	w.outage = asked
	p.sleep(2 * time.Hour) // everybody ends what they are at
	ctx := context.Background()
	w.must(w.gate.Resume(ctx))
	w.must(w.open())
	w.witness.shut(false)
	w.queue.MoveAfter(usualBackstop)
	passes, workers, recorder := w.quietly("calm-scheduler"), w.quietly("calm-worker"), w.quietly("calm-recorder")
	apps := map[*process]*worker.App{}
	for range 60 {
		w.tellSome(recorder)
		if _, err := passes.trigger("census", w.now()); err != nil {
			w.must(err)
		}
		answer, err := passes.trigger("pass", w.now())
		w.must(err)
		w.approve(passes, answer.Pass)
		for range 4 {
			if batch := w.receive(p); len(batch) > 0 {
				w.acknowledge(p, workers.batch(batch, apps))
			}
			p.sleep(16 * time.Minute)
		}
		w.unpark(p)
		if w.atRest() {
			return
		}
		if !p.sleep(3 * time.Hour) {
			return
		}
	}
}

func (w *world) quietly(name string) *function { return w.function(name, 0, time.Hour) }

// atRest: nothing is left that passes or workers would still do.
func (w *world) atRest() bool {
	for _, r := range w.witness.all() {
		if !rests(r) {
			return false
		}
	}
	depth, err := w.queue.Depth(context.Background())
	w.must(err)
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.notices) == 0 && depth == 0
}

func rests(r upload.Record) bool {
	switch r.State {
	case upload.StateComplete, upload.StateDeleted:
		return r.DueAt.IsZero() || r.Retained.Count > 0 && strings.Contains(r.Retained.Reason, "legal hold")
	case upload.StateAssembling:
		return true
	}
	return false
}

// conclude judges the world when everything has come to rest.
func (w *world) conclude() {
	w.witness.dirty = true
	w.witness.look()
	w.witness.untold()
	owned := map[string]bool{} // key@version
	for _, r := range w.witness.all() {
		if !rests(r) {
			w.witness.breaks("14", "%s is %s at the end, due at %s, %s", r.Upload, r.State, r.DueAt.Format(time.RFC3339), r.LastError)
		}
		w.readable(r, owned)
	}
	stand := w.standing()
	for _, key := range slices.Sorted(maps.Keys(stand)) {
		for _, version := range stand[key] {
			if !owned[key+"@"+version] && w.strangers[key] != version {
				w.witness.breaks("14", "%s@%s stands at the end, and nobody lives who owns it", short(key), version)
			}
		}
	}
	w.partsLeft()
	w.explained()
}

// readable: what lives is there, byte for byte.
func (w *world) readable(r upload.Record, owned map[string]bool) {
	for _, a := range r.Manifest.Attempts {
		for seq := 1; seq <= a.Declared; seq++ {
			k := upload.Key{Attempt: a.Number, Seq: seq}
			key := r.ObjectKey(k)
			kept := r.Retained.Count > 0
			for _, version := range w.standing()[key] {
				if r.State == upload.StateAssembling || kept {
					owned[key+"@"+version] = true
				}
			}
			if r.State != upload.StateComplete || !r.Manifest.Listed(k) {
				continue
			}
			o := r.Manifest.Object(k)
			owned[key+"@"+o.VersionID] = true
			body, err := w.store.Read(bucketName, key, o.VersionID)
			if err != nil || int64(len(body)) != o.Size {
				w.witness.breaks("4", "%s is complete at the end, and its key %d/%d reads as %d bytes, %v", r.Upload, a.Number, seq, len(body), err)
			}
		}
	}
	for _, e := range r.Manifest.Explicit {
		if r.Retained.Count > 0 {
			owned[e.Key+"@"+e.VersionID] = true
		}
	}
}

// partsLeft: no part of what went is left. A multipart upload whose id was lost
// before anybody recorded it has none, and costs nothing (see
// intake.Session.BeginMultipart).
func (w *world) partsLeft() {
	ctx := context.Background()
	for m, err := range w.store.Multiparts(ctx, bucketName, "") {
		w.must(err)
		id, k, _ := upload.ParseObjectKey(m.Key)
		r := w.witness.records[id]
		if w.beginnings[m.UploadID] {
			continue
		}
		recorded := slices.Contains(r.Manifest.Object(k).Multiparts, m.UploadID)
		for _, err := range w.store.ListParts(ctx, bucketName, m.Key, m.UploadID) {
			w.must(err)
			recorded = true
		}
		if recorded && (r.State == upload.StateDeleted || r.State == upload.StateComplete && r.Trimmed && !r.Manifest.Listed(k)) {
			w.witness.breaks("14", "parts of %s are left at the end, and %s is %s", short(m.Key), r.Upload, r.State)
		}
	}
}

// explained: whatever was given up has a reason that its run explains, and what
// had to be given up was.
func (w *world) explained() {
	given := map[string]int{}
	for _, l := range w.queue.DeadLetters() {
		w.count("dead letter")
		given[l.Body]++
		if l.Reason == "" {
			w.count("backstop")
			if l.Receives < w.backstop {
				w.witness.breaks("dead letters", "message %s was given up without a reason", l.MessageID)
			}
			continue
		}
		known := w.rubbish[l.Body] > 0 || forged(l.Body)
		for _, why := range []string{"attempts used up", "parked"} {
			known = known || strings.HasPrefix(l.Reason, why)
		}
		if !known {
			w.witness.breaks("dead letters", "message %s was given up: %s", l.MessageID, l.Reason)
		}
	}
	for _, body := range slices.Sorted(maps.Keys(w.rubbish)) {
		if given[body] < w.rubbish[body] {
			w.witness.breaks("dead letters", "%d messages say %.20q, and %d of them are among the dead letters", w.rubbish[body], body, given[body])
		}
	}
	depth, err := w.queue.Depth(context.Background())
	if w.must(err); depth > 0 {
		w.witness.breaks("14", "%d messages are left at the end", depth)
	}
}

func forged(body string) bool {
	c, err := command.Decode([]byte(body))
	return err == nil && c.Run == forgedRun
}
