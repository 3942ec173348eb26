package cleanup_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// saves has four batches of one object each, right after one another. Blocks
// grow while they are used up early: of 1, of 2, none, and of 4, of which three
// are left. It returns the gate, which counts.
func (w *purgeWorld) saves() *countedGate {
	w.t.Helper()
	w.must(w.gate.SetRate(w.t.Context(), 1000, 1000))
	names, due := []string{"u1", "u2", "u3", "u4"}, []upload.Record{}
	for _, name := range names {
		w.received(name, 1, 1)
	}
	for _, name := range names {
		due = append(due, w.apply(purgeID(name), upload.Cancel{Fence: 1, Reason: "test"}))
	}
	w.clock.to(due[3].DueAt.Add(w.policy.SafetyMargin))
	counted := &countedGate{Gate: w.gate}
	w.worker.Gate = counted
	for _, r := range due {
		w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	}
	if counted.reserved != 3 {
		w.t.Fatalf("four small batches reserved %d blocks, want 3", counted.reserved)
	}
	return counted
}

func TestABatchIsDoneWithWhatTheOneBeforeItLeft(t *testing.T) {
	w := newPurgeWorld(t)
	last := w.cancelled("last", 3, 3)
	counted := w.saves()
	w.wantOutcome(w.one(last), cleanup.KindDeleted, "")
	if counted.reserved != 3 {
		t.Errorf("%d blocks were reserved for the next batch: three slots were left", counted.reserved-3)
	}
}

// Without giving back, the slots of what turns out not to stand are lost to all.
func TestSlotsOfWhatDoesNotStandAreForTheNextBatch(t *testing.T) {
	w := newPurgeWorld(t)
	sparse, last := w.cancelled("sparse", 3, 1), w.cancelled("last", 2, 2)
	counted := w.saves()
	for _, key := range []upload.Key{{Attempt: 1, Seq: 2}, {Attempt: 1, Seq: 3}} {
		for _, v := range w.store.All(purgeBucket) {
			if v.Key == sparse.ObjectKey(key) {
				w.must(w.store.Remove(purgeBucket, v.Key, v.VersionID))
			}
		}
	}
	w.wantOutcome(w.one(sparse), cleanup.KindDeleted, "")
	w.wantOutcome(w.one(last), cleanup.KindDeleted, "")
	if counted.reserved != 3 {
		t.Errorf("%d blocks were reserved: of three slots that were left one was used", counted.reserved-3)
	}
}

// Without the look at what is void, what a worker has saved is deleted however
// long after a pause.
func TestWhatABatchLeavesIsVoidTenSecondsAfterItsReservation(t *testing.T) {
	w := newPurgeWorld(t)
	last := w.cancelled("last", 1, 1)
	counted := w.saves()
	reserved := counted.reserved
	w.records.loading = func([]upload.ID) error { // after the look at the gate
		w.records.loading = nil
		w.must(w.gate.Pause(t.Context()))
		w.clock.advance(gate.SlotLife + time.Second)
		return nil
	}
	w.wantOutcome(w.one(last), cleanup.KindClosed, "")
	w.wantState(last.ID, upload.StateCancelled)
	if counted.reserved != reserved+1 {
		t.Errorf("the gate was asked %d times after the pause, want once", counted.reserved-reserved)
	}
}

// lateGate answers when what was saved before is void.
type lateGate struct {
	cleanup.Gate
	clock *purgeClock
}

func (g lateGate) Reserve(ctx context.Context, slots int) (gate.Grant, error) {
	g.clock.advance(gate.SlotLife + time.Second)
	return g.Gate.Reserve(ctx, slots)
}

// Without the look at what is void when a block comes, slots of before a pause
// would be good again with the first block after it.
func TestWhatIsVoidIsNotGoodAgainWithTheNextBlock(t *testing.T) {
	w := newPurgeWorld(t)
	four, five := w.cancelled("four", 4, 4), w.cancelled("five", 5, 5)
	counted := w.saves()
	w.worker.Gate = lateGate{counted, w.clock}
	w.wantOutcome(w.one(four), cleanup.KindDeleted, "") // by a block of 8
	w.worker.Gate = counted
	w.wantOutcome(w.one(five), cleanup.KindDeleted, "")
	if n := counted.reserved - 3; n != 2 {
		t.Errorf("%d blocks were reserved for nine objects, want 2: the three slots that were left were void", n)
	}
}

// Batches that one process has at once take from what it has saved. Slots that
// two of them got would be deletes that nobody counted: the rate of all workers
// together would be more than the operator's.
func TestBatchesAtOnceNeverSpendASlotTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate = 200
		w := newRateWorld(t, rate, rate, func(n int) int { return 1 + n%5 })
		worker, until := w.worker("one"), w.began.Add(30*time.Second)
		var batches sync.WaitGroup
		for range 6 {
			batches.Go(func() {
				for time.Now().Before(until) {
					ctx, cancel := context.WithTimeout(t.Context(), w.policy.WorkerTimeout)
					worker.Purge(ctx, w.take(7))
					cancel()
				}
			})
		}
		batches.Wait()
		w.wantRate(5*time.Second, 30*time.Second, rate, 4)
		if all := w.started(w.began, time.Now()); all > w.slots {
			t.Errorf("%d deletes began, and %d slots were given", all, w.slots)
		}
	})
}
