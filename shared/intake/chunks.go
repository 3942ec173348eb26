package intake

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// File is a large file that is uploaded in chunks, each an object of its own.
type File struct {
	Body io.ReaderAt
	Size int64
	// ChunkBytes is the size of each chunk but the last; all of them have to fit
	// into upload.MaxDeclared.
	ChunkBytes int64
	// AtOnce is how many chunks travel at the same time; 4 if it is zero.
	AtOnce int
	// Type is the media type that is stored with each chunk; may be empty.
	Type string
}

func (f File) chunks() int { return int((f.Size + f.ChunkBytes - 1) / f.ChunkBytes) }

func (f File) check() error {
	switch {
	case f.Body == nil:
		return errors.New("it has no body")
	case f.Size < 1:
		return fmt.Errorf("size is %d: it must be positive", f.Size)
	case f.ChunkBytes < 1 || f.ChunkBytes > objects.MaxPutBytes:
		return fmt.Errorf("chunk size is %d: it must be between 1 and %d", f.ChunkBytes, int64(objects.MaxPutBytes))
	case f.AtOnce < 0:
		return fmt.Errorf("chunks at once is %d: it must not be negative", f.AtOnce)
	case (f.Size-1)/f.ChunkBytes >= upload.MaxDeclared:
		return fmt.Errorf("chunk size is %d: there would be more than %d chunks", f.ChunkBytes, upload.MaxDeclared)
	}
	return nil
}

// section reads one chunk.
func (f File) section(seq int) *io.SectionReader {
	from := int64(seq-1) * f.ChunkBytes
	return io.NewSectionReader(f.Body, from, min(f.ChunkBytes, f.Size-from))
}

// isAllOf reports whether the chunks of the file are what is stored, in order.
func (f File) isAllOf(ctx context.Context, stored []upload.Object) (bool, error) {
	if len(stored) != f.chunks() {
		return false, nil
	}
	for i, o := range stored {
		if o.Seq != i+1 || o.Size != f.section(o.Seq).Size() {
			return false, nil
		}
	}
	for _, o := range stored {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		sum := sha256.New()
		if n, err := io.Copy(sum, f.section(o.Seq)); err != nil || n != o.Size {
			return false, errors.Join(fmt.Errorf("read chunk %d: %d of %d bytes", o.Seq, n, o.Size), err)
		}
		if o.Checksum != objects.Checksum(sum.Sum(nil)) {
			return false, nil
		}
	}
	return true, nil
}

// StoreChunks uploads a file in chunks and publishes them all, or goes on with
// what an earlier call has begun: the same request under the same idempotency
// key and holder, by the same process or by one that came after it. What is
// recorded and is still what the file holds is not sent again; the rest is put,
// some chunks at once. While bytes are read and sent, the lease is renewed. An
// attempt whose deadline draws near is given up for a new one.
//
// Nothing is cancelled by a failure: call again to go on, or release the
// upload. Until then it is kept as any unfinished upload is. Another holder, as
// a second device is, gets [Busy] until the lease is over, and then takes over:
// whoever was at work before gets ErrFenceLost, and what it still puts lies
// under keys that nobody reads, and goes.
//
// What is complete already is compared with the file, and returned; of another
// file the key is ErrKeyReused.
//
// [Chunks] lists what a complete upload is made of.
func (s *Service) StoreChunks(ctx context.Context, r Request, f File, holdUntil time.Time) (upload.Record, error) {
	err := f.check()
	if err == nil && r.ByEvents {
		err = errByEvents
	}
	if err == nil && r.IdempotencyKey == "" {
		err = errors.New("idempotency key is empty: a restart finds its upload by it")
	}
	if err != nil {
		return upload.Record{}, fmt.Errorf("store chunks: %w: %w", ErrInvalid, err)
	}
	r.Chunks = f.chunks()
	session, err := s.Reserve(ctx, r)
	if err != nil {
		return s.repeated(ctx, err, func(stored []upload.Object) (bool, error) { return f.isAllOf(ctx, stored) })
	}
	for idle := 0; ; {
		known := recorded(session.Record())
		list, err := session.putMissing(ctx, f, r.Lease)
		if err == nil {
			return s.published(ctx, session, list, holdUntil)
		}
		if idle++; recorded(session.Record()) > known {
			idle = 0
		}
		if !errors.Is(err, ErrDeadline) && !errors.Is(err, ErrTaken) || idle > 1 {
			return session.Record(), err
		}
		next, taking := s.acquire(ctx, session.ID(), upload.Acquire{Holder: r.Holder, Lease: r.Lease, Deadline: r.Deadline})
		if taking != nil {
			return session.Record(), errors.Join(err, taking)
		}
		session = next
	}
}

func (s *Service) published(ctx context.Context, session *Session, list []upload.Key, holdUntil time.Time) (upload.Record, error) {
	err := session.Complete(ctx, list, holdUntil)
	return session.Record(), err
}

// recorded counts the objects that are known to be stored, of all attempts.
func recorded(r upload.Record) int {
	n := 0
	for _, o := range r.Manifest.Objects {
		if o.VersionID != "" {
			n++
		}
	}
	return n
}

// Chunks lists what a complete upload is made of, in order.
func Chunks(r upload.Record) []upload.Object {
	var all []upload.Object
	for _, o := range r.Manifest.Objects {
		if r.Manifest.Listed(o.Key) {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b upload.Object) int { return a.Seq - b.Seq })
	return all
}
