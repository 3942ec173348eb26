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
	all, err := s.PresignAll(ctx, []Chunk{c}, life)
	if err != nil {
		return objects.Presigned{}, err
	}
	return all[0], nil
}

// MaxPresigned is how many chunks one call signs for: what is stated of them is
// one write of the ledger.
const MaxPresigned = 1_000

// PresignAll does for many chunks, in one ledger write, what [Session.Presign]
// does for one. The URLs come in the chunks' order.
func (s *Session) PresignAll(ctx context.Context, chunks []Chunk, life time.Duration) ([]objects.Presigned, error) {
	life, err := s.life(life)
	if err == nil {
		err = checkMany(chunks)
	}
	if err != nil {
		return nil, fmt.Errorf("presign: %w: %w", ErrInvalid, err)
	}
	expect := make([]upload.ExpectedObject, len(chunks))
	for i, c := range chunks {
		expect[i] = upload.ExpectedObject{Seq: c.Seq, Expected: c.expected()}
	}
	takes := life + s.service.policy.ClientTimeout
	if err := s.state(ctx, takes, expect); err != nil {
		return nil, s.putting(chunks[0], err)
	}
	all := make([]objects.Presigned, len(chunks))
	for i, c := range chunks {
		place, err := s.prepare(ctx, c.Seq, takes)
		if err == nil {
			all[i], err = s.service.objects.PresignPut(ctx, place.bucket, place.key, c.content(), life)
		}
		if err != nil {
			return nil, s.putting(c, err)
		}
	}
	return all, nil
}

func checkMany(chunks []Chunk) error {
	if len(chunks) < 1 || len(chunks) > MaxPresigned {
		return fmt.Errorf("there are %d chunks: there must be 1 to %d", len(chunks), MaxPresigned)
	}
	for _, c := range chunks {
		if err := c.check(); err != nil {
			return err
		}
	}
	return nil
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

// state declares what has to come, unless the ledger is known to say so already,
// before something that takes so long is signed.
func (s *Session) state(ctx context.Context, takes time.Duration, all []upload.ExpectedObject) error {
	if err := s.inTime(takes); err != nil {
		return err
	}
	declare := upload.Declare{Fence: s.fence}
	for _, e := range all {
		if !s.declared(e.Seq) || s.expected(e.Seq) != e.Expected {
			declare.Declared = max(declare.Declared, e.Seq)
			declare.Expect = append(declare.Expect, e)
		}
	}
	if len(declare.Expect) == 0 {
		return nil
	}
	return s.apply(ctx, declare)
}
