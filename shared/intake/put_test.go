package intake_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	objectsmemory "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// scripted is a store whose puts do something else.
type scripted struct {
	theStore
	put func(ctx context.Context, inner func() (objects.Stored, error)) (objects.Stored, error)
}

func (s scripted) Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error) {
	return s.put(ctx, func() (objects.Stored, error) { return s.theStore.Put(ctx, bucket, key, body, c) })
}

// Without the check, a put could land after cleanup has purged its upload.
func TestNothingIsSentThatMayEndAfterTheDeadline(t *testing.T) {
	w := newWorld(t)
	s := w.reserve()
	c, _ := chunk(1)
	w.pass(w.policy.UploadDeadline - w.policy.ClientTimeout)
	w.put(s, 2) // to the millisecond
	w.pass(time.Millisecond)
	_, err := s.Put(w.ctx, c, neverRead{t})
	w.want(intake.ErrDeadline, err)
	_, err = s.BeginMultipart(w.ctx, 9, "")
	w.want(intake.ErrDeadline, err)
	_, err = s.Presign(w.ctx, c, time.Second)
	w.want(intake.ErrDeadline, err)
	// Nor is anything declared: that would pass for activity.
	if r := w.load(s.ID()); r.Objects != 3 {
		t.Fatalf("%d keys are declared, want 3", r.Objects)
	}

	// The record's deadline moves with the next writer; this one's does not.
	w.pass(10 * time.Minute)
	again, err := w.service().Acquire(w.ctx, s.ID(), "writer-1", time.Minute)
	w.must(err)
	_, err = s.Put(w.ctx, c, neverRead{t})
	w.want(upload.ErrRefused, err)
	w.put(again, 1)
}

// slow is a ledger whose writes take their time.
type slow struct {
	theLedger
	w     *world
	takes time.Duration
}

func (l slow) Commit(ctx context.Context, c upload.Change) error {
	l.w.pass(l.takes)
	return l.theLedger.Commit(ctx, c)
}

// Without the second look at the clock, a put would start late because its
// declaration took long.
func TestAPutWhoseDeclarationTookTooLongIsNotSent(t *testing.T) {
	w := newWorld(t)
	service := w.serviceOn(slow{w.ledger, w, time.Minute}, w.store)
	s, err := service.Reserve(w.ctx, w.request())
	w.must(err)
	w.pass(w.policy.UploadDeadline - w.policy.ClientTimeout - 90*time.Second)
	c, _ := chunk(9)
	_, err = s.Put(w.ctx, c, neverRead{t})
	w.want(intake.ErrDeadline, err)
}

// A put that begins in the last moment of its URL may go on after it. Without
// the client timeout in the sum it could end after the deadline.
func TestAURLAndThePutThatItAllowsEndByTheDeadline(t *testing.T) {
	w := newWorld(t)
	s := w.reserve()
	c, _ := chunk(1)
	w.pass(w.policy.UploadDeadline - w.policy.ClientTimeout - 30*time.Minute)
	_, err := s.Presign(w.ctx, c, 30*time.Minute)
	w.must(err)
	_, err = s.Presign(w.ctx, c, 30*time.Minute+time.Millisecond)
	w.want(intake.ErrDeadline, err)
	_, err = s.Presign(w.ctx, c, 0) // the policy's hour
	w.want(intake.ErrDeadline, err)
	_, err = s.Presign(w.ctx, c, w.policy.URLLife+1)
	w.want(intake.ErrInvalid, err)
}

// Without the declaration before the put, an object whose writer died would be
// under a key that no record knows.
func TestAKeyIsDeclaredBeforeItsPut(t *testing.T) {
	w := newWorld(t)
	var seen int64
	store := scripted{w.store, func(_ context.Context, inner func() (objects.Stored, error)) (objects.Stored, error) {
		seen = w.load(w.ids[0]).Objects
		return inner()
	}}
	s, err := w.serviceOn(w.ledger, store).Reserve(w.ctx, w.request())
	w.must(err)
	w.put(s, 8)
	if seen != 8 {
		t.Fatalf("%d keys were declared when chunk 8 was put", seen)
	}
}

func TestAPutHasTheClientTimeout(t *testing.T) {
	w := newWorld(t)
	store := scripted{w.store, func(ctx context.Context, inner func() (objects.Stored, error)) (objects.Stored, error) {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("the put may take for ever")
		}
		return inner()
	}}
	s, err := w.serviceOn(w.ledger, store).Reserve(w.ctx, w.request())
	w.must(err)
	w.put(s, 1)
}

