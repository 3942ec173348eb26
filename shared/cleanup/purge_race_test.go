package cleanup_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// brokenLetters takes no dead letters.
type brokenLetters struct{ cleanup.Receipts }

func (brokenLetters) DeadLetter(context.Context, command.Received, string) error {
	return upload.ErrUnclear
}

func TestDuplicateCommandLaterIsSkipped(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	w.wantOutcome(w.one(r), cleanup.KindSkipped, "already deleted")
	w.wantDepth(0)
}

// Without the rounds, both messages of a batch would be claimed at once, and
// one would wait for the other's lease.
func TestDuplicateCommandInOneBatchIsHandledAfterTheFirst(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.send(r, r, r)
	outcomes := w.purge()
	w.wantOutcome(outcomes[0], cleanup.KindDeleted, "")
	w.wantOutcome(outcomes[1], cleanup.KindSkipped, "already deleted")
	w.wantOutcome(outcomes[2], cleanup.KindSkipped, "already deleted")
	if len(w.store.deletes) != 1 {
		t.Fatalf("%d delete calls, want 1", len(w.store.deletes))
	}
}

func TestTwoWorkersOnOneUploadDeleteItOnce(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 4, 4)
	w.send(r, r)
	batch := w.receive()
	workers := []*cleanup.Worker{w.anotherWorker(), w.anotherWorker()}
	outcomes := make([]cleanup.Outcome, len(workers))
	var wg sync.WaitGroup
	for i, worker := range workers {
		wg.Go(func() { outcomes[i] = worker.Purge(t.Context(), batch[i:i+1])[0] })
	}
	wg.Wait()
	deleted := 0
	for _, o := range outcomes {
		if o.Kind == cleanup.KindDeleted {
			deleted++
		} else if o.Kind != cleanup.KindWaiting && o.Kind != cleanup.KindSkipped {
			t.Fatalf("the other worker's outcome is %s (%s)", o.Kind, o.Reason)
		}
	}
	if deleted != 1 || len(w.store.deletes) != 1 {
		t.Fatalf("deleted by %d workers in %d calls, want 1 and 1", deleted, len(w.store.deletes))
	}
	w.wantState(r.ID, upload.StateDeleted)
}

func TestStopAfterTheDeleteAndBeforeTheRecordIsFinishedLater(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.records.before = func(c upload.Change) error {
		if c.Event == upload.KindFinish {
			return context.DeadlineExceeded
		}
		return nil
	}
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindWaiting, "invocation ends")
	w.wantStanding(0)
	w.wantState(r.ID, upload.StateDeleting)
	w.records.before = nil
	w.clock.advance(o.Hide)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
	if stored := w.wantState(r.ID, upload.StateDeleted); stored.Fence != 3 {
		t.Fatalf("fence %d, want 3: claimed, and taken over", stored.Fence)
	}
}

func TestStopAfterTheRecordAndBeforeTheAcknowledgementIsSkippedLater(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.send(r)
	w.worker.Purge(t.Context(), w.receive()) // and nobody acknowledges
	w.clock.advance(w.policy.VisibilityTimeout)
	w.wantOutcome(w.purge()[0], cleanup.KindSkipped, "already deleted")
	w.wantDepth(0)
}

// Without looking at the lease before each call, a worker that slept goes on
// beside the one that took over.
func TestWorkerThatSleepsPastItsClaimDeletesNothing(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.records.after = func(c upload.Change) error {
		if c.Event == upload.KindClaim {
			w.clock.advance(w.policy.ClaimLease + time.Second)
		}
		return nil
	}
	w.send(r)
	ctx := deadlineAt{t.Context(), w.clock.now().Add(time.Hour)}
	o := w.purgeBy(ctx, w.worker)[0]
	w.wantOutcome(o, cleanup.KindWaiting, "claim over")
	if len(w.store.deletes) != 0 {
		t.Fatal("deleted past its claim")
	}
	w.clock.advance(w.policy.VisibilityTimeout)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
}

// Waiting for slots is sleeping too: without looking at the lease after it, the
// rest is deleted beside the one that took over.
func TestWorkerThatWaitsForSlotsPastItsClaimDeletesNoMore(t *testing.T) {
	w := newPurgeWorld(t)
	w.must(w.gate.SetRate(t.Context(), 1, 2))
	w.send(w.cancelled("u1", 4, 4))
	w.store.answered = func(int, []objects.Result) {
		w.clock.onSleep = func() { w.clock.advance(w.policy.ClaimLease + time.Second) }
	}
	ctx := deadlineAt{t.Context(), w.clock.now().Add(time.Hour)}
	w.wantOutcome(w.purgeBy(ctx, w.worker)[0], cleanup.KindContinued, "claim over")
	if n := len(w.store.deletes); n != 1 {
		t.Fatalf("%d delete calls, want the one before its claim was over", n)
	}
}

