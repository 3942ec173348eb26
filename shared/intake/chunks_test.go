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
	"github.com/strandline-dev/strandline/shared/upload"
)

// film is a file of ten chunks, the last of them short.
func film() ([]byte, intake.File) {
	content := bytes.Repeat([]byte("0123456789"), 10)[:95]
	for i := range content {
		content[i] += byte(i / 10) // no two chunks are alike
	}
	return content, intake.File{Body: bytes.NewReader(content), Size: 95, ChunkBytes: 10, AtOnce: 3, Type: "video/mp4"}
}

// onDevice is the request as one device makes it, each time it starts.
func (w *world) onDevice(holder string) intake.Request {
	r := w.request()
	r.Holder, r.IdempotencyKey, r.Fingerprint = holder, "film-1", "film.mp4"
	return r
}

// counting is a store that counts the puts, and may fail them.
type counting struct {
	theStore
	puts atomic.Int64
	fail func(n int64) error // before the n-th put
}

func (s *counting) Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error) {
	n := s.puts.Add(1)
	if s.fail != nil {
		if err := s.fail(n); err != nil {
			return objects.Stored{}, err
		}
	}
	return s.theStore.Put(ctx, bucket, key, body, c)
}

// wantFilm fails unless the chunks are those of the content, in their order.
func (w *world) wantFilm(r upload.Record, content []byte) {
	w.t.Helper()
	var got []byte
	for i, o := range intake.Chunks(r) {
		if o.Seq != i+1 {
			w.t.Fatalf("chunk %d is in place %d", o.Seq, i+1)
		}
		body, err := w.store.Open(w.ctx, w.bucket, r.ObjectKey(o.Key), o.VersionID)
		w.must(err)
		chunk, err := io.ReadAll(body)
		w.must(errors.Join(err, body.Close()))
		got = append(got, chunk...)
	}
	if r.State != upload.StateComplete || !bytes.Equal(got, content) {
		w.t.Fatalf("%s, with %d bytes of %d", r.State, len(got), len(content))
	}
}

// Without the comparison of what is recorded, a client that starts again sends
// everything again, or publishes what it has not sent.
func TestAClientThatStartsAgainSendsOnlyWhatIsNotRecorded(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		content, f := film()
		broken := errors.New("the network is down")
		first := &counting{theStore: w.store, fail: func(n int64) error {
			if n > 4 {
				return broken
			}
			return nil
		}}
		r, err := w.serviceOn(w.ledger, first).StoreChunks(w.ctx, w.onDevice("phone"), f, time.Time{})
		w.want(broken, err)
		if r.State != upload.StateReceiving {
			t.Fatalf("after the failure it is %s", r.State)
		}
		before := len(w.load(r.ID).Manifest.Objects)
		second := &counting{theStore: w.store}
		r, err = w.serviceOn(w.ledger, second).StoreChunks(w.ctx, w.onDevice("phone"), f, time.Time{})
		w.must(err)
		if sent := int(second.puts.Load()); before == 0 || sent != 10-before {
			t.Errorf("%d were recorded, %d sent after the restart", before, sent)
		}
		w.wantFilm(r, content)
		third := &counting{theStore: w.store}
		again, err := w.serviceOn(w.ledger, third).StoreChunks(w.ctx, w.onDevice("phone"), f, time.Time{})
		if err != nil || again.ID != r.ID || third.puts.Load() != 0 {
			t.Errorf("once more: %s, %d puts, %v", again.ID, third.puts.Load(), err)
		}
		w.live(24*time.Hour, time.Hour)
		if n := len(w.standing(r.ID)); n != 10 {
			t.Errorf("%d versions stand", n)
		}
	})
}

// Without the digest of each chunk, a file that was changed between two starts
// would be published half old, half new.
func TestAChunkThatHasChangedIsSentAgain(t *testing.T) {
	w := newWorld(t)
	content, f := film()
	broken := errors.New("the network is down")
	f.AtOnce = 1
	first := &counting{theStore: w.store, fail: func(n int64) error {
		if n > 4 {
			return broken
		}
		return nil
	}}
	_, err := w.serviceOn(w.ledger, first).StoreChunks(w.ctx, w.onDevice("phone"), f, time.Time{})
	w.want(broken, err)
	content[15] = '!' // in the second chunk, which is recorded
	second := &counting{theStore: w.store}
	r, err := w.serviceOn(w.ledger, second).StoreChunks(w.ctx, w.onDevice("phone"), f, time.Time{})
	w.must(err)
	if sent := second.puts.Load(); sent != 7 {
		t.Errorf("%d chunks were sent, six were missing and one has changed", sent)
	}
	w.wantFilm(r, content)
}

