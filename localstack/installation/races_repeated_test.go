package installation_test

import (
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races of requests that come again, and of a store that is down.
var racesOfRepeatedUploads = []race{
	{
		// The key is written in the reservation's transaction. Without it a client
		// that never read its answer uploads again, or is told that it has.
		name: "the first answer was lost: the same key returns it, and a key of another request is refused",
		run: func(t *testing.T, w *world) {
			first, err := w.uploader(t).Upload(t.Context(), ann(1), paper("secret"), named("secret.pdf", "order-17"))
			must(t, err)
			u := w.uploader(t) // another process
			again, err := u.Upload(t.Context(), ann(1), paper("secret"), named("secret.pdf", "order-17"))
			must(t, err)
			if first.Repeated = true; again != first {
				t.Errorf("answered %+v, and again %+v", first, again)
			}
			_, err = u.Upload(t.Context(), ann(1), paper("another"), named("secret.pdf", "order-17"))
			wantPlain(t, upload.ErrKeyReused, err)
			w.wantOnly(t, upload.StateComplete, "", 1)
			w.Clock.Advance(25 * time.Hour) // the key is over, and the owner's one place taken
			_, err = u.Upload(t.Context(), ann(1), paper("another"), named("secret.pdf", "order-17"))
			wantPlain(t, upload.ErrQuota, err)
		},
	},
	{
		// Each call is a holder of its own, and its lease is a wall before the next.
		// Without that, a repetition takes the fence from the call that is at work.
		name: "the same request comes while the first is at work: in progress, and the first completes",
		run: func(t *testing.T, w *world) {
			u := w.uploader(t)
			u.put = func(do func() (objects.Stored, error)) (objects.Stored, error) {
				_, err := w.uploader(t).Upload(t.Context(), ann(quota), paper("secret"), named("secret.pdf", "order-17"))
				wantPlain(t, intake.ErrInProgress, err)
				var busy *intake.Busy
				if !errors.As(err, &busy) || !busy.Until.After(w.Clock.Now()) || busy.ID != w.only(t).ID {
					t.Errorf("told of %+v", busy)
				}
				return do()
			}
			_, err := u.Upload(t.Context(), ann(quota), paper("secret"), named("secret.pdf", "order-17"))
			must(t, err)
			w.wantOnly(t, upload.StateComplete, "", 1)
		},
	},
	{
		// What was put and not recorded lies under the first attempt's key, which
		// nobody reads, and is superseded.
		name: "a process dies after its put and its request comes again: a new attempt completes, the first one's object goes",
		run: func(t *testing.T, w *world) {
			u := w.uploader(t)
			u.put = func(do func() (objects.Stored, error)) (objects.Stored, error) {
				_, _ = do()
				return objects.Stored{}, u.script.die()
			}
			if _, err := u.Upload(t.Context(), ann(1), paper("secret"), named("secret.pdf", "order-17")); err == nil {
				t.Fatal("a dead process was answered")
			}
			again := w.uploader(t)
			_, err := again.Upload(t.Context(), ann(1), paper("secret"), named("secret.pdf", "order-17"))
			wantPlain(t, intake.ErrInProgress, err)
			w.Clock.Advance(16 * time.Minute)
			done, err := again.Upload(t.Context(), ann(1), paper("secret"), named("secret.pdf", "order-17"))
			must(t, err)
			if r := w.wantOnly(t, upload.StateComplete, "", 2); done.Repeated || r.Fence != 3 {
				t.Errorf("told %+v, the fence is %d", done, r.Fence)
			}
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "trimmed: superseded")
			w.wantOnly(t, upload.StateComplete, "", 1)
		},
	},
	{
		// Complete is for good unless somebody says until when. An application that
		// dies before its row is written would leave an object that no row names.
		name: "an application dies after its upload and before its row: what nobody referred to goes when its hold is over",
		run: func(t *testing.T, w *world) {
			u := w.uploader(t)
			m := named("secret.pdf", "")
			m.Hold = day
			kept, err := u.Upload(t.Context(), ann(quota), paper("with a row"), m)
			must(t, err)
			must(t, u.AddReference(t.Context(), kept.ID, upload.Reference{Source: "rows", Entity: "r-1"}, 0))
			left, err := u.Upload(t.Context(), ann(quota), paper("without"), m)
			must(t, err)
			w.Clock.Advance(50 * time.Hour)
			w.wantPass(t, "marked 1", "kept 1")
			w.Clock.Advance(25 * time.Hour)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: expired")
			if w.load(t, kept.ID).State != upload.StateComplete || w.load(t, left.ID).State != upload.StateDeleted {
				t.Errorf("%s and %s", w.load(t, kept.ID).State, w.load(t, left.ID).State)
			}
		},
	},
	{
		// What is not known is not gone: noted, and tried again, each time later.
		name: "the store is down during the purge: noted, tried again with a growing wait, and gone when it is back",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			w.script.delete = func(_ store, versions []upload.Condemned) []objects.Result {
				return make([]objects.Result, len(versions)) // unclear, each
			}
			w.script.list = func() error { return upload.ErrUnclear }
			batch := w.take(t, 1)
			var waits []time.Duration
			for range 3 {
				w.work(t, w.Installation, batch)
				lines := w.log.take()
				waits = append(waits, lines[len(lines)-1].hide)
				batch = w.again(t, batch, 2*time.Hour)
			}
			if waits[0] <= 0 || waits[1] <= waits[0] || waits[2] <= waits[1] {
				t.Errorf("hidden for %v", waits)
			}
			if r := w.wantState(t, s, upload.StateDeleting); r.UncertainAt.IsZero() || r.Attempts != 3 {
				t.Errorf("uncertain at %v, %d attempts", r.UncertainAt, r.Attempts)
			}
			w.wantStanding(t, s, 2)
			w.script.delete, w.script.list = nil, nil
			w.work(t, w.Installation, batch)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantStanding(t, s, 0)
		},
	},
}
