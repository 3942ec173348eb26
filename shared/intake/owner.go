package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Release gives an upload up on its owner's request, whoever writes it. Refused
// while there is a live reference. The same call again is a success.
func (s *Service) Release(ctx context.Context, id upload.ID, owner, reason string) error {
	_, err := s.applyFresh(ctx, id, upload.Release{Owner: owner, Reason: reason})
	return err
}

// ExtendHold moves the hold of an unfinished upload, or of a completed one that
// has a hold, later. Refused on a permanent upload: it would only bring an end.
func (s *Service) ExtendHold(ctx context.Context, id upload.ID, until time.Time) error {
	_, err := s.applyFresh(ctx, id, upload.ExtendHold{HoldUntil: until})
	return err
}

// AddReference adds a live reference to a completed upload. One that was
// cancelled after it was complete is revived, as long as cleanup has not
// claimed it; quota (quotaLimit, zero for none) and content hash are then taken
// again: ErrQuota, ErrDuplicate.
//
// A reference that is live already is a success. One that was dropped is
// ErrReferenceUsed: use the next generation.
func (s *Service) AddReference(ctx context.Context, id upload.ID, ref upload.Reference, quotaLimit int64) error {
	if err := checkReference(ref, quotaLimit); err != nil {
		return fmt.Errorf("add-reference: %w: %w", ErrInvalid, err)
	}
	_, err := s.applyFresh(ctx, id, upload.AddReference{Reference: ref, QuotaLimit: quotaLimit})
	if errors.Is(err, upload.ErrReferenceLive) {
		return nil
	}
	return err
}

// DropReference drops exactly that generation; the last drop releases the
// upload. One that was dropped already is a success, one that never was is
// ErrReferenceUsed.
func (s *Service) DropReference(ctx context.Context, id upload.ID, ref upload.Reference) error {
	if err := checkReference(ref, 0); err != nil {
		return fmt.Errorf("drop-reference: %w: %w", ErrInvalid, err)
	}
	_, err := s.applyFresh(ctx, id, upload.DropReference{Reference: ref})
	if err == nil || !mayBeDropped(err) {
		return err
	}
	state, unknown := s.lookups.Reference(ctx, id, ref)
	switch {
	case unknown != nil:
		return doing(upload.KindDropReference, id, unknown)
	case state == ledger.ReferenceDropped:
		return nil
	}
	return err
}

// mayBeDropped: a drop that was done before fails on its own effects.
func mayBeDropped(err error) bool {
	return errors.Is(err, upload.ErrRefused) || errors.Is(err, upload.ErrReferenceUsed) || errors.Is(err, upload.ErrAbsent)
}

func checkReference(ref upload.Reference, quotaLimit int64) error {
	if err := upload.ValidID("source", ref.Source); err != nil {
		return err
	}
	if err := upload.ValidID("entity", ref.Entity); err != nil {
		return err
	}
	if quotaLimit < 0 {
		return fmt.Errorf("quota limit is %d: it must not be negative", quotaLimit)
	}
	return nil
}
