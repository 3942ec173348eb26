package intake_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// signing is a store that looks at the ledger before it signs.
type signing struct {
	theStore
	before func()
}

func (s signing) PresignPut(ctx context.Context, bucket, key string, c objects.Content, life time.Duration) (objects.Presigned, error) {
	s.before()
	return s.theStore.PresignPut(ctx, bucket, key, c, life)
}

func (s signing) PresignPart(ctx context.Context, bucket, key, id string, p objects.Part, life time.Duration) (objects.Presigned, error) {
	s.before()
	return s.theStore.PresignPart(ctx, bucket, key, id, p, life)
}

// A URL that is used before anybody has written what it is for brings an object
// that whoever records it has nothing to judge by.
func TestWhatHasToComeIsInTheLedgerBeforeThereIsAURL(t *testing.T) {
	w := newWorld(t)
	var s *intake.Session
	seq, signed := 0, 0
	s, err := w.serviceOn(w.ledger, signing{w.store, func() {
		signed++
		if o := w.load(s.ID()).Manifest.Object(s.Key(seq)); !o.Expected.Stated || o.Expected.Size == 0 || o.Expected.Checksum == "" {
			t.Errorf("signed while the ledger says %+v", o.Expected)
		}
	}}).Reserve(w.ctx, w.request())
	w.must(err)
	seq = 5 // not declared with the reservation either
	c, _ := chunk(seq)
	_, err = s.Presign(w.ctx, c, time.Minute)
	w.must(err)
	seq = 6
	_, err = s.PresignMultipart(w.ctx, parted(seq, "the end"), time.Minute)
	w.must(err)
	if signed != 3 { // two of them for parts
		t.Errorf("signed %d URLs", signed)
	}
}

// A browser that sends many chunks gets their URLs in one answer. What is stated
// of them is one write; said one by one, each chunk would cost two.
func TestManyChunksAreSignedForInOneWrite(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		var all []intake.Chunk
		for seq := 1; seq <= 300; seq++ { // more than a record's item holds
			c, _ := chunk(seq)
			all = append(all, c)
		}
		before := w.load(s.ID()).Version
		urls, err := s.PresignAll(w.ctx, all, time.Minute)
		w.must(err)
		r := w.load(s.ID())
		if len(urls) != 300 || r.Version != before+1 {
			t.Errorf("%d URLs, %d writes", len(urls), r.Version-before)
		}
		for _, seq := range []int{1, 150, 300} {
			_, body := chunk(seq)
			w.must(w.redeem(urls[seq-1], body))
			_, err := s.Confirm(w.ctx, seq)
			w.must(err)
		}
		_, err = s.PresignAll(w.ctx, nil, time.Minute)
		w.want(intake.ErrInvalid, err)
		_, err = s.PresignAll(w.ctx, make([]intake.Chunk, intake.MaxPresigned+1), time.Minute)
		w.want(intake.ErrInvalid, err)
	})
}

// Were it stated anew, the first URL would bring what the second states, or the
// other way round: the object of one of them would be recorded as the other's.
func TestWhatWasStatedIsNotStatedOtherwise(t *testing.T) {
	w := newWorld(t)
	s := w.reserve()
	c, _ := chunk(1)
	_, err := s.Presign(w.ctx, c, time.Minute)
	w.must(err)
	_, err = s.Presign(w.ctx, c, time.Hour) // the same again, for longer
	w.must(err)
	other, body := chunk(2)
	other.Seq = 1
	_, err = s.Presign(w.ctx, other, time.Minute)
	w.want(upload.ErrRefused, err)
	_, err = s.PresignMultipart(w.ctx, parted(1, "the end"), time.Minute)
	w.want(upload.ErrRefused, err)
	other.SHA256 = sumOf(body)
	_, err = s.Put(w.ctx, other, neverRead{t})
	w.want(upload.ErrMismatch, err)
}

func sumOf(body []byte) []byte {
	sum := sha256.Sum256(body)
	return sum[:]
}

// Without the comparison, whoever holds a URL could have anything published
// under the application's name that the store lets pass: here, a put that is
// not bound to a SHA-256, by somebody who leaves the size out too.
func TestSomethingElseThatCameByAURLIsNotRecorded(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		c, body := chunk(1)
		_, err := s.Confirm(w.ctx, 1)
		w.want(intake.ErrInvalid, err) // nothing was stated
		_, err = s.Presign(w.ctx, c, time.Minute)
		w.must(err)
		_, err = s.Confirm(w.ctx, 1)
		w.want(upload.ErrAbsent, err)
		w.write(s, 1, append(body, '!'))
		_, err = s.Confirm(w.ctx, 1)
		w.want(upload.ErrMismatch, err)
		w.want(upload.ErrRefused, s.Complete(w.ctx, []upload.Key{s.Key(1)}, time.Time{}))
		w.must(s.Cancel(w.ctx, "size differs"))
		w.live(24*time.Hour, time.Hour)
		if n := len(w.standing(s.ID())); n != 0 {
			t.Errorf("%d versions stand", n)
		}
	})
}

