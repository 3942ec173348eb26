package installation_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races in which the application that owns an upload changes its mind.
var racesWithOwners = []race{
	{
		// The claim comes after the wait, on the version that the command saw.
		// Claimed before it, the upload is deleted although its hold was paid for.
		name: "a hold is extended while the worker waits for a slot: it lives",
		run: func(t *testing.T, w *world) {
			s := w.condemned(t, 2)
			w.script.reserve = once(func() { must(t, w.app.ExtendHold(t.Context(), s.ID(), w.Clock.Now().Add(day))) })
			w.drain(t)
			w.wantOutcomes(t, "skipped: revived")
			w.wantTrail(t, s, "expire", "extend-hold")
			w.wantState(t, s, upload.StateReceiving)
			w.wantStanding(t, s, 2)
		},
	},
	{
		// The claim's write is conditional on the record that it was decided
		// from. Without the condition it overwrites the extension.
		name: "a hold is extended between the worker's last look and its claim: it lives",
		run: func(t *testing.T, w *world) {
			s := w.condemned(t, 2)
			w.script.beforeWrite = on(upload.KindClaim, func() error {
				return w.app.ExtendHold(t.Context(), s.ID(), w.Clock.Now().Add(day))
			})
			w.drain(t)
			w.wantOutcomes(t, "skipped: revived")
			w.wantStanding(t, s, 2)
		},
	},
	{
		// A permanent upload has no hold to move (hasHold). Without the guard an
		// extension would bring its end.
		name: "a hold is extended on a permanent upload: refused, and it is never due",
		run: func(t *testing.T, w *world) {
			s := w.completed(t, 2, 0)
			want(t, upload.ErrRefused, w.app.ExtendHold(t.Context(), s.ID(), w.Clock.Now().Add(day)))
			if r := w.wantState(t, s, upload.StateComplete); !r.DueAt.IsZero() || !r.HoldExpiresAt.IsZero() {
				t.Errorf("due at %v, hold until %v", r.DueAt, r.HoldExpiresAt)
			}
			w.Clock.Advance(30 * day)
			w.wantPass(t)
			w.wantStanding(t, s, 2)
		},
	},
	{
		// A reference revives what was complete before; the command is then of an
		// older version. Without versionEqual the worker purges what is referred to.
		name: "a reference is added between cancel and claim: it lives, with its quota",
		run: func(t *testing.T, w *world) {
			s := w.completed(t, 2, 0)
			must(t, w.app.Release(t.Context(), s.ID(), owner, "row deleted"))
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			ref := upload.Reference{Source: "pages", Entity: "p-7", Generation: 1}
			w.script.beforeWrite = on(upload.KindClaim, func() error {
				return w.app.AddReference(t.Context(), s.ID(), ref, quota)
			})
			w.drain(t)
			w.wantOutcomes(t, "skipped: newer version")
			if r := w.wantState(t, s, upload.StateComplete); r.Refs != 1 || !r.QuotaHeld {
				t.Errorf("%d references, quota held: %v", r.Refs, r.QuotaHeld)
			}
			w.wantStanding(t, s, 2)
		},
	},
	{
		// Quota is given back in the one transaction that clears QuotaHeld, and a
		// claim after a repair finds it cleared. Without the field it is given
		// back twice, and the owner has more than his limit.
		name: "an upload is repaired and then purged: its quota comes back once",
		run: func(t *testing.T, w *world) {
			only := func(r *intake.Request) { r.QuotaLimit = 1 }
			s := w.reserve(t, only, chunks(1))
			w.put(t, s, 1)
			w.Clock.Advance(32 * time.Hour)
			w.wantPass(t, "repaired 1")
			next := w.reserve(t, only, hold(10*time.Hour), func(r *intake.Request) { r.Holder = "writer-2" })
			w.Clock.Advance(time.Hour)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			_, err := w.app.Reserve(t.Context(), intake.Request{
				Tenant: tenant, Owner: owner, QuotaLimit: 1, Holder: "writer-3", Lease: lease, Bucket: w.Bucket, Prefix: "in",
			})
			want(t, upload.ErrQuota, err)
			w.wantState(t, next, upload.StateReceiving)
		},
	},
	{
		// The quota's count is a condition of the reservation's own transaction.
		// Read first and written after, both get the last place.
		name: "two reservations meet at the last place: one gets it",
		run: func(t *testing.T, w *world) {
			const rivals = 4
			var wg sync.WaitGroup
			failures := make([]error, rivals)
			for i := range failures {
				request := intake.Request{
					Tenant: tenant, Owner: owner, QuotaLimit: 1, Holder: string(rune('a' + i)), Lease: lease,
					Bucket: w.Bucket, Prefix: "in",
				}
				wg.Go(func() { _, failures[i] = w.app.Reserve(t.Context(), request) })
			}
			wg.Wait()
			got := 0
			for _, err := range failures {
				switch {
				case err == nil:
					got++
				case !errors.Is(err, upload.ErrQuota):
					t.Errorf("a reservation failed with %v", err)
				}
			}
			if got != 1 {
				t.Errorf("%d reservations got the last place", got)
			}
		},
	},
}