// The client's own retry meets the object that its first attempt stored: 412.
// Without the look at the key the chunk would be lost to its writer.
func TestAPutWhoseAnswerWasLostIsFoundUnderItsKey(t *testing.T) {
	for _, answer := range []error{upload.ErrRefused, upload.ErrUnclear, context.DeadlineExceeded} {
		t.Run(answer.Error(), func(t *testing.T) {
			w := newWorld(t)
			var stored objects.Stored
			store := scripted{w.store, func(_ context.Context, inner func() (objects.Stored, error)) (got objects.Stored, err error) {
				if stored, err = inner(); err != nil {
					return stored, err
				}
				return objects.Stored{}, answer
			}}
			s, err := w.serviceOn(w.ledger, store).Reserve(w.ctx, w.request())
			w.must(err)
			o, err := put(w.ctx, s, 1)
			w.must(err)
			if o.VersionID != stored.VersionID || w.load(s.ID()).Manifest.Object(o.Key).VersionID != stored.VersionID {
				t.Fatalf("recorded %q, stored was %q", o.VersionID, stored.VersionID)
			}
		})
	}
}

func TestAPutThatDidNothingCanBeMadeAgain(t *testing.T) {
	for _, answer := range []error{upload.ErrUnclear, upload.ErrThrottled, errBroken} {
		w := newWorld(t)
		broken := true
		store := scripted{w.store, func(_ context.Context, inner func() (objects.Stored, error)) (objects.Stored, error) {
			if broken {
				return objects.Stored{}, answer
			}
			return inner()
		}}
		s, err := w.serviceOn(w.ledger, store).Reserve(w.ctx, w.request())
		w.must(err)
		_, err = put(w.ctx, s, 1)
		w.want(answer, err)
		broken = false
		w.must(s.Complete(w.ctx, w.put(s, 1), time.Time{}))
	}
}

// Without the comparison, other bytes of the same size would be published as
// this chunk.
func TestOtherBytesUnderTheKeyAreNotTakenForThisChunk(t *testing.T) {
	everywhere(t, func(_ *testing.T, w *world) {
		s := w.reserve()
		w.put(s, 1)
		_, body := chunk(2) // as many bytes as chunk 1
		other, _ := chunk(2)
		other.Seq = 1
		_, err := s.Put(w.ctx, other, bytes.NewReader(body))
		w.want(intake.ErrTaken, err)

		// Who shares the fence with others cannot know whose the object is.
		shared, err := w.service().Attach(w.ctx, s.ID(), s.Fence())
		w.must(err)
		_, err = put(w.ctx, shared, 1)
		w.want(intake.ErrTaken, err)

		// The way out is an attempt of one's own.
		again, err := w.service().Acquire(w.ctx, s.ID(), "writer-1", time.Minute)
		w.must(err)
		_, err = again.Put(w.ctx, other, bytes.NewReader(body))
		w.must(err)
	})
}

func TestAChunkPutTwiceIsStoredOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		first, second := w.put(s, 1), w.put(s, 1)
		if first[0] != second[0] || len(w.standing(s.ID())) != 1 {
			t.Fatalf("%v and %v, %d stand", first, second, len(w.standing(s.ID())))
		}
	})
}

func TestAnObjectWhoseRecordFailedIsRecordedLater(t *testing.T) {
	w := newWorld(t)
	l := &lossy{theLedger: w.ledger}
	s, err := w.serviceOn(l, w.store).Reserve(w.ctx, w.request())
	w.must(err)
	l.arm(1, false, upload.ErrThrottled)
	o, err := put(w.ctx, s, 1)
	w.want(upload.ErrThrottled, err)
	w.must(s.RecordObject(w.ctx, o))
	w.must(s.Complete(w.ctx, []upload.Key{o.Key}, time.Time{}))
}

// Chunks that are put at once meet at the ledger. Without the second decision
// on a record that moved, all but one of them would fail.
func TestSixteenChunksAtOnceAreAllRecorded(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		r := w.request()
		r.Chunks = 0 // so that they meet twice: declare, record
		one, err := w.service().Reserve(w.ctx, r)
		w.must(err)
		t.Run("of one session", func(t *testing.T) {
			putAtOnce(t, w, 1, func() *intake.Session { return one })
		})
		t.Run("of sixteen sessions of one writer", func(t *testing.T) {
			together := &meeting{theLedger: w.ledger}
			together.missing.Add(16)
			service := w.serviceOn(together, w.store)
			putAtOnce(t, w, 17, func() *intake.Session {
				s, err := service.Attach(w.ctx, one.ID(), one.Fence())
				w.must(err)
				return s
			})
		})
		var list []upload.Key
		w.must(one.Heartbeat(w.ctx))
		for _, o := range one.Stored() {
			list = append(list, o.Key)
		}
		w.must(one.Complete(w.ctx, list, time.Time{}))
		if len(list) != 32 {
			t.Fatalf("%d chunks are published, want 32", len(list))
		}
	})
}

func putAtOnce(t *testing.T, w *world, first int, session func() *intake.Session) {
	t.Helper()
	errs := make([]error, 16)
	var all sync.WaitGroup
	for i := range errs {
		s := session()
		all.Go(func() { _, errs[i] = put(w.ctx, s, first+i) })
	}
	all.Wait()
	w.must(errors.Join(errs...))
}

