package ledger

import (
	"fmt"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Duplicate is the upload.ErrDuplicate of an adapter: the owner has a live
// upload with this content hash already, and Live names it.
type Duplicate struct{ Live upload.ID }

func (d *Duplicate) Error() string {
	return fmt.Sprintf("%v: upload %s", upload.ErrDuplicate, d.Live.Upload)
}

func (d *Duplicate) Unwrap() error { return upload.ErrDuplicate }
