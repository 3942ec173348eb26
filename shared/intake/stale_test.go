package intake_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestReservePutComplete(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.complete(0)
		r := w.load(s.ID())
		if r.State != upload.StateComplete || r.Objects != 3 || r.Bytes == 0 || !r.DueAt.IsZero() {
			t.Fatalf("got %s with %d objects, %d bytes, due %v", r.State, r.Objects, r.Bytes, r.DueAt)
		}
		w.live(30*24*time.Hour, 24*time.Hour)
		w.wantState(s.ID(), upload.StateComplete)
		w.wantQuota(1)
	})
}

// Without the fence, the sleeping writer would publish objects that a worker
// is deleting.
func TestAWriterThatPublishesAfterTheClaimHasLostItsFence(t *testing.T) {
	everywhere(t, func(_ *testing.T, w *world) {
		service, r := w.service(), w.request()
		r.Hold = time.Hour
		s, err := service.Reserve(w.ctx, r)
		w.must(err)
		keys := w.put(s, 1, 2, 3)
		for w.load(s.ID()).State != upload.StateExpired {
			w.live(time.Hour, time.Hour)
		}
		w.pass(25 * time.Hour)
		expired := w.load(s.ID())
		w.apply(s.ID(), upload.Claim{Version: expired.Version, Cutoff: w.cutoff(), Worker: "worker-1", Token: "t-0"})

		w.want(upload.ErrFenceLost, s.Complete(w.ctx, keys, time.Time{}))
		w.want(upload.ErrFenceLost, s.Heartbeat(w.ctx))
		_, err = service.Acquire(w.ctx, s.ID(), "writer-1", time.Minute)
		w.want(upload.ErrRefused, err)
		w.want(upload.ErrRefused, service.ExtendHold(w.ctx, s.ID(), w.now().Add(time.Hour)))
		w.live(time.Hour, 20*time.Minute)
		w.wantState(s.ID(), upload.StateDeleted)
	})
}

func TestALatePutOfAStaleWriterLandsWhereNobodyReadsAndIsPurged(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		stale := w.reserve()
		w.pass(10 * time.Minute)
		s, err := w.service().Acquire(w.ctx, stale.ID(), "writer-2", time.Minute)
		w.must(err)
		keys := w.put(s, 1, 2, 3)
		w.must(s.Complete(w.ctx, keys, time.Time{}))

		// The put itself knows nothing of fences; its record does.
		o, err := put(w.ctx, stale, 1)
		w.want(upload.ErrFenceLost, err)
		if o.Key != stale.Key(1) {
			t.Fatalf("it was put under %v", o.Key)
		}
		if n := len(w.standing(s.ID())); n != 4 {
			t.Fatalf("%d objects stand, want 3 and the late one", n)
		}
		w.live(24*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateComplete)
		if n := len(w.standing(s.ID())); n != 3 {
			t.Fatalf("%d objects stand, want the 3 that are published", n)
		}
	})
}

// Without the fence in the record of an object, a stale writer's activity would
// take the mark from an upload that its owner let expire.
func TestAStaleRecordLeavesTheMarkOfACompletedUploadAlone(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		stale := w.reserve()
		late := w.put(stale, 3)
		s, err := w.service().Acquire(w.ctx, stale.ID(), "writer-1", time.Minute)
		w.must(err)
		w.must(s.Complete(w.ctx, w.put(s, 1, 2), w.now().Add(time.Hour)))
		w.live(26*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateExpired)

		o := w.load(s.ID()).Manifest.Object(late[0])
		w.want(upload.ErrRefused, stale.RecordObject(w.ctx, o))
		w.wantState(s.ID(), upload.StateExpired)
		w.live(48*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateDeleted)
	})
}

func TestWhatAWriterPutBeforeItDiedUnrecordedIsPurged(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		w.put(s, 1)
		// Chunk 2 was declared and put; its writer died before the record.
		c, body := chunk(2)
		_, err := w.store.Put(w.ctx, w.bucket, w.load(s.ID()).ObjectKey(s.Key(2)), bytes.NewReader(body), objects.Content{Size: c.Size, SHA256: c.SHA256})
		w.must(err)
		if n := len(w.standing(s.ID())); n != 2 {
			t.Fatalf("%d objects stand, want 2", n)
		}
		w.live(48*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateDeleted)
	})
}

func TestAPresignedPutAfterTheCancelIsPurged(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		c, body := chunk(1)
		url, err := s.Presign(w.ctx, c, time.Hour)
		w.must(err)
		w.must(s.Cancel(w.ctx, "changed my mind"))
		w.live(50*time.Minute, 10*time.Minute)
		w.must(w.redeem(url, body))
		if n := len(w.standing(s.ID())); n != 1 {
			t.Fatalf("%d objects stand, want 1", n)
		}
		w.live(12*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateDeleted)
	})
}

func TestLeftoversOfAnEarlierAttemptGoAfterTheCompletion(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		first := w.reserve()
		w.put(first, 1, 2)
		s, err := w.service().Acquire(w.ctx, first.ID(), "writer-1", time.Minute)
		w.must(err)
		if stored := s.Stored(); len(stored) != 2 || stored[1].Key != first.Key(2) {
			t.Fatalf("the second attempt sees %v as stored", stored)
		}
		// It keeps chunk 1, and sends chunk 2 once more.
		keys := append(w.put(s, 2, 3), first.Key(1))
		if stored := s.Stored(); len(stored) != 3 || stored[1].Key != s.Key(2) {
			t.Fatalf("the newest put of chunk 2 is %v", stored[1].Key)
		}
		w.must(s.Complete(w.ctx, keys, time.Time{}))
		w.live(24*time.Hour, time.Hour)
		r := w.load(s.ID())
		if r.State != upload.StateComplete || !r.Trimmed || r.Objects != 3 || len(w.standing(s.ID())) != 3 {
			t.Fatalf("%s, trimmed %v, %d objects, %d stand", r.State, r.Trimmed, r.Objects, len(w.standing(s.ID())))
		}
	})
}

// Without the new deadline of each acquisition, cleanup would come for an
// upload whose writer is slow and alive.
func TestASlowUploadThatAcquiresAgainIsNeverCondemned(t *testing.T) {
	w := newWorld(t)
	w.policy.UploadDeadline, w.policy.URLLife, w.policy.ActivityGrace = 2*time.Hour, time.Hour, time.Hour
	service, r := w.service(), w.request()
	r.Chunks = 0
	s, err := service.Reserve(w.ctx, r)
	w.must(err)
	keys := map[int]upload.Key{}
	for seq := 1; seq <= 100; seq++ { // 1,000 minutes, eight deadlines
		o, err := put(w.ctx, s, seq)
		if err != nil {
			s, err = service.Acquire(w.ctx, s.ID(), "writer-1", 10*time.Minute)
			w.must(err)
			o, err = put(w.ctx, s, seq)
			w.must(err)
		}
		keys[seq] = o.Key
		w.live(10*time.Minute, 5*time.Minute)
		w.wantState(s.ID(), upload.StateReceiving)
	}
	if s.Fence() < 8 {
		t.Fatalf("the upload outlived its deadline with fence %d", s.Fence())
	}
	var list []upload.Key
	for _, o := range s.Stored() {
		list = append(list, o.Key)
	}
	w.must(s.Complete(w.ctx, list, time.Time{}))
	if r := w.load(s.ID()); r.Objects < 100 || len(list) != 100 {
		t.Fatalf("%d objects, %d listed", r.Objects, len(list))
	}
}
