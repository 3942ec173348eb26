package upload

import (
	"errors"
	"fmt"
)

// The taxonomy: what an engine sees of any failure. Adapters translate their
// client's errors into it in one place each, so the caller knows what to do
// from the kind alone.
var (
	// ErrRefused: the event is not in the table for this state, or a guard
	// does not hold. Nothing changed. Do not repeat.
	ErrRefused = errors.New("refused")
	// ErrMismatch: the object is not what was expected of it. It is an
	// ErrRefused.
	ErrMismatch = fmt.Errorf("%w: not what was expected", ErrRefused)
	// ErrFenceLost: somebody with a newer fence has taken over. Stop.
	ErrFenceLost = errors.New("fence lost")
	// ErrChanged: the record is not what the decision was made from. Read
	// again and decide again.
	ErrChanged = errors.New("record changed")
	// ErrAbsent: there is no such record, version or upload.
	ErrAbsent = errors.New("absent")
	// ErrThrottled: the service asks to slow down. Nothing was done.
	ErrThrottled = errors.New("throttled")
	// ErrUnclear: it may or may not have been done. Look before repeating.
	ErrUnclear = errors.New("outcome unclear")
	// ErrDenied: the rights are missing. An alarm, not a loop.
	ErrDenied = errors.New("access denied")
	// ErrRetained: object lock, legal hold or policy keeps the version.
	ErrRetained = errors.New("retained")
	// ErrQuota: the owner's quota is used up.
	ErrQuota = errors.New("quota used up")
	// ErrDuplicate: the owner has a live upload with this content hash.
	ErrDuplicate = errors.New("content already live")
	// ErrReferenceLive: exactly this reference is live already.
	ErrReferenceLive = errors.New("reference already live")
	// ErrReferenceUsed: this reference was dropped, or never was; an identity
	// is used once.
	ErrReferenceUsed = errors.New("reference not live")
	// ErrKeyReused: the idempotency key was used for another request.
	ErrKeyReused = errors.New("idempotency key used for another request")
)

// Refusal says which guard refused which event. It matches its own kind
// (ErrRefused, ErrFenceLost or ErrChanged) with errors.Is.
type Refusal struct {
	ID    ID
	Event Kind
	State State
	Guard string
	kind  error
}

func (r *Refusal) Error() string {
	if r.Guard == "" {
		return fmt.Sprintf("%s upload %s: not possible while %s", r.Event, r.ID.Upload, r.State)
	}
	return fmt.Sprintf("%s upload %s while %s: not so: %s", r.Event, r.ID.Upload, r.State, r.Guard)
}

func (r *Refusal) Unwrap() error { return r.kind }
