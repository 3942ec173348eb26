package intake_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestOfTwoReservationsForTheLastPlaceExactlyOneGetsIt(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		service, r := w.service(), w.request()
		r.QuotaLimit = 1
		errs := make([]error, 2)
		var both sync.WaitGroup
		for i := range errs {
			both.Go(func() { _, errs[i] = service.Reserve(w.ctx, r) })
		}
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("got %v and %v, want one reservation", errs[0], errs[1])
		}
		w.want(upload.ErrQuota, errors.Join(errs...))
		w.wantQuota(1)
	})
}

func TestQuotaIsGivenBackOnceByRepairAndNeverAgainByThePurge(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		other := w.reserve()
		w.put(s, 1)
		w.must(other.Complete(w.ctx, w.put(other, 1, 2, 3), time.Time{}))
		w.wantQuota(2)
		w.live(48*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateDeleted)
		w.wantQuota(1)
		// Its owner, or the writer that wakes up, gives it up once more.
		w.must(w.service().Release(w.ctx, s.ID(), owner, "late"))
		w.want(upload.ErrFenceLost, s.Cancel(w.ctx, "late"))
		w.wantQuota(1)
	})
}

func TestTheSameContentTwiceNamesTheLiveUpload(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		service, r := w.service(), w.request()
		r.ContentHash = strings.Repeat("ab", 32)
		first, err := service.Reserve(w.ctx, r)
		w.must(err)
		_, err = service.Reserve(w.ctx, r)
		w.want(upload.ErrDuplicate, err)
		if live, ok := intake.LiveUpload(err); !ok || live != first.ID() {
			t.Fatalf("the error names %v, want %v", live, first.ID())
		}
		w.wantQuota(1)
		// Given up, the content is free.
		w.must(first.Cancel(w.ctx, "changed my mind"))
		_, err = service.Reserve(w.ctx, r)
		w.must(err)
	})
}

func TestOneIdempotencyKeyIsOneUpload(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		service, r := w.service(), w.request()
		r.IdempotencyKey = "order-17"
		first, err := service.Reserve(w.ctx, r)
		w.must(err)

		// The same request comes from the same writer: it goes on at once.
		again, err := service.Reserve(w.ctx, r)
		w.must(err)
		if again.ID() != first.ID() || again.Fence() != first.Fence()+1 {
			t.Fatalf("got %v with fence %d, want %v with the next", again.ID(), again.Fence(), first.ID())
		}
		w.want(upload.ErrFenceLost, first.Heartbeat(w.ctx))

		// From another one: when the lease is over.
		r.Holder = "writer-2"
		_, err = service.Reserve(w.ctx, r)
		w.want(upload.ErrRefused, err)
		w.pass(r.Lease)
		taken, err := service.Reserve(w.ctx, r)
		w.must(err)
		if taken.ID() != first.ID() {
			t.Fatalf("got %v, want %v", taken.ID(), first.ID())
		}

		// Another request under the key is refused, whatever it asks for.
		r.Fingerprint = "another file"
		_, err = service.Reserve(w.ctx, r)
		w.want(upload.ErrKeyReused, err)
		w.wantQuota(1)
	})
}

// Without the look at the key after ErrQuota and ErrDuplicate, a client that
// lost the answer to its reservation would be told that it stands in its own
// way.
func TestARepetitionDoesNotFailOnWhatItsFirstRequestTook(t *testing.T) {
	for name, limit := range map[string]int64{"the last place": 1, "the content": 5} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(_ *testing.T, w *world) {
				service, r := w.service(), w.request()
				r.IdempotencyKey, r.QuotaLimit = "order-17", limit
				r.ContentHash = strings.Repeat("ab", 32)
				_, err := service.Reserve(w.ctx, r)
				w.must(err)
				_, err = service.Reserve(w.ctx, r)
				w.must(err)
				w.wantQuota(1)
			})
		})
	}
}

func TestAnIdempotencyKeyThatIsOverReservesAnew(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		service, r := w.service(), w.request()
		r.IdempotencyKey = "order-17"
		first, err := service.Reserve(w.ctx, r)
		w.must(err)
		w.pass(24 * time.Hour)
		second, err := service.Reserve(w.ctx, r)
		w.must(err)
		if second.ID() == first.ID() {
			t.Fatal("the key of yesterday returned the upload of yesterday")
		}
		// Nor does it when the reservation fails for another reason.
		w.pass(24 * time.Hour)
		r.QuotaLimit = 1
		_, err = service.Reserve(w.ctx, r)
		w.want(upload.ErrQuota, err)
	})
}

