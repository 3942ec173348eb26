package cleanup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Unparkable is where records are whose purge was parked. Load is consistent;
// an upload that does not exist is the zero Record.
type Unparkable interface {
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	Commit(ctx context.Context, change upload.Change) error
}

// Unpark lets a purge go on whose attempts are used up: they begin at zero, and
// the upload is due now, so that the next pass hands it to a worker. It deletes
// nothing. A change that changes nothing says that it was not parked any more.
//
// The error matches upload.ErrAbsent where the tenant has no such upload, and
// upload.ErrRefused where it is not being deleted.
func Unpark(ctx context.Context, records Unparkable, p policy.Policy, id upload.ID, now time.Time) (upload.Change, error) {
	for range commitTries {
		r, err := records.Load(ctx, id)
		if err != nil {
			return upload.Change{}, err
		}
		if r.State == upload.StateNone {
			return upload.Change{}, fmt.Errorf("unpark upload %s: %w", id, upload.ErrAbsent)
		}
		change, err := upload.Step(p, r, upload.Unpark{}, now)
		if err != nil || change.Nothing() {
			return change, err
		}
		err = records.Commit(ctx, change)
		if err == nil {
			return change, nil
		}
		// Somebody else has unparked it, or the answer was lost: what is stored
		// decides.
		if !errors.Is(err, upload.ErrChanged) && !errors.Is(err, upload.ErrUnclear) {
			return upload.Change{}, err
		}
	}
	return upload.Change{}, fmt.Errorf("unpark upload %s: %w", id, upload.ErrChanged)
}
