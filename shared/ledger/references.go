package ledger

import "github.com/strandline-dev/strandline/shared/upload"

// ReferenceUse is one reference to an upload that was ever added, live or
// dropped.
type ReferenceUse struct {
	Reference upload.Reference
	State     ReferenceState
}
