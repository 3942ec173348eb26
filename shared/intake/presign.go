package intake

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Presign declares the chunk's key if that was not done, states what has to
// come of it, and signs a put for somebody without credentials: for life, or the
// policy's URLLife, its longest, if life is zero. The URL is bound to the
// chunk's size, to its SHA-256 and its media type where they are given, and to a
// key that has no object. What is stated is in the ledger before there is a URL,
// so whoever records the object has something to judge it by; it cannot be
// stated otherwise in this attempt (ErrRefused).
//
// A put that begins in the last moment of the URL may go on after it, so life
// and ClientTimeout together must end by the deadline; ErrDeadline if not.
// Record the object when it has come, or let storage events do it.
func (s *Session) Presign(ctx context.Context, c Chunk, life time.Duration) (objects.Presigned, error) {
	life, err := s.life(life)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return objects.Presigned{}, fmt.Errorf("presign: %w: %w", ErrInvalid, err)
	}
	place, err := s.prepareFor(ctx, c.Seq, life, upload.Expected{Stated: true, Size: c.Size, Checksum: objects.Checksum(c.SHA256)})
	if err != nil {
		return objects.Presigned{}, s.putting(c, err)
	}
	presigned, err := s.service.objects.PresignPut(ctx, place.bucket, place.key, c.content(), life)
	if err != nil {
		return objects.Presigned{}, s.putting(c, err)
	}
	return presigned, nil
}

// life is how long a URL is good for.
func (s *Session) life(asked time.Duration) (time.Duration, error) {
	longest := s.service.policy.URLLife
	switch {
	case asked == 0:
		return longest, nil
	case asked < 0 || asked > longest:
		return 0, fmt.Errorf("life is %v: it must be positive and at most %v", asked, longest)
	}
	return asked, nil
}

// prepareFor prepares a put that is signed for so long, and states what has to
// come of it.
func (s *Session) prepareFor(ctx context.Context, seq int, life time.Duration, e upload.Expected) (place, error) {
	takes := life + s.service.policy.ClientTimeout
	if err := s.inTime(takes); err != nil {
		return place{}, err
	}
	if !s.declared(seq) || s.expected(seq) != e {
		err := s.apply(ctx, upload.Declare{
			Fence: s.fence, Declared: seq, Expect: []upload.ExpectedObject{{Seq: seq, Expected: e}},
		})
		if err != nil {
			return place{}, err
		}
	}
	return s.prepare(ctx, seq, takes)
}