// write puts an object under a key of the session as a store does that compares
// nothing and keeps no checksum.
func (w *world) write(s *intake.Session, seq int, body []byte) {
	w.t.Helper()
	_, err := w.store.Put(w.ctx, w.bucket, s.Record().ObjectKey(s.Key(seq)), bytes.NewReader(body), objects.Content{Size: int64(len(body))})
	w.must(err)
}

// The application is told by its client, and looks for itself. Of an object
// without a checksum the bytes are read.
func TestWhatCameByAURLIsConfirmedByALook(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		for seq, come := range map[int]func(objects.Presigned, []byte) error{
			1: w.redeem,
			2: func(_ objects.Presigned, body []byte) error { w.write(s, 2, body); return nil },
		} {
			c, body := chunk(seq)
			url, err := s.Presign(w.ctx, c, time.Minute)
			w.must(err)
			w.must(come(url, body))
			for range 2 { // the second time it is recorded already
				o, err := s.Confirm(w.ctx, seq)
				w.must(err)
				if want := objects.Checksum(c.SHA256); o.Checksum != want || o.Size != c.Size || o.Key != s.Key(seq) {
					t.Errorf("confirmed %+v, sent was %s", o, want)
				}
			}
		}
		w.must(s.Complete(w.ctx, []upload.Key{s.Key(1), s.Key(2)}, time.Time{}))
	})
}

// A recorder may be faster than the writer; then its record is as good.
func TestWhatAStorageEventHasCompletedIsConfirmedToo(t *testing.T) {
	w := newWorld(t)
	r := w.request()
	r.Chunks, r.ByEvents = 1, true
	s, err := w.service().Reserve(w.ctx, r)
	w.must(err)
	c, body := chunk(1)
	url, err := s.Presign(w.ctx, c, time.Minute)
	w.must(err)
	w.must(w.redeem(url, body))
	recorder, err := w.service().Attach(w.ctx, s.ID(), s.Fence())
	w.must(err)
	_, err = recorder.Confirm(w.ctx, 1)
	w.must(err)
	list, whole := w.load(s.ID()).Manifest.Gathered()
	if !whole {
		t.Fatalf("gathered %v", list)
	}
	w.must(recorder.Complete(w.ctx, list, time.Time{}))
	_, err = s.Confirm(w.ctx, 1)
	w.must(err)
	w.must(s.Complete(w.ctx, list, time.Time{}))
}

// Without all chunks declared, the first object's event would complete it.
func TestAnUploadThatEventsCompleteSaysHowManyChunksItHas(t *testing.T) {
	w := newWorld(t)
	r := w.request()
	r.Chunks, r.ByEvents = 0, true
	_, err := w.service().Reserve(w.ctx, r)
	w.want(intake.ErrInvalid, err)
}

// parted is an object of two parts, the first of the least size.
func parted(seq int, end string) intake.PartedChunk {
	c := intake.PartedChunk{Seq: seq, Type: "video/mp4"}
	for i, body := range []string{largePart, end} {
		c.Parts = append(c.Parts, objects.Part{Number: i + 1, Size: int64(len(body)), SHA256: sumOf([]byte(body))})
	}
	return c
}

var largePart = strings.Repeat("0123456789abcdef", objects.MinPartBytes/16)

func TestPartsThatCameByURLsAreCompletedOnceAndRecorded(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s, c := w.reserve(), parted(1, "the end")
		_, err := s.CompleteMultipart(w.ctx, 1)
		w.want(intake.ErrInvalid, err) // none was begun
		urls, err := s.PresignMultipart(w.ctx, c, time.Minute)
		w.must(err)
		again, err := s.PresignMultipart(w.ctx, c, time.Minute)
		w.must(err)
		if n := len(w.load(s.ID()).Manifest.Object(s.Key(1)).Multiparts); n != 1 {
			t.Errorf("%d multipart uploads were begun", n)
		}
		w.must(w.redeem(urls[0], []byte(largePart)))
		_, err = s.CompleteMultipart(w.ctx, 1)
		w.want(upload.ErrMismatch, err) // one part of two
		w.must(w.redeem(again[1], []byte("the end")))
		o, err := s.CompleteMultipart(w.ctx, 1)
		w.must(err)
		if o.Checksum != objects.Composite(c.Parts) || o.Size != int64(len(largePart))+7 {
			t.Errorf("completed: %+v", o)
		}
		repeated, err := s.CompleteMultipart(w.ctx, 1)
		w.must(err)
		if repeated.VersionID != o.VersionID || len(w.standing(s.ID())) != 1 {
			t.Errorf("again: %+v, first: %+v", repeated, o)
		}
		w.must(s.Complete(w.ctx, []upload.Key{o.Key}, time.Time{}))
	})
}

