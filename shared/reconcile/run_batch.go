package reconcile

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"
)

const (
	// batchSize is how much of a list is in memory at a time, atOnce how much
	// of that is worked on side by side: what is waited for is the network.
	batchSize = 256
	atOnce    = 16
)

// batches hands a list over in batches, in its order; each is used again.
func batches[T any](list iter.Seq2[T, error], do func([]T) error) error {
	batch := make([]T, 0, batchSize)
	for one, err := range list {
		if err != nil {
			return err
		}
		batch = append(batch, one)
		if len(batch) < batchSize {
			continue
		}
		if err := do(batch); err != nil {
			return err
		}
		batch = batch[:0]
	}
	return do(batch)
}

// sideBySide does the same with every one of a batch, and waits for all.
func sideBySide[T any](ctx context.Context, batch []T, do func(context.Context, *T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range batch {
		group.Go(func() error { return do(ctx, &batch[i]) })
	}
	return group.Wait()
}

// inBatches does the same with everything of a list.
func inBatches[T any](ctx context.Context, list iter.Seq2[T, error], do func(context.Context, T) error) error {
	return batches(list, func(batch []T) error {
		return sideBySide(ctx, batch, func(ctx context.Context, one *T) error { return do(ctx, *one) })
	})
}
