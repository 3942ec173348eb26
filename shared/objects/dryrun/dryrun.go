package dryrun

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Codes of the results: what a delete would have done.
const (
	WouldDelete = "dry-run: would be deleted"
	WouldRetain = "dry-run: would be retained"
	WouldFind   = "dry-run: absent already"
	Unseen      = "dry-run: could not be looked at"
)

// Reader is the half of a store that changes nothing.
type Reader interface {
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error]
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
	Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error]
	CheckBucket(ctx context.Context, bucket string) error
}

// Store reads as its Reader does, and deletes nothing.
type Store struct {
	Reader
	now func() time.Time
}

// New returns the store. now tells whether a lock is over.
func New(r Reader, now func() time.Time) *Store {
	return &Store{Reader: r, now: now}
}

// Delete deletes nothing. It looks at each version and answers, in the same
// order, Failed with the code of what would have been done; what every store
// refuses it refuses too. Retained is filled in for a report.
func (s *Store) Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result {
	results := objects.Checked(bucket, versions)
	for i := range results {
		r := &results[i]
		if r.Refused() {
			continue
		}
		r.Outcome = objects.Failed
		r.Code, r.Retained = s.would(ctx, r.Condemned)
	}
	return results
}

func (s *Store) would(ctx context.Context, c upload.Condemned) (string, upload.Retained) {
	facts, err := s.Stat(ctx, c.Bucket(), c.Key(), c.VersionID())
	switch {
	case errors.Is(err, upload.ErrAbsent):
		return WouldFind, upload.Retained{}
	case err != nil:
		return Unseen, upload.Retained{}
	}
	if kept := facts.Retained(s.now()); kept.Count > 0 {
		return WouldRetain, kept
	}
	return WouldDelete, upload.Retained{}
}

// Abort aborts nothing, and says so with ErrRefused.
func (s *Store) Abort(_ context.Context, _, _, uploadID string) error {
	return fmt.Errorf("abort multipart upload %s: dry run: %w", uploadID, upload.ErrRefused)
}
