package relay

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/release"
)

// noteEvery is how often one process writes what it has last seen of a source:
// the state is for people, and a busy table must not make it a hot item.
const noteEvery = time.Minute

// note keeps what was seen of each source. It is a hint: what cannot be written
// fails nothing.
func (a *App) note(ctx context.Context, results []result) {
	now := a.now()
	seen := map[string]release.State{}
	for _, r := range results {
		if r.source == "" || !r.done {
			continue
		}
		s := seen[r.source]
		if s.SeenAt = now; r.at.After(s.LastEvent) {
			s.LastEvent = r.at
		}
		if r.parked != "" {
			s.ParkedAt, s.ParkedWhy = now, r.parked
		}
		seen[r.source] = s
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if !a.dueToNote(name, seen[name]) {
			continue
		}
		if err := release.NoteState(ctx, a.documents, name, seen[name]); err != nil {
			a.log.WarnContext(ctx, "state not noted", "source", name, "error", err)
		}
	}
}

// dueToNote reports whether the state is to be written now: what was parked
// always is.
func (a *App) dueToNote(name string, s release.State) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.ParkedAt.IsZero() && s.SeenAt.Sub(a.noted[name]) < noteEvery {
		return false
	}
	a.noted[name] = s.SeenAt
	return true
}
