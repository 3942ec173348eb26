package intake_test

import (
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

var post = upload.Reference{Source: "posts", Entity: "17", Generation: 1}

func TestAHoldOnAPermanentUploadIsRefused(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.complete(0)
		w.want(upload.ErrRefused, w.service().ExtendHold(w.ctx, s.ID(), w.now().Add(time.Hour)))
		if r := w.load(s.ID()); !r.HoldExpiresAt.IsZero() || !r.DueAt.IsZero() {
			t.Fatalf("the permanent upload has hold %v and due %v", r.HoldExpiresAt, r.DueAt)
		}
	})
}

func TestAHoldOnlyMovesLater(t *testing.T) {
	w := newWorld(t)
	s, service := w.complete(time.Hour), w.service()
	until := w.now().Add(2 * time.Hour)
	w.must(service.ExtendHold(w.ctx, s.ID(), until))
	w.must(service.ExtendHold(w.ctx, s.ID(), until))
	w.want(upload.ErrRefused, service.ExtendHold(w.ctx, s.ID(), until.Add(-time.Minute)))
	if r := w.load(s.ID()); !r.HoldExpiresAt.Equal(until) {
		t.Fatalf("the hold is %v, want %v", r.HoldExpiresAt, until)
	}
}

func TestAReferenceBetweenCancelAndClaimRevives(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s, service := w.complete(0), w.service()
		w.must(service.Release(w.ctx, s.ID(), owner, "row deleted"))
		w.wantQuota(0)
		cancelled := w.load(s.ID())
		w.pass(7 * time.Hour) // due, and a command is on its way
		w.must(service.AddReference(w.ctx, s.ID(), post, 5))
		w.wantQuota(1)
		command := upload.Command{ID: s.ID(), Version: cancelled.Version, Cutoff: w.cutoff(), Operation: upload.OpClaim}
		w.pass(w.policy.SafetyMargin)
		if check := upload.Check(w.policy, w.load(s.ID()), command, w.now()); check.Verdict != upload.Drop {
			t.Fatalf("the command is still good: %s", check.Reason)
		}
		w.live(48*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateComplete)

		// The last drop releases it, and then it goes.
		w.must(service.DropReference(w.ctx, s.ID(), post))
		w.wantQuota(0)
		w.live(48*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateDeleted)
		next := post
		next.Generation++
		w.want(upload.ErrRefused, service.AddReference(w.ctx, s.ID(), next, 5))
	})
}

func TestAReferenceIsUsedOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s, service := w.complete(0), w.service()
		other := upload.Reference{Source: "posts", Entity: "18", Generation: 1}
		w.want(upload.ErrRefused, service.DropReference(w.ctx, s.ID(), post)) // none is live
		w.must(service.AddReference(w.ctx, s.ID(), post, 5))
		w.must(service.AddReference(w.ctx, s.ID(), post, 5)) // the same once more
		w.want(upload.ErrReferenceUsed, service.DropReference(w.ctx, s.ID(), other))
		w.must(service.AddReference(w.ctx, s.ID(), other, 5))
		w.want(upload.ErrRefused, service.Release(w.ctx, s.ID(), owner, "in use"))
		if refs := w.load(s.ID()).Refs; refs != 2 {
			t.Fatalf("%d references are counted, want 2", refs)
		}
		w.must(service.DropReference(w.ctx, s.ID(), post))
		w.must(service.DropReference(w.ctx, s.ID(), post))
		w.wantState(s.ID(), upload.StateComplete)
		w.want(upload.ErrReferenceUsed, service.AddReference(w.ctx, s.ID(), post, 5))
		w.must(service.DropReference(w.ctx, s.ID(), other))
		w.wantState(s.ID(), upload.StateCancelled)
		// Asked again, whatever has become of the upload.
		w.must(service.DropReference(w.ctx, s.ID(), other))
		w.live(24*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateDeleted)
		w.must(service.DropReference(w.ctx, s.ID(), post))
	})
}

func TestARevivalTakesQuotaAndContentAgain(t *testing.T) {
	everywhere(t, func(_ *testing.T, w *world) {
		service, r := w.service(), w.request()
		r.ContentHash, r.QuotaLimit = strings.Repeat("cd", 32), 2
		s, err := service.Reserve(w.ctx, r)
		w.must(err)
		w.must(s.Complete(w.ctx, w.put(s, 1), time.Time{}))
		w.must(service.Release(w.ctx, s.ID(), owner, ""))

		second, err := service.Reserve(w.ctx, r)
		w.must(err)
		w.want(upload.ErrDuplicate, service.AddReference(w.ctx, s.ID(), post, 2))
		w.want(upload.ErrQuota, service.AddReference(w.ctx, s.ID(), post, 1))
		w.wantState(s.ID(), upload.StateCancelled)
		w.must(second.Cancel(w.ctx, ""))
		w.must(service.AddReference(w.ctx, s.ID(), post, 1))
		w.wantQuota(1)
	})
}

func TestOnlyItsOwnerReleases(t *testing.T) {
	w := newWorld(t)
	s, service := w.reserve(), w.service()
	w.want(upload.ErrRefused, service.Release(w.ctx, s.ID(), "bob", ""))
	w.wantState(s.ID(), upload.StateReceiving)
	w.must(service.Release(w.ctx, s.ID(), owner, ""))
	w.want(upload.ErrRefused, service.Release(w.ctx, s.ID(), "bob", ""))
	w.want(upload.ErrRefused, s.Heartbeat(w.ctx))
	w.must(s.Cancel(w.ctx, "me too"))
}
