package cleanup_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestClosedGateHidesForAQuarterHourAndIsNoAttempt(t *testing.T) {
	for name, closeGate := range map[string]func(*purgeWorld){
		"paused":      func(w *purgeWorld) { w.must(w.gate.Pause(t.Context())) },
		"report-only": func(w *purgeWorld) { w.must(w.gate.SetMode(t.Context(), gate.ReportOnly)) },
	} {
		w := newPurgeWorld(t)
		r := w.cancelled("u1", 2, 2)
		closeGate(w)
		o := w.one(r)
		w.wantOutcome(o, cleanup.KindClosed, "gate is closed")
		if o.Hide != 15*time.Minute || o.Done || w.record(r.ID).Attempts != 0 {
			t.Fatalf("%s: hidden for %v, done %v", name, o.Hide, o.Done)
		}
		w.wantState(r.ID, upload.StateCancelled)
		w.wantStanding(2)
	}
}

// Without reserving under the gate before every claim and every delete call,
// workers would go on with what is queued for as long as the queue lasts.
func TestPauseWithAThousandMessagesQueuedStopsEverythingWithinTenSeconds(t *testing.T) {
	w := newPurgeWorld(t)
	w.must(w.gate.SetRate(t.Context(), 100, 100))
	for i := range 1000 {
		w.received(fmt.Sprintf("u%04d", i), 2, 2)
	}
	var due []upload.Record
	for i := range 1000 {
		due = append(due, w.apply(purgeID(fmt.Sprintf("u%04d", i)), upload.Cancel{Fence: 1, Reason: "test"}))
	}
	w.clock.to(due[999].DueAt.Add(w.policy.SafetyMargin))
	w.send(due...)

	var pausedAt time.Time
	last := w.clock.now()
	var mu sync.Mutex // groups are side by side
	w.store.deleting = func(int, []upload.Condemned) []objects.Result {
		mu.Lock()
		defer mu.Unlock()
		last = w.clock.now()
		return nil
	}
	// A second worker, beginning a second later, is in the middle of the queue.
	batch := w.receive()
	w.clock.onSleep = func() {
		pausedAt = w.clock.now()
		w.must(w.gate.Pause(t.Context()))
	}
	first := w.worker.Purge(t.Context(), batch[:500])
	second := w.anotherWorker().Purge(t.Context(), batch[500:])
	if pausedAt.IsZero() || len(w.store.deletes) == 0 {
		t.Fatal("the pause came before anything was deleted, or never")
	}
	if late := last.Sub(pausedAt); late > gate.SlotLife {
		t.Fatalf("a delete began %v after the pause", late)
	}
	closed := 0
	for _, o := range append(first, second...) {
		if o.Kind == cleanup.KindClosed {
			closed++
		}
	}
	if closed < 800 {
		t.Fatalf("%d of 1000 messages were turned away, want most", closed)
	}
	standing := len(w.store.All(purgeBucket))
	w.clock.advance(time.Hour)
	for _, o := range w.purge() {
		w.wantOutcome(o, cleanup.KindClosed, "")
	}
	w.wantStanding(standing)
}

func TestGateClosedAfterTheClaimStopsDeletingAndGoesOnLater(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.records.after = func(c upload.Change) error {
		if c.Event == upload.KindClaim { // slow, so that the slots are void
			w.clock.advance(gate.SlotLife + time.Second)
			w.must(w.gate.Pause(t.Context()))
		}
		return nil
	}
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindClosed, "")
	w.wantStanding(2)
	if stored := w.record(r.ID); stored.Attempts != 0 || o.Hide < w.policy.ClaimLease-time.Minute {
		t.Fatalf("attempts %d, hidden for %v: want none, and until the lease ends", stored.Attempts, o.Hide)
	}
	w.must(w.gate.Resume(t.Context()))
	w.clock.advance(o.Hide)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
}

// Without the look at Void, slots reserved before a pause would be good for
// ever.
func TestVoidSlotsAreReservedAnewBeforeTheDelete(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.records.after = func(c upload.Change) error {
		if c.Event == upload.KindClaim {
			w.clock.advance(gate.SlotLife + time.Second)
		}
		return nil
	}
	counted := &countedGate{Gate: w.gate}
	w.worker.Gate = counted
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	if counted.reserved != 2 {
		t.Fatalf("slots were reserved %d times, want 2", counted.reserved)
	}
}

