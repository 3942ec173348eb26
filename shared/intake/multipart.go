package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// BeginMultipart declares the chunk's key if that was not done, begins a
// multipart upload on it and records its id, so that cleanup can abort it. The
// application sends the parts, each with its SHA-256, and completes it with
// [Session.CompleteMultipart] by the session's deadline. The id comes back with
// an error if only recording it failed. One whose id was lost has no parts, and
// costs nothing.
func (s *Session) BeginMultipart(ctx context.Context, seq int, mediaType string) (string, error) {
	c := Chunk{Seq: seq}
	if err := c.check(); err != nil {
		return "", fmt.Errorf("begin multipart: %w: %w", ErrInvalid, err)
	}
	place, err := s.prepare(ctx, seq, s.service.policy.ClientTimeout)
	if err != nil {
		return "", s.putting(c, err)
	}
	id, err := s.service.objects.BeginMultipart(ctx, place.bucket, place.key, mediaType)
	if err != nil {
		return "", s.putting(c, err)
	}
	return id, s.apply(ctx, upload.Declare{
		Fence: s.fence, Declared: seq, Multiparts: []upload.Multipart{{Key: s.Key(seq), UploadID: id}},
	})
}

// PartedChunk is one object of an upload that comes in parts: of each its size
// and its SHA-256, numbered from 1. All but the last have at least
// [objects.MinPartBytes].
type PartedChunk struct {
	Seq   int
	Type  string
	Parts []objects.Part
}

func (c PartedChunk) check() error {
	if err := (Chunk{Seq: c.Seq}).check(); err != nil {
		return err
	}
	if len(c.Parts) < 1 || len(c.Parts) > objects.MaxParts {
		return fmt.Errorf("it has %d parts: there must be 1 to %d", len(c.Parts), objects.MaxParts)
	}
	for i, p := range c.Parts {
		switch {
		case p.Number != i+1:
			return fmt.Errorf("part %d is numbered %d: they are numbered from 1, in order", i+1, p.Number)
		case p.Size < 0 || p.Size > objects.MaxPartBytes || p.Size < objects.MinPartBytes && i < len(c.Parts)-1:
			return fmt.Errorf("part %d has %d bytes: all but the last have %d to %d", i+1, p.Size, objects.MinPartBytes, int64(objects.MaxPartBytes))
		case len(p.SHA256) != 32:
			return fmt.Errorf("the SHA-256 of part %d has %d bytes: expected 32", i+1, len(p.SHA256))
		}
	}
	return nil
}

// expected is what has to come of it.
func (c PartedChunk) expected() upload.Expected {
	e := upload.Expected{Stated: true, Checksum: objects.Composite(c.Parts)}
	for _, p := range c.Parts {
		e.Size += p.Size
	}
	return e
}

// PresignMultipart does for an object in parts what [Session.Presign] does for
// one in a piece: it states what has to come, begins a multipart upload whose id
// cleanup knows, and signs one put for each part, bound to its size and SHA-256.
// The same call again signs for the same multipart upload. When the parts have
// come, [Session.CompleteMultipart]: an abandoned one is aborted by cleanup.
func (s *Session) PresignMultipart(ctx context.Context, c PartedChunk, life time.Duration) ([]objects.Presigned, error) {
	life, err := s.life(life)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, fmt.Errorf("presign multipart: %w: %w", ErrInvalid, err)
	}
	about := Chunk{Seq: c.Seq}
	takes := life + s.service.policy.ClientTimeout
	if err := s.state(ctx, takes, []upload.ExpectedObject{{Seq: c.Seq, Expected: c.expected()}}); err != nil {
		return nil, s.putting(about, err)
	}
	id := s.begun(c.Seq)
	if id == "" {
		if id, err = s.BeginMultipart(ctx, c.Seq, c.Type); err != nil {
			return nil, err
		}
	}
	all := make([]objects.Presigned, len(c.Parts))
	for i, p := range c.Parts { // thousands take a moment
		place, err := s.prepare(ctx, c.Seq, takes)
		if err == nil {
			all[i], err = s.service.objects.PresignPart(ctx, place.bucket, place.key, id, p, life)
		}
		if err != nil {
			return nil, s.putting(about, err)
		}
	}
	return all, nil
}

// begun is the multipart upload that was begun last on a key of this attempt.
func (s *Session) begun(seq int) string {
	all := s.Record().Manifest.Object(s.Key(seq)).Multiparts
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// CompleteMultipart makes the parts that have come the chunk's object, under a
// key that has none, and records it. If what has to come was stated, what has
// come is compared with it first: ErrMismatch if a part is missing or another.
// The same call again is a success.
func (s *Session) CompleteMultipart(ctx context.Context, seq int) (upload.Object, error) {
	about := Chunk{Seq: seq}
	if err := about.check(); err != nil {
		return upload.Object{}, fmt.Errorf("complete multipart: %w: %w", ErrInvalid, err)
	}
	o, err := s.assembled(ctx, seq)
	if err != nil {
		return upload.Object{}, s.putting(about, err)
	}
	return o, s.RecordObject(ctx, o)
}

func (s *Session) assembled(ctx context.Context, seq int) (upload.Object, error) {
	place, err := s.prepare(ctx, seq, s.service.policy.ClientTimeout)
	if err != nil {
		return upload.Object{}, err
	}
	id := s.begun(seq)
	if id == "" {
		return upload.Object{}, fmt.Errorf("%w: no multipart upload was begun on it", ErrInvalid)
	}
	ctx, cancel := context.WithTimeout(ctx, s.service.policy.ClientTimeout) // all of it: the listing takes a while too
	defer cancel()
	parts, size, err := s.came(ctx, place, id)
	switch expected := s.expected(seq); {
	case errors.Is(err, upload.ErrAbsent):
		return s.assembledBefore(ctx, place, s.Key(seq), expected)
	case err != nil:
		return upload.Object{}, err
	case !expected.Met(size, objects.Composite(parts)):
		return upload.Object{}, upload.ErrMismatch
	}
	stored, err := s.service.objects.CompleteMultipart(ctx, place.bucket, place.key, id, parts)
	switch {
	case err != nil:
		return upload.Object{}, err
	case !exactVersion(stored.VersionID):
		return upload.Object{}, fmt.Errorf("the bucket keeps no versions: %w", upload.ErrRefused)
	}
	return upload.Object{
		Key: s.Key(seq), VersionID: stored.VersionID, Size: size, ETag: stored.ETag, Checksum: objects.Composite(parts),
	}, nil
}

// came are the parts that have come, and their size together.
func (s *Session) came(ctx context.Context, p place, id string) (parts []objects.Part, size int64, err error) {
	for part, err := range s.service.objects.ListParts(ctx, p.bucket, p.key, id) {
		if err != nil {
			return nil, 0, err
		}
		if len(part.SHA256) != 32 {
			return nil, 0, fmt.Errorf("part %d came without its SHA-256: %w", part.Number, upload.ErrMismatch)
		}
		parts, size = append(parts, part), size+part.Size
	}
	return parts, size, nil
}

// assembledBefore looks for what an earlier completion has made whose answer, or
// whose record, was lost.
func (s *Session) assembledBefore(ctx context.Context, p place, k upload.Key, e upload.Expected) (upload.Object, error) {
	if o := s.Record().Manifest.Object(k); o.VersionID != "" {
		return o, nil
	}
	o, err := s.look(ctx, p, k, e)
	if err == nil && !e.Stated { // whose it is cannot be known
		err = ErrTaken
	}
	return o, err
}