// A second device waits for the lease. Without that, two would send one file,
// each under its own keys, and throw each other out at every chunk.
func TestASecondDeviceTakesOverOnlyWhenTheLeaseIsOver(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		content, f := film()
		f.AtOnce = 1
		other := w.service()
		var meanwhile sync.Once
		phone := &counting{theStore: w.store}
		phone.fail = func(n int64) error {
			if n < 5 {
				return nil
			}
			meanwhile.Do(func() {
				var busy *intake.Busy
				if _, err := other.StoreChunks(w.ctx, w.onDevice("laptop"), f, time.Time{}); !errors.As(err, &busy) || !busy.Until.After(w.now()) {
					t.Errorf("while the phone is at work: %v", err)
				}
				w.pass(11 * time.Minute) // the phone was put aside
				r, err := other.StoreChunks(w.ctx, w.onDevice("laptop"), f, time.Time{})
				if err != nil {
					t.Error(err)
				}
				w.wantFilm(r, content)
			})
			return nil
		}
		r, err := w.serviceOn(w.ledger, phone).StoreChunks(w.ctx, w.onDevice("phone"), f, time.Time{})
		w.want(upload.ErrFenceLost, err)
		// What the phone put after that lies where nobody reads, and goes.
		w.live(24*time.Hour, time.Hour)
		w.wantFilm(w.load(r.ID), content)
		if n := len(w.standing(r.ID)); n != 10 {
			t.Errorf("%d versions stand", n)
		}
	})
}

// slowReader is a body each of whose reads takes a while.
type slowReader struct {
	io.ReaderAt
	read func()
}

func (s slowReader) ReadAt(p []byte, off int64) (int, error) {
	s.read()
	return s.ReaderAt.ReadAt(p, off)
}

// Without the renewals, a second device would take over from one that is slow
// and alive.
func TestTheLeaseIsRenewedWhileBytesAreReadAndSent(t *testing.T) {
	w := newWorld(t)
	content, f := film()
	f.AtOnce = 1
	other, inUse := w.service(), 0
	laptop := w.onDevice("laptop")
	laptop.Chunks = 10
	f.Body = slowReader{f.Body, func() {
		w.pass(2 * time.Minute) // a lease is ten
		if _, err := other.Reserve(w.ctx, laptop); errors.Is(err, intake.ErrInProgress) {
			inUse++
		}
	}}
	r, err := w.service().StoreChunks(w.ctx, w.onDevice("phone"), f, time.Time{})
	w.must(err)
	w.wantFilm(r, content)
	if inUse < 20 {
		t.Errorf("found in use %d times", inUse)
	}
}

// A transfer that takes longer than its deadline goes on in a new attempt.
// Without that no upload could take more than six hours.
func TestAnUploadThatOutlivesItsDeadlineGoesOnInANewAttempt(t *testing.T) {
	w := newWorld(t)
	content, f := film()
	f.AtOnce = 2
	hours := &counting{theStore: w.store}
	hours.fail = func(int64) error { w.pass(time.Hour); return nil }
	request := w.onDevice("phone")
	request.Hold = 48 * time.Hour
	r, err := w.serviceOn(w.ledger, hours).StoreChunks(w.ctx, request, f, time.Time{})
	w.must(err)
	w.wantFilm(r, content)
	if r.Fence < 3 {
		t.Errorf("it took one attempt, fence %d", r.Fence)
	}
	w.live(24*time.Hour, time.Hour)
	w.wantFilm(w.load(r.ID), content)
}

// A chunk that can never end in time is told, not tried for ever.
func TestAFileThatCannotEndInTimeIsGivenUpTrying(t *testing.T) {
	w := newWorld(t)
	_, f := film()
	f.AtOnce = 1
	f.Body = slowReader{f.Body, func() { w.pass(w.policy.UploadDeadline) }}
	_, err := w.service().StoreChunks(w.ctx, w.onDevice("phone"), f, time.Time{})
	w.want(intake.ErrDeadline, err)
}

func TestAFileThatCannotBeChunkedIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	w := newWorld(t)
	change := func(edit func(*intake.File)) intake.File {
		_, f := film()
		edit(&f)
		return f
	}
	for name, f := range map[string]intake.File{
		"no body":            change(func(f *intake.File) { f.Body = nil }),
		"nothing in it":      change(func(f *intake.File) { f.Size = 0 }),
		"chunks of nothing":  change(func(f *intake.File) { f.ChunkBytes = 0 }),
		"chunks too large":   change(func(f *intake.File) { f.ChunkBytes = objects.MaxPutBytes + 1 }),
		"too many chunks":    change(func(f *intake.File) { f.Size, f.ChunkBytes = upload.MaxDeclared+1, 1 }),
		"less than no chunk": change(func(f *intake.File) { f.AtOnce = -1 }),
	} {
		if _, err := w.service().StoreChunks(w.ctx, w.onDevice("phone"), f, time.Time{}); !errors.Is(err, intake.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, f := film()
	_, err := w.service().StoreChunks(w.ctx, w.request(), f, time.Time{}) // no idempotency key
	w.want(intake.ErrInvalid, err)
	if len(w.ids) != 0 {
		t.Errorf("%d uploads were reserved", len(w.ids))
	}
}

// A file that is shorter than it was said to be is not published.
func TestAFileThatEndsTooSoonIsNotPublished(t *testing.T) {
	w := newWorld(t)
	_, f := film()
	f.Size++
	r, err := w.service().StoreChunks(w.ctx, w.onDevice("phone"), f, time.Time{})
	if err == nil || r.State != upload.StateReceiving {
		t.Errorf("%s, %v", r.State, err)
	}
}
