package cleanup

import (
	"context"
	"errors"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// bucketTTL is how long the answer about a bucket's settings is believed.
// Suspending versioning makes every later version "null", and those the
// warrant keeps; so a late notice costs nothing. Where the policy allows null
// versions to go, no answer is believed twice.
const bucketTTL = 5 * time.Minute

// bucketChecks remembers which buckets may be deleted in. The zero value is
// ready.
type bucketChecks struct {
	mu    turn
	known map[string]bucketCheck
}

type bucketCheck struct {
	err   error // nil or ErrRefused
	until time.Time
}

// checkBucket is ErrRefused for a bucket that must not be deleted in. Any other
// error says that it could not be found out, and is not remembered.
func (w *Worker) checkBucket(ctx context.Context, bucket string) error {
	b := &w.buckets
	b.mu.Lock()
	defer b.mu.Unlock()
	if known, ok := b.known[bucket]; ok && !w.Policy.DeleteNullVersions && w.Now().Before(known.until) {
		return known.err
	}
	err := w.Store.CheckBucket(ctx, bucket)
	if err != nil && !errors.Is(err, upload.ErrRefused) {
		return err
	}
	if b.known == nil {
		b.known = map[string]bucketCheck{}
	}
	b.known[bucket] = bucketCheck{err: err, until: w.Now().Add(bucketTTL)}
	return err
}