func TestARepetitionAfterCompletionNamesTheUploadAndItsState(t *testing.T) {
	w := newWorld(t)
	service, r := w.service(), w.request()
	r.IdempotencyKey = "order-17"
	s, err := service.Reserve(w.ctx, r)
	w.must(err)
	w.must(s.Complete(w.ctx, w.put(s, 1, 2, 3), time.Time{}))
	_, err = service.Reserve(w.ctx, r)
	var refusal *upload.Refusal
	if !errors.As(err, &refusal) || refusal.ID != s.ID() || refusal.State != upload.StateComplete {
		t.Fatalf("got %v, want a refusal that names the complete upload", err)
	}
}

func TestAnotherWriterWaitsForTheLease(t *testing.T) {
	w := newWorld(t)
	s := w.reserve()
	_, err := w.service().Acquire(w.ctx, s.ID(), "writer-2", time.Minute)
	w.want(upload.ErrRefused, err)
	w.must(s.Renew(w.ctx, 15*time.Minute))
	w.pass(10 * time.Minute)
	_, err = w.service().Acquire(w.ctx, s.ID(), "writer-2", time.Minute)
	w.want(upload.ErrRefused, err)
	w.pass(5 * time.Minute)
	_, err = w.service().Acquire(w.ctx, s.ID(), "writer-2", time.Minute)
	w.must(err)
	w.want(upload.ErrFenceLost, s.Heartbeat(w.ctx))
}

func TestAnUploadThatNobodyReservedIsAbsent(t *testing.T) {
	w := newWorld(t)
	service, id := w.service(), upload.ID{Tenant: w.tenant, Upload: "never"}
	_, acquire := service.Acquire(w.ctx, id, "writer-1", time.Minute)
	_, attach := service.Attach(w.ctx, id, 1)
	ref := upload.Reference{Source: "posts", Entity: "1", Generation: 1}
	for _, err := range []error{
		acquire, attach,
		service.Release(w.ctx, id, owner, ""),
		service.ExtendHold(w.ctx, id, w.now().Add(time.Hour)),
		service.AddReference(w.ctx, id, ref, 0),
		service.DropReference(w.ctx, id, ref),
	} {
		w.want(upload.ErrAbsent, err)
		if n := strings.Count(err.Error(), "upload never"); n != 1 {
			t.Errorf("%q names the upload %d times", err, n)
		}
	}
}

func TestAFenceThatWasKeptGoesOnUntilItIsLost(t *testing.T) {
	w := newWorld(t)
	service, s := w.service(), w.reserve()
	kept, err := service.Attach(w.ctx, s.ID(), s.Fence())
	w.must(err)
	w.must(kept.Complete(w.ctx, w.put(kept, 1), time.Time{}))
	// The answer to Complete was lost with its process: another one may ask again.
	again, err := service.Attach(w.ctx, s.ID(), s.Fence())
	w.must(err)
	w.must(again.Complete(w.ctx, []upload.Key{s.Key(1)}, time.Time{}))
	// Without a look at the fence, bytes would travel for nothing.
	c, _ := chunk(2)
	_, err = again.Put(w.ctx, c, neverRead{t})
	w.want(upload.ErrFenceLost, err)
	_, err = service.Attach(w.ctx, s.ID(), s.Fence()+2)
	w.want(upload.ErrFenceLost, err)
}

// Without the read before a refusal or a repetition is believed, a session
// would decide from what it saw last, and another process of the same writer
// has gone on meanwhile.
func TestASessionDoesNotBelieveItsOldRecord(t *testing.T) {
	w := newWorld(t)
	s := w.reserve()
	other, err := w.service().Attach(w.ctx, s.ID(), s.Fence())
	w.must(err)
	w.must(other.Declare(w.ctx, 20))
	w.must(s.RecordObject(w.ctx, upload.Object{Key: s.Key(15), VersionID: "v", Size: 1}))

	w.must(s.BeginAssembly(w.ctx))
	w.must(other.Cancel(w.ctx, ""))
	w.want(upload.ErrRefused, s.BeginAssembly(w.ctx))
}
