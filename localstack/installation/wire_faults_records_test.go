package installation_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/upload"
)

// A cancelled upload's claim and finish are each one item.
const writingItem = "DynamoDB.PutItem"

var faultsOfRecords = []wireFault{
	{
		// The claim's token is on the record, and the stamp in the item. Without
		// them its lease must run out before anything is deleted.
		name:   "the claim is done and all its answers are lost: the worker knows it as its own",
		faults: striking(byWorker, writingItem, 1, fault.After, fault.Timeout),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 2)
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			s.wantStanding(t, u, 0)
		},
	},
	{
		name:   "the finish is done and all its answers are lost: the worker knows it as its own",
		faults: striking(byWorker, writingItem, 2, fault.After, fault.Reset),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 2)
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			if len(s.pending) != 0 {
				t.Error("the message was not acknowledged")
			}
		},
	},
	{
		// The SDK sends it again, and the second meets the first: its condition
		// fails on what it has written itself.
		name:   "the claim's first answer is lost and the SDK repeats it: it meets itself, and goes on",
		faults: striking(byWorker, writingItem, 1, fault.After, fault.ResetOnce),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 2)
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			s.wantTrail(t, u, "claim", "delete 2", "finish")
		},
	},
	{
		name:   "a worker dies after the delete and before the record: another finishes",
		faults: striking(byWorker, deleting, 1, fault.After, fault.Death),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 2)
			s.handOver(t, u)
			s.wantState(t, u, upload.StateDeleting)
			s.wantStanding(t, u, 0)
			s.goesOn(t, u, "claim", "delete 2", "reclaim", "delete 2", "finish")
		},
	},
	{
		name:   "a worker dies after the claim and before the delete: another takes over",
		faults: striking(byWorker, writingItem, 1, fault.After, fault.Death),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 2)
			s.handOver(t, u)
			s.wantState(t, u, upload.StateDeleting)
			s.wantStanding(t, u, 2)
			s.later(150 * time.Minute)
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			s.wantStanding(t, u, 0)
		},
	},
	{
		// What cannot be read is kept (invariant 10).
		name:   "the worker's look-up is throttled, each time: nothing is done until it is answered",
		faults: striking(byWorker, "DynamoDB.BatchGetItem", 1, fault.Before, fault.Throttled),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 2)
			wantSaid(t, s.handOver(t, u), "throttled: look up: throttled")
			s.wantState(t, u, upload.StateCancelled)
			s.goesOn(t, u, "claim", "delete 2", "finish")
		},
	},
	{
		// The key is found by listing, the put is not sent again.
		name:   "a put is done and its answers are lost: found by its key, recorded once",
		faults: striking(byWriter, "S3.PutObject", 1, fault.After, fault.Timeout),
		run: func(t *testing.T, s *scene) {
			u := s.begun(t)
			c, body := chunkOf(1)
			o, err := u.Put(fault.As(t.Context(), byWriter), c, bytes.NewReader(body))
			must(t, err)
			must(t, u.Complete(t.Context(), []upload.Key{o.Key}, time.Time{}))
			s.wantStanding(t, u, 1)
		},
	},
	{
		// Declared before it is put: so cleanup knows the key of what a dead writer
		// could not record. Without that it stands for ever.
		name:   "a writer dies between put and record: its object is found by its key, and goes",
		faults: striking(byWriter, "S3.PutObject", 1, fault.After, fault.Death),
		run: func(t *testing.T, s *scene) {
			u := s.begun(t)
			c, body := chunkOf(1)
			if _, err := u.Put(fault.As(t.Context(), byWriter), c, bytes.NewReader(body)); err == nil {
				t.Error("a dead writer was answered")
			}
			s.wantStanding(t, u, 1)
			s.Clock.Advance(31 * time.Hour)
			s.wantPass(t, "repaired 1")
			s.Clock.Advance(day)
			s.wantPass(t, "published 1")
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			s.wantStanding(t, u, 0)
		},
	},
	{
		// Quota is taken in the transaction that writes the record, and the key of
		// the request is there with it. Without that the lost answer takes a place.
		name:   "a reservation is done and its answers are lost: the last place of the quota is taken once",
		faults: striking(byWriter, "DynamoDB.TransactWriteItems", 1, fault.After, fault.ServerError),
		run: func(t *testing.T, s *scene) {
			r := s.request("one")
			r.QuotaLimit = 1
			_, err := s.client.Reserve(fault.As(t.Context(), byWriter), r)
			if err != nil {
				_, err = s.client.Reserve(t.Context(), r)
			}
			must(t, err)
			other := s.request("two")
			other.QuotaLimit = 1
			_, err = s.client.Reserve(t.Context(), other)
			want(t, upload.ErrQuota, err)
			used, err := s.Stores.Ledger.QuotaUsed(t.Context(), tenant, owner)
			if must(t, err); used != 1 {
				t.Errorf("%d places are used", used)
			}
		},
	},
}