// countedGate counts the reservations.
type countedGate struct {
	cleanup.Gate
	reserved int
}

func (g *countedGate) Reserve(ctx context.Context, slots int) (gate.Grant, error) {
	g.reserved++
	return g.Gate.Reserve(ctx, slots)
}

// S3 has no batch for such keys. In one call with others they would start one
// after the other, long after the look at the slots: minutes after a pause.
func TestKeysThatNoBatchCarriesStartUnderALookAtTheSlotsEach(t *testing.T) {
	w := newPurgeWorld(t)
	var versions []objects.Version
	for _, key := range []string{"old/a", "old/b\x01", "old/c\x01", "old/d", "old/e\x01", "old/f", "old/g"} {
		versions = append(versions, w.store.Write(purgeBucket, key, []byte("x"), w.clock.now().Add(-240*time.Hour)))
	}
	r := w.adopted("orphans", versions...)
	var started []time.Duration
	paused := time.Time{}
	w.store.deleting = func(_ int, call []upload.Condemned) []objects.Result {
		if paused.IsZero() {
			paused = w.clock.now()
			w.must(w.gate.Pause(t.Context()))
		}
		for _, v := range call {
			if objects.Alone(v.Key()) && len(call) > 1 {
				t.Errorf("a key that needs a call of its own is in one of %d", len(call))
			}
			started = append(started, w.clock.now().Sub(paused))
		}
		w.clock.advance(4 * time.Second) // a slow store
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindClosed, "gate is closed")
	if len(started) != 3 || started[2] != 8*time.Second {
		t.Errorf("deletes started %v after the pause: expected three, at 0, 4 and 8 s", started)
	}
	w.store.deleting = nil
	w.must(w.gate.Resume(t.Context()))
	w.clock.advance(time.Hour)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
	w.wantStanding(0)
}

// An abort takes no slot, and parts do not come back. Without the look at the
// slots before each, one begins for as long after a pause as an invocation has.
func TestNoMultipartUploadIsAbortedUnderSlotsThatAreVoid(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.received("u1", 2, 2)
	key := upload.Key{Attempt: 1, Seq: 1}
	var begun []upload.Multipart
	for range 3 {
		id, err := w.store.BeginMultipart(t.Context(), purgeBucket, r.ObjectKey(key), "")
		w.must(err)
		begun = append(begun, upload.Multipart{Key: key, UploadID: id})
	}
	w.apply(r.ID, upload.Declare{Fence: 1, Declared: 2, Multiparts: begun})
	r = w.apply(r.ID, upload.Cancel{Fence: 1, Reason: "test"})
	w.clock.to(r.DueAt.Add(w.policy.SafetyMargin))
	w.records.after = func(c upload.Change) error {
		if c.Event == upload.KindClaim { // slow, so that the slots are void
			w.clock.advance(gate.SlotLife + time.Second)
			w.must(w.gate.Pause(t.Context()))
		}
		return nil
	}
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindClosed, "gate is closed")
	if w.store.aborts != 0 || w.record(r.ID).Attempts != 0 {
		t.Errorf("%d aborts began after the pause, %d attempts were counted", w.store.aborts, w.record(r.ID).Attempts)
	}
	w.must(w.gate.Resume(t.Context()))
	w.clock.advance(o.Hide)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
	if w.store.aborts != 3 {
		t.Errorf("%d aborts in the end, want 3", w.store.aborts)
	}
}

func TestBusyGateIsWaitedForWithinTheInvocation(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.must(w.gate.SetRate(t.Context(), 1, 60))
	if _, err := w.gate.Reserve(t.Context(), 60); err != nil {
		t.Fatal(err)
	}
	w.must(w.gate.SetRate(t.Context(), 1, 2))
	w.send(r)
	o := w.purgeBy(deadlineAt{t.Context(), w.clock.now().Add(30 * time.Second)}, w.worker)[0]
	w.wantOutcome(o, cleanup.KindWaiting, "gate is busy")
	w.wantState(r.ID, upload.StateCancelled)
	w.clock.advance(o.Hide)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
}

func TestLoweredBurstMakesSmallerBlocks(t *testing.T) {
	w := newPurgeWorld(t)
	w.must(w.gate.SetRate(t.Context(), 1000, 3))
	r := w.cancelled("u1", 7, 7)
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	if len(w.store.deletes) != 3 {
		t.Fatalf("%d calls, want 3 of at most 3 versions", len(w.store.deletes))
	}
}
