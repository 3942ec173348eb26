package upload

import "time"

// Effect is what must change beside the record, in the same transaction. If
// one cannot, none of it happens and the ledger says which:
// ErrQuota, ErrDuplicate, ErrKeyReused, ErrReferenceLive, ErrReferenceUsed.
type Effect interface{ effect() }

// TakeQuota takes one place of the owner's quota; ErrQuota if Limit are taken.
type TakeQuota struct {
	Tenant, Owner string
	Limit         int64
}

// GiveQuota gives one place back.
type GiveQuota struct{ Tenant, Owner string }

// TakeHash makes the upload the owner's only live one with this content;
// ErrDuplicate if another has it.
type TakeHash struct{ Tenant, Owner, Hash, Upload string }

// FreeHash undoes TakeHash.
type FreeHash struct{ Tenant, Owner, Hash, Upload string }

// TakeKey uses the idempotency key until Expires; ErrKeyReused if it is in use.
type TakeKey struct {
	Tenant, Owner, Key string
	RequestDigest      string
	Upload             string
	Expires            time.Time
}

// PutReference adds a live reference that was never used before.
type PutReference struct {
	ID        ID
	Reference Reference
	At        time.Time // a release of an older row does not drop it
}

// BuryReference turns a live reference into its tombstone.
type BuryReference struct {
	ID        ID
	Reference Reference
}

func (TakeQuota) effect()     {}
func (GiveQuota) effect()     {}
func (TakeHash) effect()      {}
func (FreeHash) effect()      {}
func (TakeKey) effect()       {}
func (PutReference) effect()  {}
func (BuryReference) effect() {}

// Change is one accepted event: what a ledger writes, all of it or nothing,
// on the condition that the stored record still has Before's version (or does
// not exist, when Before is the zero Record).
type Change struct {
	Event   Kind
	Before  Record
	After   Record
	Effects []Effect
}

// Nothing reports that the event's result was there already.
func (c Change) Nothing() bool { return c.Before.Version == c.After.Version }
