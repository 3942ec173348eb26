package sim

import (
	"strings"

	"github.com/strandline-dev/strandline/shared/upload"
)

// recorded judges what is known of objects: a key's first version wins, what is
// recorded stands, and events complete an upload only when everything that was
// declared has come.
func (w *witness) recorded(p *process, c upload.Change) {
	b, a := c.Before, c.After
	for _, o := range b.Manifest.Objects {
		if now := a.Manifest.Object(o.Key).VersionID; o.VersionID != "" && now != o.VersionID {
			w.breaks("7", "%s of %s: its key %d/%d had version %s and has %s", c.Event, a.Upload, o.Attempt, o.Seq, o.VersionID, now)
		}
	}
	if c.Event == upload.KindComplete && strings.Contains(p.host.name, "recorder") {
		w.wholly(b, a)
	}
}

// wholly: whatever sequence any attempt has declared is listed.
func (w *witness) wholly(b, a upload.Record) {
	listed, declared := map[int]bool{}, 0
	for _, attempt := range a.Manifest.Attempts {
		declared = max(declared, attempt.Declared)
		for seq := 1; seq <= attempt.Declared; seq++ {
			listed[seq] = listed[seq] || attempt.Listed.Has(seq)
		}
	}
	if !b.ByEvents {
		w.breaks("events", "%s was completed by events, and nobody had said that it may be", a.Upload)
	}
	for seq := 1; seq <= declared; seq++ {
		if !listed[seq] {
			w.breaks("events", "%s was completed by events without its object %d", a.Upload, seq)
			return
		}
	}
}
