package demo

import (
	"context"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// What may happen between the passes.

// confirmAgain: the client of S3 was only slow, and repeats itself.
func confirmAgain(ctx context.Context, s *story) error {
	return s.s3.RecordObject(ctx, s.s3.Record().Manifest.Object(s.s3.Key(1)))
}

// fromTheFuture: a client whose clock is two days ahead touches S3.
func fromTheFuture(ctx context.Context, s *story) error {
	r, err := s.Stores.Ledger.Load(ctx, s.s3.ID())
	if err != nil {
		return err
	}
	change, err := upload.Step(s.Policy, r, upload.Heartbeat{Fence: r.Fence}, s.Clock.Now().Add(48*time.Hour))
	if err != nil {
		return err
	}
	return s.Stores.Ledger.Commit(ctx, change)
}