func TestWorkerThatLostItsClaimWhileDeletingRecordsNothing(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.store.answered = func(int, []objects.Result) {
		w.store.answered = nil
		w.clock.advance(w.policy.ClaimLease + time.Second)
		w.apply(r.ID, upload.Reclaim{Worker: "other", Token: "theirs"})
	}
	w.wantOutcome(w.one(r), cleanup.KindWaiting, "held by another worker")
	if stored := w.wantState(r.ID, upload.StateDeleting); stored.Token != "theirs" {
		t.Fatalf("token %q, want the other worker's", stored.Token)
	}
}

// Without the second look after the wait, a hold that was extended in time
// would lose.
func TestHoldExtendedWhileWaitingForASlotWins(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.expired("u1", 2)
	w.must(w.gate.SetRate(t.Context(), 10, 10))
	if _, err := w.gate.Reserve(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	w.clock.onSleep = func() { w.apply(r.ID, upload.ExtendHold{HoldUntil: w.clock.now().Add(time.Hour)}) }
	w.wantOutcome(w.one(r), cleanup.KindSkipped, "revived")
	if w.clock.slept == 0 {
		t.Fatal("the worker did not wait")
	}
	w.wantStanding(2)
	w.wantDepth(0)
}

func TestReferenceAddedBetweenCancelAndClaimWins(t *testing.T) {
	w := newPurgeWorld(t)
	w.received("u1", 1, 1)
	w.apply(purgeID("u1"), upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}})
	r := w.apply(purgeID("u1"), upload.Release{Owner: "owner", Reason: "test"})
	w.clock.to(r.DueAt.Add(w.policy.SafetyMargin))
	w.records.before = func(c upload.Change) error {
		w.records.before = nil
		w.apply(r.ID, upload.AddReference{Reference: upload.Reference{Source: "row", Entity: "7", Generation: 1}})
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindSkipped, "")
	w.wantStanding(1)
	w.wantState(r.ID, upload.StateComplete)
}

func TestRecordMovingUnderATrimIsSkipped(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.completed("u1", 3, 2)
	w.store.answered = func(int, []objects.Result) {
		w.apply(r.ID, upload.AddReference{Reference: upload.Reference{Source: "row", Entity: "7", Generation: 1}})
	}
	w.wantOutcome(w.one(r), cleanup.KindSkipped, "newer version")
	w.store.answered = nil
	stored := w.record(r.ID)
	if stored.Trimmed || stored.DueAt.IsZero() {
		t.Fatal("the trim was recorded on a record that it did not see")
	}
	w.wantOutcome(w.one(stored), cleanup.KindTrimmed, "")
	w.wantStanding(2)
}

// Without reading the record again after the wait, a trim would begin on a
// version that is not the one its command saw.
func TestRecordMovedWhileATrimWaitedForItsSlotIsLeftAlone(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.completed("u1", 3, 2)
	w.must(w.gate.SetRate(t.Context(), 10, 10))
	if _, err := w.gate.Reserve(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	w.clock.onSleep = func() {
		w.apply(r.ID, upload.AddReference{Reference: upload.Reference{Source: "row", Entity: "7", Generation: 1}})
	}
	w.wantOutcome(w.one(r), cleanup.KindSkipped, "newer version")
	if len(w.store.deletes) != 0 {
		t.Fatal("the trim deleted something")
	}
}

func TestRedeliveryWhileTheClaimIsAliveWaits(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.store.deleting = func(call int, v []upload.Condemned) []objects.Result {
		if call == 1 {
			again := []command.Received{{MessageID: "again", Receipt: "none", Body: mustEncode(t, w.order(r))}}
			o := w.anotherWorker().Purge(t.Context(), again)[0]
			w.wantOutcome(o, cleanup.KindWaiting, "held by another worker")
		}
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	if len(w.store.deletes) != 1 {
		t.Fatalf("%d delete calls, want 1", len(w.store.deletes))
	}
}

func mustEncode(t *testing.T, c upload.Command) string {
	t.Helper()
	body, err := command.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// deadlineAt shows a deadline on the test's clock; the context itself never
// ends.
type deadlineAt struct {
	context.Context
	at time.Time
}

func (d deadlineAt) Deadline() (time.Time, bool) { return d.at, true }

// Without the margin, a claim could be the invocation's last act, and would
// keep everybody out for a whole lease.
func TestNothingIsClaimedWithinTheDeadlineMargin(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.send(r)
	o := w.purgeBy(deadlineAt{t.Context(), w.clock.now().Add(9 * time.Second)}, w.worker)[0]
	w.wantOutcome(o, cleanup.KindWaiting, "invocation ends")
	w.wantState(r.ID, upload.StateCancelled)
	if o.Hide > 5*time.Second {
		t.Fatalf("hidden for %v, want shortly", o.Hide)
	}
	w.clock.advance(o.Hide)
	w.wantOutcome(w.purgeBy(deadlineAt{t.Context(), w.clock.now().Add(time.Minute)}, w.worker)[0], cleanup.KindDeleted, "")
}

func TestPanicsNameNoKeys(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 1, 0)
	w.store.listing = func() error { panic("up/acme/u1/1/1") }
	w.wantOutcome(w.one(r), cleanup.KindRetrying, "panic: string")
	if strings.Contains(w.record(r.ID).LastError, "acme/") {
		t.Fatal("an object key is on the record")
	}
}
