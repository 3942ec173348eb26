package installation_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races of puts by somebody without credentials, and of files that come in
// pieces.
var racesOfURLs = []race{
	{
		// If-None-Match is part of what a URL is signed for. Without it the second
		// put lands on top of the first, and the manifest names what nobody sees.
		name: "a presigned URL is used twice at once: one object, the other is refused, and no version is left of it",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(1), byEvents)
			c, body := chunkOf(1)
			signed, err := s.Presign(t.Context(), c, 0)
			must(t, err)
			var both sync.WaitGroup
			errs := [2]error{}
			for i := range errs {
				both.Go(func() { errs[i] = w.hands.tryRedeem(t, signed, body) })
			}
			both.Wait()
			if (errs[0] == nil) == (errs[1] == nil) {
				t.Errorf("got %v and %v, want one refused", errs[0], errs[1])
			}
			w.wantRecorded(t, "recorded 1, completed 1", w.standing(t, s, 1))
			if err := w.hands.tryRedeem(t, signed, body); err == nil {
				t.Error("it was used once more after the completion")
			}
			w.wantStanding(t, s, 1)
			must(t, w.app.Release(t.Context(), s.ID(), owner, "not needed"))
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantStanding(t, s, 0)
		},
	},
	{
		// A URL ends by its life, and that by the deadline. Without its end in the
		// signature, its holder could put something when the purge is over.
		name: "a presigned URL is used after the deadline: refused, nothing stands, and the upload is timed out",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(1), byEvents)
			c, body := chunkOf(1)
			signed, err := s.Presign(t.Context(), c, time.Second)
			must(t, err)
			if !signed.ExpiresAt.Before(s.Deadline()) {
				t.Errorf("it ends at %v, the deadline is %v", signed.ExpiresAt, s.Deadline())
			}
			w.Clock.Advance(afterDeadline)
			if w.wire { // the emulator's own clock does not move
				time.Sleep(2100 * time.Millisecond)
			}
			if err := w.hands.tryRedeem(t, signed, body); err == nil {
				t.Error("it was good after its end")
			}
			_, err = s.Presign(t.Context(), c, time.Second)
			want(t, intake.ErrDeadline, err)
			w.wantStanding(t, s, 0)
			w.Clock.Advance(25 * time.Hour)
			w.wantPass(t, "repaired 1")
			w.Clock.Advance(time.Hour)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
		},
	},
	{
		// The multipart upload's id is in the manifest before there is a URL of a
		// part. Without it, parts that nobody puts together are paid for, and are
		// shown in no listing of objects.
		name: "a browser sends a part and is closed: the multipart upload is aborted, and takes no part any more",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(1), byEvents)
			urls, c := w.presignParts(t, s, 1)
			w.hands.redeem(t, urls[0], []byte(firstPart))
			w.wantStanding(t, s, 0)
			w.Clock.Advance(32 * time.Hour)
			w.wantPass(t, "repaired 1")
			w.Clock.Advance(time.Hour)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			for m, err := range w.Stores.Objects.Multiparts(t.Context(), w.Bucket, s.Record().Folder()) {
				must(t, err)
				t.Errorf("multipart upload %s is open", m.UploadID)
			}
			key, id := s.Record().ObjectKey(s.Key(1)), s.Record().Manifest.Object(s.Key(1)).Multiparts[0]
			_, err := w.Stores.Objects.CompleteMultipart(t.Context(), w.Bucket, key, id, c.Parts[:1])
			want(t, upload.ErrAbsent, err)
		},
	},
	{
		// What the parts make is compared with what was stated, by whoever comes
		// first. The completion's condition keeps the key at one version.
		name: "a browser sends all parts: the application puts them together, the notice completes the upload, once",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(1), byEvents)
			urls, c := w.presignParts(t, s, 1)
			for i, body := range []string{firstPart, lastPart} {
				w.hands.redeem(t, urls[i], []byte(body))
			}
			o, err := s.CompleteMultipart(t.Context(), 1)
			must(t, err)
			if o.Checksum != objects.Composite(c.Parts) {
				t.Errorf("put together as %s", o.Checksum)
			}
			w.wantRecorded(t, "completed 1", w.standing(t, s, 1))
			r := w.wantState(t, s, upload.StateComplete)
			if got := r.Manifest.Object(s.Key(1)); got.Expected.Checksum != o.Checksum || !got.Expected.Met(got.Size, got.Checksum) {
				t.Errorf("recorded %+v", got)
			}
			w.wantStanding(t, s, 1)
		},
	},
	{
		// What is deleted is versions. Deleted by key, each would leave a marker,
		// and what was below it for as long as the bucket stands.
		name: "an upload has hidden, doubled and unrecorded objects: no version and no marker of it is left",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(4), hold(time.Hour))
			w.put(t, s, 1)
			w.putUnrecorded(t, s, 2, 3)
			key := func(seq int) string { return s.Record().ObjectKey(s.Key(seq)) }
			w.hands.mark(t, key(2))               // somebody has deleted it, by its name
			w.hands.write(t, key(3), "once more") // a client that leaves the condition out
			w.hands.mark(t, key(4))               // and one that deleted what never was
			w.hands.write(t, key(4), "after all") // and is
			w.wantStanding(t, s, 7)
			w.Clock.Advance(30 * time.Hour)
			w.wantPass(t, "marked 1")
			w.Clock.Advance(25 * time.Hour)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: expired")
			w.wantStanding(t, s, 0)
		},
	},
	{
		// What is recorded is not sent again; what was put and not recorded lies
		// under keys of a fence that is over. Without the fence in the key, the
		// dead process's late put would stand among the chunks of the living.
		name: "a client dies after a put and starts again: it sends the rest, and what the dead one left goes",
		run: func(t *testing.T, w *world) {
			content := bytes.Repeat([]byte("0123456789"), 5)
			f := intake.File{Body: bytes.NewReader(content), Size: int64(len(content)), ChunkBytes: 10, AtOnce: 1}
			r := intake.Request{
				Tenant: tenant, Owner: owner, QuotaLimit: quota, Holder: "phone", Lease: 10 * time.Minute,
				Bucket: w.Bucket, Prefix: "in", IdempotencyKey: "film-1",
			}
			dying := w.chunker(t, 3)
			_, err := dying.StoreChunks(t.Context(), r, f, time.Time{})
			want(t, errLink, err)
			again := w.chunker(t, 0)
			done, err := again.StoreChunks(t.Context(), r, f, time.Time{})
			must(t, err)
			if again.puts != 3 { // of five, the first two are recorded
				t.Errorf("%d chunks were sent after the restart", again.puts)
			}
			if stand := w.bucket(t); len(stand) != 6 {
				t.Errorf("%d objects stand", len(stand))
			}
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "trimmed: superseded")
			if stand := w.bucket(t); len(stand) != 5 || len(intake.Chunks(w.load(t, done.ID))) != 5 {
				t.Errorf("%d objects stand", len(stand))
			}
		},
	},
}

