package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Store uploads one object whole: reserve, put, complete, in this order. If
// the put or the completion fails, the upload is cancelled; a cancel that fails
// too is told beside the first error, never instead of it, and cleanup does
// what it could not. A repetition with the same idempotency key that finds the
// upload complete returns its record; of other bytes it is ErrKeyReused.
func (s *Service) Store(ctx context.Context, r Request, c Chunk, body io.Reader, holdUntil time.Time) (upload.Record, error) {
	c.Seq = 1
	err := c.check()
	if err == nil && r.ByEvents {
		err = errByEvents
	}
	if err != nil {
		return upload.Record{}, fmt.Errorf("store: %w: %w", ErrInvalid, err)
	}
	r.Chunks = 1
	session, err := s.Reserve(ctx, r)
	if err != nil {
		return s.repeated(ctx, err, func(stored []upload.Object) (bool, error) { return c.isAllOf(stored), nil })
	}
	o, err := session.Put(ctx, c, body)
	if err != nil {
		return s.giveUp(ctx, session, notStored, err)
	}
	if err := session.Complete(ctx, []upload.Key{o.Key}, holdUntil); err != nil {
		return s.giveUp(ctx, session, notConfirmed, err)
	}
	return session.Record(), nil
}

// repeated is completed for bytes that the request's digest does not know: they
// have to be those that are stored. Without that, whoever sends others under the
// same key is told that they are.
func (s *Service) repeated(ctx context.Context, reserve error, same func([]upload.Object) (bool, error)) (upload.Record, error) {
	record, err := s.completed(ctx, reserve)
	if err != nil {
		return record, err
	}
	ok, err := same(Chunks(record))
	if err == nil && !ok {
		err = upload.ErrKeyReused
	}
	if err != nil {
		return upload.Record{}, doing(upload.KindReserve, record.ID, err)
	}
	return record, nil
}

// isAllOf reports whether the chunk is all that is stored, as far as it says
// what it is.
func (c Chunk) isAllOf(stored []upload.Object) bool {
	return len(stored) == 1 && stored[0].Size == c.Size &&
		(len(c.SHA256) == 0 || stored[0].Checksum == "" || stored[0].Checksum == objects.Checksum(c.SHA256))
}

// errByEvents: whoever is faster would complete it, and an event does so for
// good, whatever hold was asked for.
var errByEvents = errors.New("what this call uploads it completes itself: it cannot be completed by events")

// completed returns the record of the upload that a repeated reservation found
// complete, or the error as it is.
func (s *Service) completed(ctx context.Context, reserve error) (upload.Record, error) {
	var refusal *upload.Refusal
	if !errors.As(reserve, &refusal) || refusal.Event != upload.KindAcquire || refusal.State != upload.StateComplete {
		return upload.Record{}, reserve
	}
	record, err := s.records.Load(ctx, refusal.ID)
	if err != nil {
		return upload.Record{}, errors.Join(reserve, err)
	}
	return record, nil
}
