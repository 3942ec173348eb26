package intake

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/upload"
)

// maxTries bounds how often one call decides again because the record moved.
// In every round of writers that meet, at least one gets through.
const maxTries = 64

// apply decides the event from the record and commits it. It begins with the
// record that the caller knows (the zero Record for one it does not), and
// reads whenever that may be old: before it believes a refusal or a
// repetition, after the record moved, and after a lost answer. It returns the
// newest record that it has seen.
func (s *Service) apply(ctx context.Context, id upload.ID, known upload.Record, e upload.Event) (upload.Record, error) {
	record, fresh := known, false
	for range maxTries {
		change, err := upload.Step(s.policy, record, e, s.now())
		switch {
		case err == nil && !change.Nothing():
			if err = s.records.Commit(ctx, change); err == nil {
				return change.After, nil
			}
			if !errors.Is(err, upload.ErrChanged) && !errors.Is(err, upload.ErrUnclear) {
				return record, err // the ledger says what it was doing
			}
		case fresh:
			return record, err
		}
		if record, err = s.load(ctx, id, e); err != nil {
			return known, doing(e.Kind(), id, err)
		}
		fresh = true
	}
	return record, doing(e.Kind(), id, fmt.Errorf("moved %d times meanwhile: %w", maxTries, upload.ErrChanged))
}

// load reads the record; ErrAbsent if there is none, unless the event is the
// one that begins it.
func (s *Service) load(ctx context.Context, id upload.ID, e upload.Event) (upload.Record, error) {
	record, err := s.records.Load(ctx, id)
	if err == nil && record.State == upload.StateNone && e.Kind() != upload.KindReserve {
		err = upload.ErrAbsent
	}
	return record, err
}

// applyFresh is apply for a caller that knows nothing of the record yet.
func (s *Service) applyFresh(ctx context.Context, id upload.ID, e upload.Event) (upload.Record, error) {
	if err := id.Validate(); err != nil {
		return upload.Record{}, fmt.Errorf("%s: %w: %w", e.Kind(), ErrInvalid, err)
	}
	record, err := s.load(ctx, id, e)
	if err != nil {
		return record, doing(e.Kind(), id, err)
	}
	return s.apply(ctx, id, record, e)
}