const lastPart = "the end"

var firstPart = strings.Repeat("0123456789abcdef", objects.MinPartBytes/16)

// presignParts signs for an object of two parts.
func (w *world) presignParts(t *testing.T, s *intake.Session, seq int) ([]objects.Presigned, intake.PartedChunk) {
	t.Helper()
	c := intake.PartedChunk{Seq: seq, Type: "video/mp4"}
	for i, body := range []string{firstPart, lastPart} {
		sum := sha256.Sum256([]byte(body))
		c.Parts = append(c.Parts, objects.Part{Number: i + 1, Size: int64(len(body)), SHA256: sum[:]})
	}
	urls, err := s.PresignMultipart(t.Context(), c, 0)
	must(t, err)
	return urls, c
}

// chunker is a process that sends files in chunks, and dies after a put.
type chunker struct {
	*intake.Service
	puts, last int
}

type chunkerStore struct {
	intake.Objects
	by *chunker
}

func (o chunkerStore) Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error) {
	o.by.puts++
	stored, err := o.Objects.Put(ctx, bucket, key, body, c)
	if o.by.puts == o.by.last {
		return objects.Stored{}, errors.Join(errLink, err)
	}
	return stored, err
}

// chunker is a new process, which dies after so many puts; 0: it does not.
func (w *world) chunker(t *testing.T, last int) *chunker {
	t.Helper()
	c := &chunker{last: last}
	seen := w.recorder.over(w.Stores)
	service, err := intake.New(intake.Config{
		Records: seen.Ledger, Lookups: seen.Ledger, Objects: chunkerStore{w.Stores.Objects, c},
		Policy: w.Policy, Now: w.Clock.Now, NewID: w.newID,
	})
	must(t, err)
	c.Service = service
	return c
}
