package intake

import (
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Confirm records what has come by a presigned put, if it is what was stated of
// it: ErrAbsent as long as nothing has come, ErrMismatch if something else has.
// It is what a recorder does with the storage event, for an application that
// is told by its client that the put is done.
func (s *Session) Confirm(ctx context.Context, seq int) (upload.Object, error) {
	if err := (Chunk{Seq: seq}).check(); err != nil {
		return upload.Object{}, fmt.Errorf("confirm: %w: %w", ErrInvalid, err)
	}
	expected := s.expected(seq)
	if !expected.Stated {
		return upload.Object{}, fmt.Errorf("confirm: %w: nothing was stated of it: it was not presigned in this attempt", ErrInvalid)
	}
	o, err := s.look(ctx, s.place(seq), s.Key(seq), expected)
	if err != nil {
		return upload.Object{}, fmt.Errorf("confirm chunk %d of upload %s: %w", seq, s.id.Upload, err)
	}
	return o, s.RecordObject(ctx, o)
}

// look shows the only version of a key, which has to be what was stated of it.
// ErrAbsent if there is none, ErrTaken if there are more: then it is not known
// which of them is meant.
func (s *Session) look(ctx context.Context, p place, k upload.Key, e upload.Expected) (upload.Object, error) {
	var standing []objects.Version
	for v, err := range objects.VersionsOf(ctx, s.service.objects, p.bucket, p.key) {
		if err != nil {
			return upload.Object{}, err
		}
		standing = append(standing, v)
	}
	switch {
	case len(standing) == 0:
		return upload.Object{}, fmt.Errorf("nothing stands under its key: %w", upload.ErrAbsent)
	case len(standing) > 1 || standing[0].Marker || !exactVersion(standing[0].VersionID):
		return upload.Object{}, ErrTaken
	}
	id := standing[0].VersionID
	facts, err := s.service.objects.Stat(ctx, p.bucket, p.key, id)
	if err == nil && facts.Size == e.Size {
		facts.Checksum, err = objects.ChecksumAs(ctx, s.service.objects, p.bucket, p.key, id, facts, e.Checksum)
	}
	o := upload.Object{Key: k, VersionID: id, Size: facts.Size, ETag: facts.ETag, Checksum: facts.Checksum}
	if err == nil && !e.Met(o.Size, o.Checksum) {
		err = upload.ErrMismatch
	}
	return o, err
}