// A completion whose record was lost leaves an object that its upload does not
// know. Without the look, the application would be told that nothing stands.
func TestACompletionWhoseRecordWasLostIsFoundByItsChecksum(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s, c := w.reserve(), parted(1, "the end")
		urls, err := s.PresignMultipart(w.ctx, c, time.Minute)
		w.must(err)
		w.must(w.redeem(urls[0], []byte(largePart)))
		w.must(w.redeem(urls[1], []byte("the end")))
		id := w.load(s.ID()).Manifest.Object(s.Key(1)).Multiparts[0]
		key := s.Record().ObjectKey(s.Key(1))
		var parts []objects.Part
		for p, err := range w.store.ListParts(w.ctx, w.bucket, key, id) {
			w.must(err)
			parts = append(parts, p)
		}
		stored, err := w.store.CompleteMultipart(w.ctx, w.bucket, key, id, parts)
		w.must(err)
		o, err := s.CompleteMultipart(w.ctx, 1)
		w.must(err)
		if o.VersionID != stored.VersionID || w.load(s.ID()).Manifest.Object(o.Key).VersionID != stored.VersionID {
			t.Errorf("found %+v, stands %+v", o, stored)
		}
	})
}

// What nobody completes is aborted with the upload, parts that came included.
func TestAMultipartUploadThatIsLeftOpenIsAborted(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := w.reserve()
		urls, err := s.PresignMultipart(w.ctx, parted(1, "the end"), time.Minute)
		w.must(err)
		w.must(w.redeem(urls[1], []byte("the end")))
		folder := s.Record().Folder()
		w.must(s.Cancel(w.ctx, "the page was closed"))
		w.live(24*time.Hour, time.Hour)
		w.wantState(s.ID(), upload.StateDeleted)
		for m, err := range w.store.Multiparts(w.ctx, w.bucket, folder) {
			w.must(err)
			t.Errorf("multipart upload %s is still there", m.UploadID)
		}
		if err := w.redeem(urls[0], []byte(largePart)); err == nil {
			t.Error("a part was sent to what was aborted")
		}
		_, err = s.CompleteMultipart(w.ctx, 1)
		w.want(intake.ErrDeadline, err)
	})
}

func TestPartsThatNoStoreTakesAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	w := newWorld(t)
	s := w.reserve()
	version := w.load(s.ID()).Version
	change := func(edit func(*intake.PartedChunk)) intake.PartedChunk {
		c := parted(1, "the end")
		edit(&c)
		return c
	}
	for name, c := range map[string]intake.PartedChunk{
		"no parts":                change(func(c *intake.PartedChunk) { c.Parts = nil }),
		"a number left out":       change(func(c *intake.PartedChunk) { c.Parts[1].Number = 3 }),
		"a small part in between": change(func(c *intake.PartedChunk) { c.Parts[0].Size = 1 }),
		"no SHA-256":              change(func(c *intake.PartedChunk) { c.Parts[1].SHA256 = nil }),
		"sequence 0":              change(func(c *intake.PartedChunk) { c.Seq = 0 }),
	} {
		if _, err := s.PresignMultipart(w.ctx, c, time.Minute); err == nil || w.load(s.ID()).Version != version {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := s.PresignMultipart(w.ctx, parted(1, "the end"), w.policy.URLLife+1)
	w.want(intake.ErrInvalid, err)
}

// A part's URL that outlives the deadline could bring a part after the abort.
func TestNoPartIsSignedForThatMayEndAfterTheDeadline(t *testing.T) {
	w := newWorld(t)
	s := w.reserve()
	w.pass(w.policy.UploadDeadline - w.policy.URLLife - w.policy.ClientTimeout + time.Millisecond)
	_, err := s.PresignMultipart(w.ctx, parted(1, "the end"), 0)
	w.want(intake.ErrDeadline, err)
	_, err = s.PresignMultipart(w.ctx, parted(1, "the end"), time.Minute)
	w.must(err)
	w.pass(w.policy.URLLife)
	_, err = s.CompleteMultipart(w.ctx, 1)
	w.want(intake.ErrDeadline, err)
}
