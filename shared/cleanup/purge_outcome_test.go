package cleanup_test

import (
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestCancelledUploadIsClaimedDeletedAndFinished(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 3, 3)
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindDeleted, "due")
	if o.Objects != 3 || o.Gone != 3 || o.Bytes != 12 || o.Fence != 2 {
		t.Fatalf("outcome %+v, want 3 of 3 objects, 12 bytes, fence 2", o)
	}
	w.wantStanding(0)
	w.wantState(r.ID, upload.StateDeleted)
	w.wantDepth(0)
	if line := w.log.String(); !strings.Contains(line, "run=pass#1") || !strings.Contains(line, "upload=u1") ||
		!strings.Contains(line, "fence=2") || !strings.Contains(line, "operation=claim") {
		t.Fatalf("log line lacks run, upload, fence or operation: %s", line)
	}
}

func TestMarkedUploadIsPurgedAfterItsSecondGrace(t *testing.T) {
	w := newPurgeWorld(t)
	w.wantOutcome(w.one(w.expired("u1", 2)), cleanup.KindDeleted, "")
	w.wantStanding(0)
}

func TestAbsentVersionsAreASuccess(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.store.deleting = func(_ int, versions []upload.Condemned) []objects.Result {
		w.store.Store.Delete(t.Context(), purgeBucket, versions) // somebody was faster
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	w.wantState(r.ID, upload.StateDeleted)
}

func TestUploadWithoutObjectsIsFinished(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 0, 0)
	w.wantOutcome(w.one(r), cleanup.KindDeleted, "")
	if len(w.store.deletes) != 0 {
		t.Fatal("a delete call was made for nothing")
	}
}

// Without the recheck an upload that came back to life would be claimed by a
// command that saw it dead.
func TestNewerVersionIsSkippedAfterRecheck(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.expired("u1", 2)
	w.send(r)
	w.apply(r.ID, upload.Heartbeat{Fence: 1})
	w.wantOutcome(w.purge()[0], cleanup.KindSkipped, "revived")
	w.wantStanding(2)
	w.wantDepth(0)
}

func TestMessageMeetingALiveClaimIsHiddenUntilTheLeaseEnds(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	claimed := w.apply(r.ID, upload.Claim{Version: r.Version, Cutoff: w.cutoff(), Worker: "other", Token: "theirs"})
	w.send(claimed)
	o := w.purge()[0]
	w.wantOutcome(o, cleanup.KindWaiting, "held by another worker")
	if o.Hide != w.policy.ClaimLease || o.Done {
		t.Fatalf("hidden for %v (done: %v), want the lease's %v", o.Hide, o.Done, w.policy.ClaimLease)
	}
	w.wantStanding(2)
	w.clock.advance(w.policy.ClaimLease)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
}

// If a throttle counted, a busy store would park healthy uploads.
func TestThrottledDeleteIsNoAttemptAndGoesOnAfterTheLease(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.store.deleting = func(call int, v []upload.Condemned) []objects.Result {
		if call == 1 {
			return everyResult(v, objects.Throttled, "SlowDown")
		}
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindThrottled, "throttled")
	if stored := w.wantState(r.ID, upload.StateDeleting); stored.Attempts != 0 || stored.Holder == "" {
		t.Fatalf("attempts %d, holder %q: want no attempt, and the lease left to run out", stored.Attempts, stored.Holder)
	}
	w.clock.advance(w.policy.ClaimLease)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
	w.wantStanding(0)
}

func TestThrottledLaterKeepsTheProgressAndGivesTheClaimBack(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 3, 3)
	w.store.deleting = func(call int, v []upload.Condemned) []objects.Result {
		if call > 1 {
			return nil
		}
		results := w.store.Store.Delete(t.Context(), purgeBucket, v[:2])
		return append(results, everyResult(v[2:], objects.Throttled, "SlowDown")...)
	}
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindThrottled, "")
	if stored := w.record(r.ID); stored.PurgedThrough != 2 || stored.Holder != "" || o.Gone != 2 || o.Left() != 1 {
		t.Fatalf("purged through %d, holder %q, outcome %+v", stored.PurgedThrough, stored.Holder, o)
	}
	w.clock.advance(time.Minute)
	o = w.purge()[0]
	w.wantOutcome(o, cleanup.KindDeleted, "")
	if o.Objects != 1 || len(w.store.deletes[1]) != 1 {
		t.Fatalf("the second delivery was about %d objects, want the one that was left", o.Objects)
	}
}

// Without stopping the count at the first gap, what was throttled would be
// recorded as gone, and would stand for ever.
func TestThrottledFirstIsNoProgressWhateverCameAfterIt(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 3, 3)
	w.store.deleting = func(call int, v []upload.Condemned) []objects.Result {
		if call > 1 {
			return nil
		}
		return append(everyResult(v[:1], objects.Throttled, "SlowDown"), w.store.Store.Delete(t.Context(), purgeBucket, v[1:])...)
	}
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindThrottled, "")
	if stored := w.record(r.ID); stored.PurgedThrough != 0 || o.Gone != 0 {
		t.Fatalf("purged through %d, %d gone: want none", stored.PurgedThrough, o.Gone)
	}
	w.clock.advance(o.Hide)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
	w.wantStanding(0)
}

func TestLedgerThrottleOnTheClaimHidesAndClaimsNothing(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 1, 1)
	w.records.before = func(upload.Change) error { return upload.ErrThrottled }
	w.wantOutcome(w.one(r), cleanup.KindThrottled, "claim")
	w.wantState(r.ID, upload.StateCancelled)
	w.wantStanding(1)
}

