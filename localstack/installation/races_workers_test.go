package installation_test

import (
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// past the queue's visibility timeout, and not past the claim's lease.
const redelivered = 13 * time.Minute

// Races between workers, and between a worker and its own past.
var racesBetweenWorkers = []race{
	{
		// A deleted record has nothing to give (Check). Without it the second
		// command claims, deletes and finishes once more.
		name: "a command comes twice, one after the other: the second is skipped",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 3)
			w.send(t, w.Command(w.load(t, s.ID())))
			batch := w.take(t, 2)
			w.work(t, w.Installation, batch[:1])
			w.work(t, w.Installation, batch[1:])
			w.wantOutcomes(t, "deleted: cancelled", "skipped: already deleted")
			w.wantTrail(t, s, "claim", "delete 3", "finish")
			w.wantEmptyQueue(t)
		},
	},
	{
		// The second message of a batch is looked up anew after the first. Looked
		// up beside it, both go for the claim, and one waits for nothing.
		name: "a command comes twice in one batch: the second is skipped",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 3)
			w.send(t, w.Command(w.load(t, s.ID())))
			if left := w.work(t, w.Installation, w.take(t, 2)); left != 0 {
				t.Errorf("%d messages are left", left)
			}
			w.wantOutcomes(t, "deleted: cancelled", "skipped: already deleted")
			w.wantTrail(t, s, "claim", "delete 3", "finish")
		},
	},
	{
		// The claim is one conditional write with a token. Without the condition
		// both workers delete, and the counts and fences lie.
		name: "two workers take one upload at once: one claims and deletes",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 5)
			w.send(t, w.Command(w.load(t, s.ID())))
			batch := w.take(t, 2)
			workers := []*installation.Installation{w.Installation, w.another(t)}
			var wg sync.WaitGroup
			for i, worker := range workers {
				wg.Go(func() { w.work(t, worker, batch[i:i+1]) })
			}
			wg.Wait()
			w.wantTrail(t, s, "claim", "delete 5", "finish")
			w.wantStanding(t, s, 0)
		},
	},
	{
		// The claim's own lease is due, and whoever comes after it takes over
		// what is written. Without the row Reclaim it stays deleting for ever.
		name: "a worker stops after the delete and before the record: another finishes",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			batch := w.take(t, 1)
			w.script.beforeWrite = on(upload.KindFinish, w.script.die)
			w.perish(t, batch)
			w.wantState(t, s, upload.StateDeleting)
			w.wantStanding(t, s, 0)
			w.log.take()
			if left := w.work(t, w.Installation, w.again(t, batch, redelivered+5*time.Minute)); left != 0 {
				t.Errorf("%d messages are left", left)
			}
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "delete 2", "reclaim", "delete 2", "finish")
			w.wantEmptyQueue(t)
		},
	},
	{
		// Acknowledging comes last. Acknowledged before the record, a worker's
		// death would lose the purge until it is published again.
		name: "a worker stops after the record and before the acknowledgement: the message is skipped",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			batch := w.take(t, 1)
			w.perish(t, batch) // it did all, and its answer was never heard
			before := w.wantState(t, s, upload.StateDeleted)
			w.wantOutcomes(t, "deleted: cancelled")
			w.work(t, w.Installation, w.again(t, batch, redelivered))
			w.wantOutcomes(t, "skipped: already deleted")
			if after := w.load(t, s.ID()); after.Version != before.Version {
				t.Errorf("version %d became %d", before.Version, after.Version)
			}
			w.wantEmptyQueue(t)
		},
	},
	{
		// Before each delete call the worker looks whether its claim is still
		// alive. Without that, two workers are at one upload, and what the first
		// deletes is not in the second's counts.
		name: "a worker sleeps past its claim: it deletes nothing, another does",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			batch := w.take(t, 1)
			other := w.another(t)
			w.script.afterWrite = on(upload.KindClaim, func() error {
				w.work(t, other, w.again(t, batch, 16*time.Minute))
				return nil
			})
			w.workUntil(t, w.Installation, batch, w.Clock.Now().Add(time.Hour)) // it was frozen, not timed out
			w.wantOutcomes(t, "deleted: cancelled", "waiting: claim over")
			w.wantTrail(t, s, "claim", "reclaim", "delete 2", "finish")
		},
	},
	{
		// Every write of a worker shows its fence. Without fenceEqual the worker
		// that comes back finishes what another is working on.
		name: "a worker sleeps past its claim while it deletes: it records nothing, another finishes",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			batch := w.take(t, 1)
			other := w.another(t)
			w.script.beforeWrite = on(upload.KindFinish, func() error {
				w.script.delete = throttled
				w.work(t, other, w.again(t, batch, 16*time.Minute)) // it has the claim, and waits
				w.script.delete = nil
				return nil
			})
			w.workUntil(t, w.Installation, batch, w.Clock.Now().Add(time.Hour))
			w.wantOutcomes(t, "throttled: delete: throttled", "waiting: held by another worker")
			w.wantTrail(t, s, "claim", "delete 2", "reclaim")
			w.work(t, other, w.again(t, batch, 20*time.Minute))
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "delete 2", "reclaim", "reclaim", "delete 2", "finish")
		},
	},
	{
		// A claim that is alive is waited for, and its message comes back when it
		// ends. Acknowledged, a worker's death would lose it; taken over, two
		// workers would be at one upload.
		name: "a message comes back while the claim is alive: hidden until the lease ends, then taken over",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			batch := w.take(t, 1)
			w.script.afterWrite = on(upload.KindClaim, w.script.die)
			w.perish(t, batch)
			w.log.take()
			batch = w.again(t, batch, redelivered)
			if left := w.work(t, w.Installation, batch); left != 1 {
				t.Error("the message was acknowledged")
			}
			waiting := w.wantOutcomes(t, "waiting: held by another worker")[0]
			if waiting.hide > 2*time.Minute || waiting.hide < time.Minute {
				t.Errorf("hidden for %v, the lease ends in two minutes", waiting.hide)
			}
			w.wantStanding(t, s, 2)
			w.work(t, w.Installation, w.again(t, batch, 3*time.Minute))
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "reclaim", "delete 2", "finish")
			w.wantEmptyQueue(t)
		},
	},
}

// throttled is a store that asks to slow down.
func throttled(_ store, versions []upload.Condemned) []objects.Result {
	results := make([]objects.Result, len(versions))
	for i, v := range versions {
		results[i] = objects.Result{Condemned: v, Outcome: objects.Throttled, Code: "SlowDown"}
	}
	return results
}
