package installation_test

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races with answers that do not come, or come late.
var racesOfAnswers = []race{
	{
		// What is not known is noted, looked at, and only then decided (Unclear,
		// then the listing). Without it the delete is repeated blindly, or the
		// record says "gone" of what stands.
		name: "a delete was done and its answer is lost: listed, not repeated, and noted on the record",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 3)
			w.script.delete = loseOnce(true)
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "delete 3", "unclear", "list", "finish")
			if r := w.wantState(t, s, upload.StateDeleted); r.UncertainAt.IsZero() || r.Attempts != 0 {
				t.Errorf("uncertain at %v, %d attempts", r.UncertainAt, r.Attempts)
			}
			w.wantStanding(t, s, 0)
		},
	},
	{
		// The same guard, the other way round: what was not done is seen to stand.
		name: "a delete was not done and its answer is lost: listed, and done then",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 3)
			w.script.delete = loseOnce(false)
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "unclear", "list", "delete 3", "finish")
			w.wantStanding(t, s, 0)
		},
	},
	{
		// A superseded object's delete is looked at like any other, although the
		// record is not the worker's.
		name: "a trim's delete was done and its answer is lost: listed, not repeated, and noted",
		run: func(t *testing.T, w *world) {
			first := w.reserve(t, chunks(2))
			w.put(t, first, 1, 2)
			must(t, first.Complete(t.Context(), []upload.Key{first.Key(1)}, w.Clock.Now().Add(60*day)))
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.script.delete = loseOnce(true)
			w.drain(t)
			w.wantOutcomes(t, "trimmed: superseded")
			w.wantTrail(t, first, "complete", "delete 1", "unclear", "list", "trim")
			w.wantStanding(t, first, 1)
		},
	},
	{
		// A worker knows its own claim by the token. Without it the claim's lease
		// has to run out before anything is deleted.
		name: "a claim was written and its answer is lost: the worker knows it as its own",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			w.script.afterWrite = on(upload.KindClaim, func() error { return upload.ErrUnclear })
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "delete 2", "finish")
		},
	},
	{
		// The same for the last write: a finish is known by its fence.
		name: "a finish was written and its answer is lost: the worker knows it as its own",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			w.script.afterWrite = on(upload.KindFinish, func() error { return upload.ErrUnclear })
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "delete 2", "finish")
			w.wantEmptyQueue(t)
		},
	},
	{
		// What cannot be read is kept (invariant 10). Taken for absent, the
		// message would be dead-lettered; taken as it was, purged.
		name: "the worker's look-up fails: nothing is done, the message comes back",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			batch := w.take(t, 1)
			w.script.look = func(func() ([]upload.Record, error)) ([]upload.Record, error) { return nil, upload.ErrThrottled }
			if left := w.work(t, w.Installation, batch); left != 1 {
				t.Error("the message was acknowledged")
			}
			w.script.clear()
			if l := w.log.take()[0]; l.outcome != "throttled" || l.hide == 0 {
				t.Errorf("the worker says %s, hidden for %v", l, l.hide)
			}
			w.wantState(t, s, upload.StateCancelled)
			w.wantStanding(t, s, 2)
		},
	},
	{
		// Attempts are counted on the record, and the last one parks. Without
		// that a delete that never works is tried for ever, and nobody is told.
		name:   "deletes of one upload are denied again and again: it is parked, the others of its batch go",
		policy: func(p *policy.Policy) { p.MaxAttempts = 3 },
		run: func(t *testing.T, w *world) {
			poison := w.cancelled(t, 2)
			other := w.cancelled(t, 2)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 2")
			w.script.delete = deny(poison.ID())
			batch := w.take(t, 2)
			w.work(t, w.Installation, batch)
			w.wantOutcomes(t, "retrying: delete: access denied (AccessDenied)", "deleted: cancelled")
			w.wantState(t, other, upload.StateDeleted)
			for _, outcome := range []string{
				"retrying: delete: access denied (AccessDenied)",
				"parked: attempts used up: delete: access denied (AccessDenied)",
			} {
				batch = w.again(t, about(batch, poison), 2*time.Hour)
				w.work(t, w.Installation, batch)
				w.wantOutcomes(t, outcome)
			}
			if r := w.wantState(t, poison, upload.StateDeleting); r.ParkedAt.IsZero() || r.Attempts != 3 || r.LastError == "" {
				t.Errorf("parked at %v after %d attempts: %q", r.ParkedAt, r.Attempts, r.LastError)
			}
			wantSame(t, "dead letters", w.hands.letters(t), []string{"attempts used up: delete: access denied (AccessDenied)"})
			w.wantStanding(t, poison, 2)
		},
	},
}

// loseOnce loses the answer of the first delete, which is done or is not.
func loseOnce(done bool) func(store, []upload.Condemned) []objects.Result {
	lost := false
	return func(do store, versions []upload.Condemned) []objects.Result {
		if lost {
			return do(versions)
		}
		if lost = true; done {
			do(versions)
		}
		return nil
	}
}

// deny denies the deletes of one upload, and does the others.
func deny(id upload.ID) func(store, []upload.Condemned) []objects.Result {
	return func(do store, versions []upload.Condemned) []objects.Result {
		var results []objects.Result
		for _, v := range versions {
			if v.Upload() == id {
				results = append(results, objects.Result{Condemned: v, Outcome: objects.Denied, Code: "AccessDenied"})
				continue
			}
			results = append(results, do([]upload.Condemned{v})...)
		}
		return results
	}
}