func TestDeniedRetriesWithBackoffParksAndGoesOnAfterUnpark(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	denied := true
	w.store.deleting = func(_ int, v []upload.Condemned) []objects.Result {
		if denied {
			return everyResult(v, objects.Denied, "AccessDenied")
		}
		return nil
	}
	w.send(r)
	for attempt := 1; attempt < w.policy.MaxAttempts; attempt++ {
		o := w.purge()[0]
		w.wantOutcome(o, cleanup.KindRetrying, "access denied (AccessDenied)")
		if o.Attempt != attempt || o.Hide != cleanup.Backoff(attempt) {
			t.Fatalf("attempt %d hidden for %v, want %d and %v", o.Attempt, o.Hide, attempt, cleanup.Backoff(attempt))
		}
		w.clock.advance(o.Hide)
	}
	w.wantOutcome(w.purge()[0], cleanup.KindParked, "attempts used up")
	w.wantDepth(0)
	if dead := w.queue.DeadLetters(); len(dead) != 1 || !strings.Contains(dead[0].Reason, "access denied") {
		t.Fatalf("dead letters %+v, want one that says access denied", dead)
	}
	w.wantOutcome(w.one(w.record(r.ID)), cleanup.KindParked, "parked: delete: access denied")
	denied = false
	w.wantOutcome(w.one(w.apply(r.ID, upload.Unpark{})), cleanup.KindDeleted, "")
	w.wantStanding(0)
}

func TestFailedDeleteIsARetry(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.store.deleting = func(_ int, v []upload.Condemned) []objects.Result {
		return everyResult(v, objects.Failed, "MalformedXML")
	}
	w.wantOutcome(w.one(r), cleanup.KindRetrying, "failed (MalformedXML)")
	if stored := w.record(r.ID); stored.Attempts != 1 || !strings.Contains(stored.LastError, "MalformedXML") {
		t.Fatalf("attempts %d, last error %q", stored.Attempts, stored.LastError)
	}
}

func TestWhatCannotBeACommandIsRejectedWithItsReason(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 1, 1)
	for _, c := range []struct{ body, reason string }{
		{`{"schema":2}`, "this version knows only 1"},
		{`not json`, "not a JSON object"},
		{``, "not a JSON object"},
	} {
		w.queue.Put(c.body)
		w.wantOutcome(w.purge()[0], cleanup.KindRejected, c.reason)
	}
	foreign := r
	foreign.Tenant = "other"
	w.wantOutcome(w.one(foreign), cleanup.KindRejected, "no such upload of this tenant")
	if dead := w.queue.DeadLetters(); len(dead) != 4 {
		t.Fatalf("%d dead letters, want 4", len(dead))
	}
	w.wantDepth(0)
	w.wantStanding(1)
}

// Without waiting for the dead-letter queue's answer, the message would be lost.
func TestRejectedMessageStaysUntilTheDeadLetterQueueHasIt(t *testing.T) {
	w := newPurgeWorld(t)
	w.queue.Put(`{"schema":2}`)
	w.worker.Queue = brokenLetters{w.queue}
	w.wantOutcome(w.purge()[0], cleanup.KindRejected, "this version knows only 1")
	w.wantDepth(1)
}

// Without heeding the error, a failed read would look like records that do not
// exist, and their messages would be dead-lettered.
func TestFailedLookUpKeepsEverything(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 1, 1)
	w.records.loading = func([]upload.ID) error { return upload.ErrUnclear }
	w.wantOutcome(w.one(r), cleanup.KindWaiting, "look up")
	w.wantStanding(1)
	w.wantState(r.ID, upload.StateCancelled)
}

// Without the check of the bucket, deletes in one whose versioning is suspended
// would hit versions that an id does not identify.
func TestBucketWithoutVersioningIsNotDeletedInAndParks(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.store.CreateBucket(purgeBucket, stores.BucketOptions{Versioning: stores.Suspended})
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindRetrying, "refused")
	w.wantStanding(2)
	w.store.CreateBucket(purgeBucket, stores.BucketOptions{})
	w.clock.advance(10 * time.Minute) // the answer is believed for a while
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
}

// Without the shield around each job, one panic would fail the whole batch, and
// again at its every return.
func TestPoisonMessageHarmsNoOther(t *testing.T) {
	w := newPurgeWorld(t)
	poison, good := w.cancelled("poison", 2, 2), w.cancelled("good", 2, 2)
	w.records.before = func(c upload.Change) error {
		if c.After.Upload == "poison" {
			none := []int{}
			none[len(poison.Upload)] = 1
		}
		return nil
	}
	w.queue.Put("garbage")
	w.send(poison, good)
	outcomes := w.purge()
	w.wantOutcome(outcomes[0], cleanup.KindRejected, "")
	w.wantOutcome(outcomes[1], cleanup.KindFailed, "panic")
	w.wantOutcome(outcomes[2], cleanup.KindDeleted, "")
	w.wantDepth(1)
	w.wantStanding(2)
}

func TestPanicInTheStoreIsUnclearAndThenCounted(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 2, 2)
	w.store.deleting = func(int, []upload.Condemned) []objects.Result { panic("up/acme/u1/1/1") }
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindRetrying, "unclear")
	w.wantStanding(2)
	w.store.deleting = nil
	w.clock.advance(o.Hide)
	w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
}

func TestMisconfiguredWorkerAcknowledgesNothing(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u1", 1, 1)
	w.worker.Policy.SafetyMargin = 0
	o := w.one(r)
	w.wantOutcome(o, cleanup.KindFailed, "SafetyMargin")
	if o.Done {
		t.Fatal("done")
	}
	w.wantStanding(1)
}
