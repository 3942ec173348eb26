package cleanup_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// closedBucket is a store whose buckets cannot be looked at.
type closedBucket struct {
	cleanup.Store
	err error
}

func (c closedBucket) CheckBucket(context.Context, string) error { return c.err }

// A right that is missing, or a bucket in another region, does not heal by
// waiting. Without a counted attempt the message comes back every minute for as
// long as the queue keeps it, nothing is parked, and nobody is told.
func TestABucketThatCannotBeLookedAtForGoodParksItsUploads(t *testing.T) {
	for name, err := range map[string]error{
		"denied":            fmt.Errorf("read the versioning: %w", upload.ErrDenied),
		"in another region": errors.New("read the versioning: PermanentRedirect: status 301"),
		"refused":           fmt.Errorf("versioning is off: %w", upload.ErrRefused),
	} {
		t.Run(name, func(t *testing.T) {
			w := newPurgeWorld(t)
			r := w.cancelled("u-1", 2, 2)
			w.worker.Store = closedBucket{w.store, err}
			w.send(r)
			var last []cleanup.Outcome
			for range w.policy.MaxAttempts {
				w.clock.advance(2 * time.Hour)
				last = w.purge()
			}
			if len(last) != 1 {
				t.Fatalf("%d outcomes", len(last))
			}
			w.wantOutcome(last[0], cleanup.KindParked, "attempts used up")
			w.wantStanding(2)
		})
	}
}

// A throttled or broken look at the bucket says nothing about it. Counted as
// attempts, a bad hour would park everything.
func TestABucketThatCannotBeLookedAtJustNowCountsNoAttempt(t *testing.T) {
	for _, err := range []error{upload.ErrThrottled, upload.ErrUnclear, context.DeadlineExceeded} {
		w := newPurgeWorld(t)
		r := w.cancelled("u-1", 2, 2)
		w.worker.Store = closedBucket{w.store, fmt.Errorf("read the versioning: %w", err)}
		if o := w.one(r); o.Done || o.Kind == cleanup.KindRetrying {
			t.Errorf("%v: %s (%s)", err, o.Kind, o.Reason)
		}
		if got := w.record(r.ID); got.Version != r.Version {
			t.Errorf("%v: version %d, was %d", err, got.Version, r.Version)
		}
	}
}

// A clock that is wrong makes claims that nobody may take over for as long as it
// is ahead, pushes the shared rate's arrival time there, and, behind, takes
// every honest cutoff for one of the future: all messages become dead letters.
func TestAWorkerWhoseClockIsWrongDoesNothing(t *testing.T) {
	for name, wrong := range map[string]time.Duration{
		"a day ahead": 24 * time.Hour, "an hour behind": -time.Hour,
		"a year ahead": 365 * 24 * time.Hour, "a little more than allowed": 5*time.Minute + time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			w := newPurgeWorld(t)
			r := w.cancelled("u-1", 2, 2)
			w.worker.Now = func() time.Time { return w.clock.now().Add(wrong) }
			w.worker.Gate = untouched{w.worker.Gate, t}
			o := w.one(r)
			if w.record(r.ID).Version != r.Version || len(w.queue.DeadLetters()) > 0 {
				t.Errorf("record %+v, %d dead letters", w.record(r.ID), len(w.queue.DeadLetters()))
			}
			w.wantOutcome(o, cleanup.KindWaiting, "clock")
			if !strings.Contains(w.log.String(), "level=ERROR") {
				t.Error("nobody is told")
			}
		})
	}
}

// untouched is a gate of which no slots may be reserved.
type untouched struct {
	cleanup.Gate
	t *testing.T
}

func (u untouched) Reserve(context.Context, int) (gate.Grant, error) {
	u.t.Error("slots are reserved")
	return gate.Grant{}, gate.ErrClosed
}

// Text that is cut in the middle of a character is not UTF-8, and DynamoDB takes
// none: the attempt would not be counted, and the purge tried for ever.
func TestAReasonIsKeptAsTextWhereverItIsCut(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u-1", 1, 1)
	w.send(r)
	for shift := range 4 {
		code := strings.Repeat("x", shift) + strings.Repeat("ü😀", 80) + "\xff"
		w.store.deleting = func(_ int, versions []upload.Condemned) []objects.Result {
			return everyResult(versions, objects.Failed, code)
		}
		w.wantOutcome(w.purge()[0], cleanup.KindRetrying, "delete: failed")
		kept := w.record(r.ID).LastError
		if !utf8.ValidString(kept) || len(kept) > 200 || len(kept) < 190 {
			t.Errorf("kept %q, %d bytes", kept, len(kept))
		}
		w.clock.advance(2 * time.Hour)
	}
}

// A ledger that will not take the closing write (an item that is too large)
// will not take it the next time either. Without a counted attempt it is tried
// whenever the claim is over, for ever.
func TestAClosingWriteThatTheLedgerRefusesCountsAnAttempt(t *testing.T) {
	w := newPurgeWorld(t)
	r := w.cancelled("u-1", 1, 1)
	w.records.before = func(c upload.Change) error {
		if c.Event == upload.KindFinish {
			return fmt.Errorf("%w: an item of 500000 bytes", upload.ErrRefused)
		}
		return nil
	}
	w.wantOutcome(w.one(r), cleanup.KindRetrying, "500000")
	if got := w.wantState(r.ID, upload.StateDeleting); got.Attempts != 1 || got.Holder != "" {
		t.Errorf("attempts %d, holder %q", got.Attempts, got.Holder)
	}
}

// Null versions may go where versioning is enabled, and only there: after a
// suspension "null" is whatever was written last. With an answer of five minutes
// ago the object of a moment ago goes.
func TestABucketSuspendedAMomentAgoLosesNoNullVersion(t *testing.T) {
	w := newPurgeWorld(t)
	w.policy.DeleteNullVersions = true
	w.worker = w.anotherWorker()
	w.store.CreateBucket(purgeBucket, stores.BucketOptions{Versioning: stores.Never})
	old := w.store.Write(purgeBucket, "photos/1", []byte("old"), time.Time{})
	w.store.CreateBucket(purgeBucket, stores.BucketOptions{})
	r := w.adopted("u-2", old)
	other := w.cancelled("u-1", 1, 1)
	w.wantOutcome(w.one(other), cleanup.KindDeleted, "")
	w.store.CreateBucket(purgeBucket, stores.BucketOptions{Versioning: stores.Suspended})
	w.wantOutcome(w.one(r), cleanup.KindRetrying, "versioning")
	w.wantStanding(1)
}
