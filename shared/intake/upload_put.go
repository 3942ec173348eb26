package intake

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// partsAtOnce is how many parts of one upload travel at the same time.
const partsAtOnce = 4

// checksum is how the store names what is put.
func (c *content) checksum() string {
	if len(c.parts) == 0 {
		return objects.Checksum(c.sum)
	}
	return objects.Composite(c.parts)
}

// putWhole puts the content under the session's first key: in one put, or in
// parts if it is larger than one. What a process that died has put and recorded
// is not put again.
func (s *Service) putWhole(ctx context.Context, session *Session, c *content) (upload.Object, error) {
	for _, o := range session.Stored() {
		if o.Seq == 1 && o.Size == c.size && o.Checksum == c.checksum() {
			return o, nil
		}
	}
	if len(c.parts) == 0 {
		return session.Put(ctx, Chunk{Seq: 1, Size: c.size, SHA256: c.sum, Type: c.kind.Media}, c.section(0, c.size))
	}
	id, err := session.BeginMultipart(ctx, 1, c.kind.Media)
	if err != nil {
		return upload.Object{}, err
	}
	at := place{session.Record().Bucket, session.Record().ObjectKey(session.Key(1))}
	parts, err := s.putParts(ctx, session, at, id, c)
	if err != nil {
		return upload.Object{}, fmt.Errorf("put upload %s in parts: %w", session.ID().Upload, err)
	}
	stored, err := s.assemble(ctx, session, at, id, parts)
	if err != nil {
		return upload.Object{}, fmt.Errorf("put the parts of upload %s together: %w", session.ID().Upload, err)
	}
	o := upload.Object{
		Key: session.Key(1), VersionID: stored.VersionID, Size: c.size, ETag: stored.ETag, Checksum: c.checksum(),
	}
	return o, session.RecordObject(ctx, o)
}

// putParts puts the parts, some at once. Before each the lease is renewed: who
// works is not taken over from.
func (s *Service) putParts(ctx context.Context, session *Session, at place, id string, c *content) ([]objects.Part, error) {
	parts := make([]objects.Part, len(c.parts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(partsAtOnce)
	for i, p := range c.parts {
		if ctx.Err() != nil {
			break
		}
		if err := s.keepLease(ctx, session); err != nil {
			group.Go(func() error { return err })
			break
		}
		group.Go(func() error {
			short, cancel := context.WithTimeout(ctx, s.policy.ClientTimeout)
			defer cancel()
			var err error
			parts[i], err = s.objects.UploadPart(short, at.bucket, at.key, id, p, c.section(int64(i)*s.uploads.PartBytes, p.Size))
			return err
		})
	}
	return parts, group.Wait()
}

// keepLease sees to it that a step which begins now ends within the lease and
// by the deadline: a step takes the client timeout at most.
func (s *Service) keepLease(ctx context.Context, session *Session) error {
	if err := session.inTime(s.policy.ClientTimeout); err != nil {
		return err
	}
	if session.Record().LeaseUntil.Sub(s.now()) >= s.policy.ClientTimeout {
		return nil
	}
	return session.Renew(ctx, s.uploads.Lease)
}

// assemble makes the parts the object of its key.
func (s *Service) assemble(ctx context.Context, session *Session, at place, id string, parts []objects.Part) (objects.Stored, error) {
	if err := s.keepLease(ctx, session); err != nil {
		return objects.Stored{}, err
	}
	short, cancel := context.WithTimeout(ctx, s.policy.ClientTimeout)
	defer cancel()
	stored, err := s.objects.CompleteMultipart(short, at.bucket, at.key, id, parts)
	if err == nil && !exactVersion(stored.VersionID) {
		err = fmt.Errorf("the bucket keeps no versions: %w", upload.ErrRefused)
	}
	return stored, err
}