// meeting is a ledger whose first sixteen commits wait for each other: all of
// them are decided from one record, and only one can be written.
type meeting struct {
	theLedger
	begun   atomic.Int64
	missing sync.WaitGroup
}

func (m *meeting) Commit(ctx context.Context, c upload.Change) error {
	if m.begun.Add(1) <= 16 {
		m.missing.Done()
		m.missing.Wait()
	}
	return m.theLedger.Commit(ctx, c)
}

// Sixteen writers that meet may each lose to all the others, twice.
func TestAWriterThatAlwaysComesSecondGetsThrough(t *testing.T) {
	w := newWorld(t)
	l := &overtaken{theLedger: w.ledger, w: w, left: 32}
	one := w.reserve()
	s, err := w.serviceOn(l, w.store).Attach(w.ctx, one.ID(), one.Fence())
	w.must(err)
	w.put(s, 1)
	if l.left > 0 {
		t.Fatalf("it was overtaken %d times less than it should", l.left)
	}
}

// overtaken is a ledger on which somebody else is always faster, a number of
// times.
type overtaken struct {
	theLedger
	w    *world
	left int
}

func (o *overtaken) Commit(ctx context.Context, c upload.Change) error {
	if o.left > 0 {
		o.left--
		o.w.apply(c.After.ID, upload.Heartbeat{Fence: c.Before.Fence})
	}
	return o.theLedger.Commit(ctx, c)
}

// A ledger on which the record always moves ends the call, not the process.
func TestARecordThatNeverStandsStillEndsTheCall(t *testing.T) {
	w := newWorld(t)
	s, err := w.serviceOn(moving{w.ledger}, w.store).Reserve(w.ctx, w.request())
	if s != nil {
		t.Fatal("a session without a record")
	}
	w.want(upload.ErrChanged, err)
}

type moving struct{ theLedger }

func (moving) Commit(context.Context, upload.Change) error { return upload.ErrChanged }

func TestAMultipartUploadIsKnownToCleanup(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		id, err := s.BeginMultipart(w.ctx, 5, "")
		w.must(err)
		r := w.load(s.ID())
		if o := r.Manifest.Object(s.Key(5)); len(o.Multiparts) != 1 || o.Multiparts[0] != id {
			t.Fatalf("recorded %v, begun was %s", o.Multiparts, id)
		}
		w.must(s.Cancel(w.ctx, ""))
		w.live(24*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateDeleted)
		for m, err := range w.store.Multiparts(w.ctx, w.bucket, r.Folder()) {
			w.must(err)
			t.Errorf("multipart upload %s is still there", m.UploadID)
		}
	})
}

func TestAPresignedPutIsRecordedWhenItHasCome(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		c, body := chunk(1)
		url, err := s.Presign(w.ctx, c, time.Minute)
		w.must(err)
		if url.Header.Get("If-None-Match") != "*" {
			t.Fatal("the URL may be used twice")
		}
		w.must(w.redeem(url, body))
		if err := w.redeem(url, body); err == nil {
			t.Fatal("the URL was used twice")
		}
		v := w.standing(s.ID())[0]
		o := upload.Object{Key: s.Key(1), VersionID: v.VersionID, Size: v.Size, ETag: v.ETag}
		w.want(upload.ErrMismatch, s.RecordObject(w.ctx, o)) // the URL was signed for a SHA-256
		o.Checksum = objects.Checksum(c.SHA256)
		w.must(s.RecordObject(w.ctx, o))
		w.must(s.Complete(w.ctx, []upload.Key{s.Key(1)}, time.Time{}))
	})
}

// Without the refusal, a version called "null" would be recorded: one that its
// id does not identify, and that cleanup keeps.
func TestABucketWithoutVersionsIsRefused(t *testing.T) {
	w := newWorld(t)
	store := objectsmemory.New(w.now)
	store.CreateBucket(w.bucket, objectsmemory.BucketOptions{Versioning: objectsmemory.Suspended})
	s, err := w.serviceOn(w.ledger, store).Reserve(w.ctx, w.request())
	w.must(err)
	_, err = put(w.ctx, s, 1)
	w.want(upload.ErrRefused, err)
	if n := len(w.load(s.ID()).Manifest.Objects); n != 0 {
		t.Fatalf("%d objects are recorded", n)
	}
}

func TestACallThatNobodyWaitsForEnds(t *testing.T) {
	w := newWorld(t)
	s := w.reserve()
	gone, cancel := context.WithCancel(w.ctx)
	cancel()
	w.want(context.Canceled, s.Heartbeat(gone))
	_, err := put(gone, s, 1)
	w.want(context.Canceled, err)
	w.must(s.Heartbeat(w.ctx))
}
