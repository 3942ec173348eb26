package objects

import (
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Why a store keeps a version, as a record and a report say it.
const (
	ReasonLock      = "object lock"
	ReasonLegalHold = "legal hold"
	ReasonBoth      = "object lock and legal hold"
)

// Retained says why and until when these facts keep the version from being
// deleted at the instant now, by the store's own clock; a count of zero if
// they do not. A legal hold has no date: Until is zero, or the date of the
// lock beside it, before which looking again is of no use.
func (f Facts) Retained(now time.Time) upload.Retained {
	locked := f.LockedUntil.After(now)
	switch {
	case locked && f.LegalHold:
		return upload.Retained{Count: 1, Until: f.LockedUntil, Reason: ReasonBoth}
	case locked:
		return upload.Retained{Count: 1, Until: f.LockedUntil, Reason: ReasonLock}
	case f.LegalHold:
		return upload.Retained{Count: 1, Reason: ReasonLegalHold}
	}
	return upload.Retained{}
}
