package intake_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Somebody else's bytes, of the same size, stand under the key before the put.
// Without the look at their checksum, they are recorded and published as this
// put's own, whose answer was lost.
func TestAStrangersBytesUnderTheKeyAreNotTakenForOnesOwn(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		c, body := chunk(1)
		w.write(s, 1, bytes.ToUpper(body))
		for range 2 {
			_, err := s.Put(w.ctx, c, bytes.NewReader(body))
			w.want(intake.ErrTaken, err)
		}
		if o := w.load(s.ID()).Manifest.Object(s.Key(1)); o.VersionID != "" {
			t.Errorf("recorded %+v", o)
		}
	})
}

// An upload by events is completed by whoever records the last object. Without
// its statement before the put, the event of one object completes an upload
// while another of its objects travels: with what an earlier attempt had put
// there.
func TestAPutIntoAnUploadByEventsIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	r := w.request()
	r.Chunks, r.ByEvents = 2, true
	before, err := w.service().Reserve(w.ctx, r)
	w.must(err)
	_, err = put(w.ctx, before, 1)
	w.must(err)
	s, err := w.service().Acquire(w.ctx, before.ID(), r.Holder, r.Lease)
	w.must(err)
	_, err = put(w.ctx, s, 2)
	w.must(err)
	body := []byte("another file's first chunk")
	looked := false
	travelling := readerFunc(func(p []byte) (int, error) {
		looked = true
		if list, whole := w.load(s.ID()).Manifest.Gathered(); whole {
			t.Errorf("gathered %v while the first chunk travels", list)
		}
		n := copy(p, body)
		if body = body[n:]; n == 0 {
			return 0, io.EOF
		}
		return n, nil
	})
	_, err = s.Put(w.ctx, intake.Chunk{Seq: 1, Size: int64(len(body)), SHA256: sumOf(body)}, travelling)
	w.must(err)
	list, whole := w.load(s.ID()).Manifest.Gathered()
	if !whole || list[0] != s.Key(1) || !looked {
		t.Errorf("gathered %v, whole: %v", list, whole)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Whoever completes within one call keeps what it was asked to: a hold. Without
// the refusal, an event is faster, and completes for good.
func TestWhatIsCompletedByItsOwnCallIsNotCompletedByEvents(t *testing.T) {
	w := newWorld(t)
	r := w.request()
	r.ByEvents, r.IdempotencyKey = true, "film-17"
	c, body := chunk(1)
	_, err := w.service().Store(w.ctx, r, c, bytes.NewReader(body), w.now().Add(time.Hour))
	w.want(intake.ErrInvalid, err)
	_, err = w.service().StoreChunks(w.ctx, r, intake.File{Body: bytes.NewReader(body), Size: c.Size, ChunkBytes: 10}, w.now().Add(time.Hour))
	w.want(intake.ErrInvalid, err)
	if all := w.written(); len(all) != 0 {
		t.Errorf("written: %v", all)
	}
}

// unsummed is a store that keeps no checksum, as some are, and may end what it
// shows too early.
type unsummed struct {
	theStore
	shows int64
}

func (u unsummed) Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error) {
	f, err := u.theStore.Stat(ctx, bucket, key, versionID)
	f.Checksum = ""
	return f, err
}

func (u unsummed) Open(ctx context.Context, bucket, key, versionID string) (io.ReadCloser, error) {
	body, err := u.theStore.Open(ctx, bucket, key, versionID)
	if err != nil || u.shows == 0 {
		return body, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(body, u.shows), body}, nil
}

// A check that cannot be made has no result. Told as a mismatch, it makes the
// application cancel what is as it should be.
func TestWhatCannotBeComparedIsNoMismatch(t *testing.T) {
	w := newWorld(t)
	reserve := func(o intake.Objects) *intake.Session {
		s, err := w.serviceOn(w.ledger, o).Reserve(w.ctx, w.request())
		w.must(err)
		return s
	}
	wantUnknown := func(err error) {
		t.Helper()
		if err == nil || errors.Is(err, upload.ErrMismatch) || errors.Is(err, upload.ErrRefused) {
			t.Errorf("got %v", err)
		}
	}
	c, body := chunk(1)
	s := reserve(unsummed{w.store, 5})
	url, err := s.Presign(w.ctx, c, time.Minute)
	w.must(err)
	w.must(w.redeem(url, body))
	_, err = s.Confirm(w.ctx, 1)
	wantUnknown(err)

	s = reserve(unsummed{theStore: w.store})
	parts := parted(1, "the end")
	urls, err := s.PresignMultipart(w.ctx, parts, time.Minute)
	w.must(err)
	w.must(w.redeem(urls[0], []byte(largePart)))
	w.must(w.redeem(urls[1], []byte("the end")))
	_, err = w.store.CompleteMultipart(w.ctx, w.bucket, s.Record().ObjectKey(s.Key(1)), s.Record().Manifest.Object(s.Key(1)).Multiparts[0], w.came(s, 1))
	w.must(err)
	for range 2 {
		_, err = s.CompleteMultipart(w.ctx, 1)
		wantUnknown(err)
	}
}

// came are the parts that have come for a chunk.
func (w *world) came(s *intake.Session, seq int) []objects.Part {
	w.t.Helper()
	var all []objects.Part
	k := s.Key(seq)
	for p, err := range w.store.ListParts(w.ctx, w.bucket, s.Record().ObjectKey(k), s.Record().Manifest.Object(k).Multiparts[0]) {
		w.must(err)
		all = append(all, p)
	}
	return all
}

// One URL brings one object. Without the refusal the second of two words about
// one chunk counts, and the URL that was signed for the first brings what
// cancels the upload; or a URL is signed that can bring nothing.
func TestAChunkIsNotPresignedInTwoWays(t *testing.T) {
	w := newWorld(t)
	s := w.reserve()
	one, _ := chunk(1)
	other := one
	other.Size++
	_, err := s.PresignAll(w.ctx, []intake.Chunk{one, other}, time.Minute)
	w.want(upload.ErrRefused, err)
	w.put(s, 1)
	_, err = s.Presign(w.ctx, other, time.Minute)
	w.want(upload.ErrRefused, err)
}

// A key stands for the bytes that came under it. Without the comparison, whoever
// sends others under it is told that they are stored, and may delete them at home.
func TestAKeyOfOtherBytesIsReused(t *testing.T) {
	w := newWorld(t)
	r := w.request()
	r.IdempotencyKey = "film-17"
	one, body := chunk(1)
	two, other := chunk(2) // as many bytes
	first, err := w.service().Store(w.ctx, r, one, bytes.NewReader(body), time.Time{})
	w.must(err)
	again, err := w.service().Store(w.ctx, r, one, bytes.NewReader(body), time.Time{})
	w.must(err)
	if again.ID != first.ID {
		t.Errorf("the same again is %v, first %v", again.ID, first.ID)
	}
	_, err = w.service().Store(w.ctx, r, two, bytes.NewReader(other), time.Time{})
	w.want(upload.ErrKeyReused, err)

	r.IdempotencyKey = "film-18"
	store := func(body []byte) error {
		_, err := w.service().StoreChunks(w.ctx, r, intake.File{Body: bytes.NewReader(body), Size: int64(len(body)), ChunkBytes: 7}, time.Time{})
		return err
	}
	w.must(store(body))
	w.must(store(body))
	w.want(upload.ErrKeyReused, store(other))
	w.want(upload.ErrKeyReused, store(body[:len(body)-1]))
}
