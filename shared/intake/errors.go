package intake

import (
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

var (
	// ErrInvalid: the request itself is wrong; nothing was written. It is an
	// ErrRefused.
	ErrInvalid = fmt.Errorf("%w: invalid request", upload.ErrRefused)
	// ErrDeadline: what was asked for may end after the deadline that this
	// writer was given; nothing was sent. Acquire again, and go on with the new
	// session. It is an ErrRefused.
	ErrDeadline = fmt.Errorf("%w: it may end after the writer's deadline", upload.ErrRefused)
	// ErrTaken: another put has the key, or may have it. Acquire again, and
	// put the chunk in the new attempt. It is an ErrRefused.
	ErrTaken = fmt.Errorf("%w: the key has another object", upload.ErrRefused)
	// ErrInProgress: the first request with this idempotency key is still at
	// work, or died and its lease is not over. Make the same request again
	// later: [Busy] says when. It is an ErrRefused.
	ErrInProgress = fmt.Errorf("%w: the first request with this key is in progress", upload.ErrRefused)
	// ErrGivenUp: the first request with this idempotency key failed, or what it
	// uploaded was given up since. Use a new key. It is an ErrRefused.
	ErrGivenUp = fmt.Errorf("%w: the upload of the first request with this key was given up", upload.ErrRefused)
)

// LiveUpload returns the owner's live upload with the same content, from an
// error that is an upload.ErrDuplicate.
func LiveUpload(err error) (upload.ID, bool) {
	var duplicate *ledger.Duplicate
	if !errors.As(err, &duplicate) {
		return upload.ID{}, false
	}
	return duplicate.Live, true
}

// Busy is the ErrInProgress of a repeated request: which upload the first one
// reserved, and until when its lease lasts, if it is not renewed.
type Busy struct {
	ID    upload.ID
	Until time.Time
}

func (b *Busy) Error() string {
	return fmt.Sprintf("reserve upload %s: %v", b.ID.Upload, ErrInProgress)
}

func (b *Busy) Unwrap() error { return ErrInProgress }

// doing says once what was being done to which upload. A refusal says it
// already.
func doing(what upload.Kind, id upload.ID, err error) error {
	var refusal *upload.Refusal
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	return fmt.Errorf("%s upload %s: %w", what, id.Upload, err)
}
