package ledger

import (
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// ReferenceUse is one reference to an upload that was ever added, live or
// dropped.
type ReferenceUse struct {
	Reference upload.Reference
	State     ReferenceState
	// Added is when it was; the zero instant of one that an older version added.
	Added time.Time
}