// begun is an upload of the faulty client, begun with nothing in the way.
func (s *scene) begun(t *testing.T) *intake.Session {
	t.Helper()
	u, err := s.client.Reserve(t.Context(), s.request("it"))
	must(t, err)
	return u
}

var faultsOfPasses = []wireFault{
	{
		// All shards and all pages, or nothing.
		name:   "a page of the index cannot be read: nothing is done, the retried trigger does it all",
		faults: striking(byScheduler, "DynamoDB.Query", 9, fault.Before, fault.ServerError),
		run: func(t *testing.T, s *scene) {
			u := s.cancelled(t, 2)
			s.abandoned(t, 1)
			s.Clock.Advance(30 * time.Hour)
			must(t, s.Census(t.Context()))
			fired := s.Clock.Now()
			if err := s.sweep(fault.As(t.Context(), byScheduler), fired); !errors.Is(err, upload.ErrUnclear) {
				t.Errorf("the pass says %v", err)
			}
			depth, err := s.Stores.Queue.Depth(t.Context())
			if must(t, err); depth != 0 {
				t.Errorf("%d messages were published", depth)
			}
			must(t, s.sweep(t.Context(), fired))
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
		},
	},
	{
		// A cursor passes what the queue says it has, and no further.
		name:   "the queue accepts five of ten under a 200: the others are published by the next pass, and only they",
		faults: striking(byScheduler, "SQS.SendMessageBatch", 1, fault.During, fault.PartRefused),
		run: func(t *testing.T, s *scene) {
			s.shard = 3
			for range 10 {
				s.cancelled(t, 1)
			}
			s.Clock.Advance(afterDeadline)
			must(t, s.Census(t.Context()))
			report, err := s.functions.PassAt(fault.As(t.Context(), byScheduler), s.Clock.Now())
			must(t, err)
			wantTally(t, report, "published 5", "skipped: "+cleanup.SkipQueueRefused+" 5")
			s.Clock.Advance(time.Second)
			report, err = s.functions.PassAt(t.Context(), s.Clock.Now())
			must(t, err)
			wantTally(t, report, "published 5")
			must(t, s.receive())
			if len(s.pending) != 10 {
				t.Errorf("%d messages, want each once", len(s.pending))
			}
			for i, r := range s.records(t) {
				s.ids[string(rune('a'+i))] = r.ID
			}
			for role := range s.ids {
				must(t, s.work(t.Context(), role))
			}
		},
	},
	{
		// It costs a message, never data.
		name:   "the queue has a batch and its answer is lost: published twice, purged once",
		faults: striking(byScheduler, "SQS.SendMessageBatch", 1, fault.After, fault.Timeout),
		run: func(t *testing.T, s *scene) {
			u := s.cancelled(t, 2)
			s.Clock.Advance(afterDeadline)
			must(t, s.Census(t.Context()))
			fired := s.Clock.Now()
			if err := s.sweep(fault.As(t.Context(), byScheduler), fired); err == nil {
				t.Error("the pass does not say that nothing was accepted")
			}
			must(t, s.sweep(t.Context(), fired))
			must(t, s.receive())
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			for len(s.pending) > 0 {
				wantSaid(t, s.handOver(t, u), "skipped: already deleted")
			}
			s.wantTrail(t, u, "claim", "delete 2", "finish")
		},
	},
}
