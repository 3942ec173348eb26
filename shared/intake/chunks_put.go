package intake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// chunksAtOnce is how many chunks travel at the same time if nobody says.
const chunksAtOnce = 4

// putMissing puts what of the file is not stored yet, or is stored otherwise,
// and lists the keys of all its chunks.
func (s *Session) putMissing(ctx context.Context, f File, lease time.Duration) ([]upload.Key, error) {
	stored := map[int]upload.Object{}
	for _, o := range s.Stored() {
		stored[o.Seq] = o
	}
	keep := &keeper{session: s, lease: lease, next: s.service.now().Add(lease / renewals)}
	list := make([]upload.Key, f.chunks())
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(f.AtOnce, chunksAtOnce))
	for i := range list {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err() // another chunk says why
			}
			var err error
			list[i], err = s.putChunk(ctx, f, i+1, stored[i+1], keep)
			return err
		})
	}
	return list, group.Wait()
}

// putChunk hashes one chunk and puts it, unless that is what is stored.
func (s *Session) putChunk(ctx context.Context, f File, seq int, stored upload.Object, keep *keeper) (upload.Key, error) {
	body := f.section(seq)
	sum := sha256.New()
	if n, err := io.Copy(sum, keep.reading(ctx, body)); err != nil || n != body.Size() {
		return upload.Key{}, errors.Join(fmt.Errorf("read chunk %d of upload %s: %d of %d bytes", seq, s.id.Upload, n, body.Size()), err)
	}
	c := Chunk{Seq: seq, Size: body.Size(), SHA256: sum.Sum(nil), Type: f.Type}
	if stored.VersionID != "" && stored.Size == c.Size && stored.Checksum == objects.Checksum(c.SHA256) {
		return stored.Key, nil
	}
	o, err := s.Put(ctx, c, keep.reading(ctx, f.section(seq)))
	return o.Key, err
}

// renewals is how many times within its length a lease is renewed, so that one
// that fails is no loss.
const renewals = 3

// keeper renews the lease while bytes move. A transfer that stands still lets
// it run out: then another may take over.
type keeper struct {
	session *Session
	lease   time.Duration

	mu   sync.Mutex
	next time.Time
	lost error
}

// keep renews the lease if it is time. Only its loss is an error: another
// failure is made up for by the next renewal.
func (k *keeper) keep(ctx context.Context) error {
	due, lost := k.due()
	if !due || lost != nil {
		return lost
	}
	err := k.session.Renew(ctx, k.lease)
	if !errors.Is(err, upload.ErrFenceLost) && !errors.Is(err, upload.ErrRefused) {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lost = err
	return err
}

func (k *keeper) due() (due bool, lost error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.session.service.now()
	if now.Before(k.next) {
		return false, k.lost
	}
	k.next = now.Add(k.lease / renewals)
	return true, k.lost
}

// reading keeps the lease while the body is read.
func (k *keeper) reading(ctx context.Context, body io.ReadSeeker) io.ReadSeeker {
	return &keepingReader{ctx, body, k}
}

type keepingReader struct {
	ctx context.Context // of the call that reads
	io.ReadSeeker
	keeper *keeper
}

func (r *keepingReader) Read(p []byte) (int, error) {
	if err := r.keeper.keep(r.ctx); err != nil {
		return 0, err
	}
	return r.ReadSeeker.Read(p)
}
