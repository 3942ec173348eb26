package upload

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Schema is the version of the record's own format that this code writes.
// A record with a higher one is not judged.
const Schema = 1

// MaxIDBytes bounds tenant, upload, owner and reference ids.
const MaxIDBytes = 128

// ID names an upload: one record in the ledger.
type ID struct {
	Tenant string
	Upload string
}

func (id ID) String() string { return id.Tenant + "/" + id.Upload }

// Validate refuses ids that are empty, over 128 bytes or not UTF-8.
func (id ID) Validate() error {
	if err := ValidID("tenant", id.Tenant); err != nil {
		return err
	}
	return ValidID("upload", id.Upload)
}

// ValidID refuses an id that is empty, over [MaxIDBytes], not UTF-8, or holds
// a control character. The error names what, never the id itself.
func ValidID(what, id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%s id is empty", what)
	case len(id) > MaxIDBytes:
		return fmt.Errorf("%s id has %d bytes: at most %d", what, len(id), MaxIDBytes)
	case !utf8.ValidString(id):
		return fmt.Errorf("%s id is not UTF-8", what)
	case strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("%s id holds a control character", what)
	}
	return nil
}

// Record is an upload's ledger item: the only place where its life is decided.
// The zero Record is an upload that does not exist. Instants are UTC with
// millisecond precision; the zero instant means "none", "never" or "over".
type Record struct {
	ID
	Schema int
	State  State
	// Version grows by one on every accepted event.
	Version int64
	// Fence is the lease generation; never reused, never lowered.
	Fence int64
	// Holder may act until LeaseUntil: a writer, or in Deleting a worker.
	Holder     string
	LeaseUntil time.Time
	// Token is random per attempt to claim: how a worker knows its own write.
	Token string

	HoldExpiresAt  time.Time
	DeadlineAt     time.Time
	LastActivityAt time.Time
	ExpiredAt      time.Time
	MarkedFrom     State
	CompletedAt    time.Time
	// DueAt is when cleanup must next look: the cleanup intent.
	DueAt time.Time

	// Bucket and Prefix are where the generated keys live; kept with the
	// record so that a changed configuration changes no old key.
	Bucket string
	Prefix string
	// Objects is how many object versions may stand for this upload (all that
	// were declared, or only the listed ones once the rest is trimmed), Bytes
	// the sum of their known sizes. What a pass is judged by.
	Objects int64
	Bytes   int64
	// Refs is the number of live references.
	Refs int64

	Owner string
	// ContentHash is the SHA-256 that the owner's uploads are unique by; may
	// be empty.
	ContentHash string
	// QuotaHeld: a place of the owner's quota is taken; HashHeld: the content
	// hash is. Cleared in the one transaction that gives them back.
	QuotaHeld bool
	HashHeld  bool

	// ByEvents: whoever records the last declared object from a storage event
	// also completes the upload, for good.
	ByEvents bool

	// Reason says why it was cancelled, for the audit trail and explain.
	Reason string
	// Source says where an adopted record came from; empty for uploads.
	Source string

	// SupersededDueAt is when what was declared and not listed may go.
	SupersededDueAt time.Time
	// Trimmed: what was declared and not listed is gone.
	Trimmed bool

	// About the cleanup, never about the upload.
	Attempts      int
	LastError     string
	UncertainAt   time.Time
	PurgedThrough int64
	ParkedAt      time.Time
	Retained      Retained
	// TombstoneUntil is when a Deleted record may be forgotten.
	TombstoneUntil time.Time

	Manifest Manifest
}

// Retained counts the versions that could not be deleted and why. Until is the
// earliest instant at which looking again makes sense; zero if there is none.
type Retained struct {
	Count  int64
	Until  time.Time
	Reason string
}

// Add joins two counts, keeping the earlier date and the first reason.
func (r Retained) Add(o Retained) Retained {
	if o.Count == 0 {
		return r
	}
	if r.Count == 0 {
		return o
	}
	r.Count += o.Count
	r.Until = earlier(r.Until, o.Until)
	return r
}

// earlier returns the earlier of two instants, taking zero for "never".
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// later returns the later of two instants.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
