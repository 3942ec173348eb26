package installation_test

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races with an upload that is larger than an invocation.
var racesOfSize = []race{
	{
		// Progress is written, and the next invocation goes on there (Continue,
		// PurgedThrough). Without it each begins anew, and the last never ends.
		name:   "an upload is larger than one invocation can delete: several do, each where the last one stopped",
		policy: func(p *policy.Policy) { p.Burst, p.MaxDeleteCount = 26, 1_000 }, // three quarters of it are a call
		run: func(t *testing.T, w *world) {
			const declared, recorded = 160, 60
			s := w.reserve(t, chunks(declared))
			w.put(t, s, upTo(recorded)...)
			for seq := recorded + 1; seq <= declared; seq++ {
				w.putUnrecorded(t, s, seq)
			}
			must(t, s.Cancel(t.Context(), "user left the page"))
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.script.delete = slow(w, 50*time.Second)
			batch := w.take(t, 1)
			for range 2 {
				w.work(t, w.Installation, batch)
				w.wantOutcomes(t, "continued: invocation ends")
				batch = w.again(t, batch, 10*time.Second)
			}
			w.work(t, w.Installation, batch)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "delete 20", "delete 20", "delete 20", "continue",
				"reclaim", "list", "delete 20", "delete 20", "delete 20", "continue",
				"reclaim", "list", "delete 20", "delete 20", "finish")
			if r := w.load(t, s.ID()); r.Attempts != 0 {
				t.Errorf("%d attempts were counted", r.Attempts)
			}
			w.wantStanding(t, s, 0)
		},
	},
}

// slow is a store that takes so long for every delete.
func slow(w *world, d time.Duration) func(store, []upload.Condemned) []objects.Result {
	return func(do store, versions []upload.Condemned) []objects.Result {
		w.Clock.Advance(d)
		return do(versions)
	}
}

// The same with as many objects as an upload may have, and the rate instead of
// a slow store: ten thousand at 25 a second are six minutes of a function
// that has two. On memory alone: over the wire it takes as long as it says.
func TestTenThousandObjectsTakeSeveralInvocations(t *testing.T) {
	p := usual()
	p.DeleteRate, p.Burst, p.MaxDeleteCount = 25, 1_000, 20_000
	w := inMemory(t, p)
	s := w.reserve(t, chunks(upload.MaxDeclared))
	w.put(t, s, upTo(10)...)
	for seq := 11; seq <= upload.MaxDeclared; seq++ {
		w.putUnrecorded(t, s, seq)
	}
	must(t, s.Cancel(t.Context(), "user left the page"))
	w.Clock.Advance(afterDeadline)
	w.wantPass(t, "published 1")
	began, invocations := w.Clock.Now(), 0
	for batch := w.take(t, 1); invocations < 10; {
		invocations++
		if w.work(t, w.Installation, batch) == 0 {
			break
		}
		batch = w.again(t, batch, w.wantOutcomes(t, "continued: gate is busy")[0].hide)
	}
	w.wantOutcomes(t, "deleted: cancelled")
	if took := w.Clock.Now().Sub(began); invocations < 3 || took < 5*time.Minute {
		t.Errorf("%d invocations in %v", invocations, took)
	}
	if got := w.Purged().Deleted.Objects; got != upload.MaxDeclared {
		t.Errorf("%d objects are said to be deleted", got)
	}
	w.wantStanding(t, s, 0)
	assertInvariants(t, w)
}
