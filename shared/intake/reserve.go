package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Reserve begins an upload and makes the caller its writer. Quota, content
// hash and idempotency key are taken in one transaction with it.
//
// ErrQuota if the owner has no place left; ErrDuplicate if the owner has a live
// upload with this content ([LiveUpload] names it); ErrKeyReused if the
// idempotency key was used for another request. A repetition of the same
// request acquires the upload that the first one reserved: under the same
// holder at once, under another when the lease is over, and until then [Busy].
// If that upload is complete, or given up, it returns the *upload.Refusal that
// names it and its state.
func (s *Service) Reserve(ctx context.Context, r Request) (*Session, error) {
	if err := r.check(s.policy); err != nil {
		return nil, fmt.Errorf("reserve: %w: %w", ErrInvalid, err)
	}
	event := r.event(s.newID(), s.now(), s.keyLife)
	record, err := s.apply(ctx, event.ID, upload.Record{}, event)
	if err == nil {
		return s.session(record, record.Fence), nil
	}
	if r.IdempotencyKey == "" || !mayBeRepetition(err) {
		return nil, err
	}
	return s.repeat(ctx, r, event, err)
}

// mayBeRepetition: a repetition fails on whatever its first request has taken,
// and the ledger need not name the key first.
func mayBeRepetition(err error) bool {
	return errors.Is(err, upload.ErrKeyReused) || errors.Is(err, upload.ErrQuota) || errors.Is(err, upload.ErrDuplicate)
}

// repeat answers a request whose reservation failed with first, if its key
// shows that it was made before.
func (s *Service) repeat(ctx context.Context, r Request, e upload.Reserve, first error) (*Session, error) {
	use, err := s.lookups.KeyUse(ctx, r.Tenant, r.Owner, r.IdempotencyKey)
	switch {
	case err != nil:
		return nil, doing(upload.KindReserve, e.ID, err)
	case use.Upload == "" || !use.Expires.After(s.now()):
		return nil, first
	case use.RequestDigest != e.RequestDigest:
		return nil, doing(upload.KindReserve, e.ID, upload.ErrKeyReused)
	}
	id := upload.ID{Tenant: r.Tenant, Upload: use.Upload}
	record, err := s.applyFresh(ctx, id, upload.Acquire{Holder: r.Holder, Lease: r.Lease, Deadline: r.Deadline})
	switch {
	case err == nil:
		return s.session(record, record.Fence), nil
	case errors.Is(err, upload.ErrRefused) && beingWritten(record) && record.LeaseUntil.After(s.now()):
		return nil, &Busy{ID: id, Until: record.LeaseUntil}
	}
	return nil, err
}

// beingWritten: its writer may go on with it.
func beingWritten(r upload.Record) bool {
	return r.State == upload.StateReceiving || r.State == upload.StateAssembling
}

// Acquire makes the caller the writer of an upload, with a new fence, a new
// deadline and keys of its own; what earlier attempts recorded stays. The same
// holder may do so at any time, another when the lease is over. The writer
// before it loses its fence.
func (s *Service) Acquire(ctx context.Context, id upload.ID, holder string, lease time.Duration) (*Session, error) {
	err := upload.ValidID("holder", holder)
	if err == nil {
		err = checkLease(s.policy, lease)
	}
	if err != nil {
		return nil, fmt.Errorf("acquire: %w: %w", ErrInvalid, err)
	}
	return s.acquire(ctx, id, upload.Acquire{Holder: holder, Lease: lease})
}

func (s *Service) acquire(ctx context.Context, id upload.ID, e upload.Acquire) (*Session, error) {
	record, err := s.applyFresh(ctx, id, e)
	if err != nil {
		return nil, err
	}
	return s.session(record, record.Fence), nil
}

// Attach returns a session for a fence that the application has kept: several
// processes may share one writer's work. A fence that was lost meanwhile is
// ErrFenceLost, here or at the first call.
func (s *Service) Attach(ctx context.Context, id upload.ID, fence int64) (*Session, error) {
	if err := id.Validate(); err != nil {
		return nil, fmt.Errorf("attach: %w: %w", ErrInvalid, err)
	}
	record, err := s.records.Load(ctx, id)
	switch {
	case err != nil:
	case record.State == upload.StateNone:
		err = upload.ErrAbsent
	case record.Fence != fence && !completedBy(record, fence):
		err = upload.ErrFenceLost
	}
	if err != nil {
		return nil, fmt.Errorf("attach upload %s: %w", id.Upload, err)
	}
	session := s.session(record, fence)
	session.alone = false
	return session, nil
}

// completedBy reports that the writer with this fence has completed the
// upload: it may ask again for the answer that it lost.
func completedBy(r upload.Record, fence int64) bool {
	return r.State == upload.StateComplete && r.Fence == fence+1
}
