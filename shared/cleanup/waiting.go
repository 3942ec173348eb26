package cleanup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Stuck is an upload that waits for a person although the passes look at it.
type Stuck struct {
	// Record has no manifest; see [ledger.Head].
	Record upload.Record
	// Reason is the pass's own: assembling too long; activity in the future, by
	// which a pass that meets it stops; a record that a newer release wrote.
	Reason string
}

// Two of the reasons for which an upload is stuck; [StuckFuture] is the third.
const (
	StuckAssembling = "assembling too long"
	StuckSchema     = "schema unknown"
)

// StuckFuture is the reason of an upload whose activity lies in the future.
var StuckFuture = upload.ErrFuture.Error()

// DueRecords is where what is due some day is found and read.
type DueRecords interface {
	Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error)
	LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error)
}

// someDay is behind every due.
var someDay = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)

// StuckUploads yields every upload that is stuck, shard by shard in due order.
// Whatever can become stuck has a due, so the index knows it; that due may be
// far ahead, so all of the index is read, however long it is, and a bounded part
// of it held. looked is told how many uploads were looked at since it was last
// called, by several at once. After an error nothing more comes.
func StuckUploads(ctx context.Context, records DueRecords, p policy.Policy, now time.Time, looked func(uploads int)) iter.Seq2[Stuck, error] {
	return sideBySide(ctx, ledger.Shards, func(ctx context.Context, shard int, yield func(Stuck) bool) error {
		at := ledger.Position{}
		for {
			page, err := records.Due(ctx, shard, at, someDay, pageSize)
			if err != nil {
				return fmt.Errorf("page the due index, shard %d: %w", shard, err)
			}
			for batch := range slices.Chunk(page.Entries, batchSize) {
				more, err := stuckOf(ctx, records, batch, p, now, yield)
				if err != nil || !more {
					return err
				}
				looked(len(batch))
			}
			if !page.More {
				return nil
			}
			at = page.Next
		}
	})
}

// stuckOf yields what is stuck of a batch, and reports whether more is wanted.
func stuckOf(ctx context.Context, records DueRecords, batch []ledger.Due, p policy.Policy, now time.Time, yield func(Stuck) bool) (bool, error) {
	ids := make([]upload.ID, len(batch))
	for i, entry := range batch {
		ids[i] = entry.ID
	}
	found, err := records.LoadMany(ctx, ids)
	if err != nil {
		return false, fmt.Errorf("look up %d uploads: %w", len(ids), err)
	}
	for _, r := range found {
		d, err := upload.Decide(p, r, now.Add(-p.SafetyMargin), now)
		reason := ""
		switch {
		case errors.Is(err, upload.ErrFuture):
			reason = StuckFuture
		case err != nil:
			return false, err
		case r.State != upload.StateNone && r.Schema > upload.Schema:
			reason = StuckSchema
		case d.Action == upload.Stuck:
			reason = StuckAssembling
		default:
			continue
		}
		if !yield(Stuck{Record: ledger.Head(r), Reason: reason}) {
			return false, nil
		}
	}
	return true, nil
}

// Parking is where parked purges are found; see [ledger.Head] for what is of
// their records.
type Parking interface {
	Parked(ctx context.Context, segment, segments int) iter.Seq2[upload.Record, error]
}

// parkedSegments is how many parts of the ledger are read at once.
const parkedSegments = 8

// ParkedUploads yields every upload whose purge is parked, segment by segment.
// It reads the whole ledger, and holds a bounded part of it. After an error
// nothing more comes.
func ParkedUploads(ctx context.Context, parking Parking) iter.Seq2[upload.Record, error] {
	return sideBySide(ctx, parkedSegments, func(ctx context.Context, segment int, yield func(upload.Record) bool) error {
		for r, err := range parking.Parked(ctx, segment, parkedSegments) {
			if err != nil {
				return err
			}
			if !yield(r) {
				return nil
			}
		}
		return nil
	})
}

// readAhead is how much of a part is held while those before it are yielded.
const readAhead = 256

// sideBySide reads all parts at once and yields them one after another. A part
// that is ahead waits for its turn.
func sideBySide[T any](ctx context.Context, parts int, read func(ctx context.Context, part int, yield func(T) bool) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var group sync.WaitGroup
		defer group.Wait()
		defer cancel()
		ahead, failures := make([]chan T, parts), make([]error, parts)
		for part := range parts {
			ahead[part] = make(chan T, readAhead)
			group.Go(func() {
				defer close(ahead[part])
				failures[part] = read(ctx, part, func(v T) bool {
					select {
					case ahead[part] <- v:
						return true
					case <-ctx.Done():
						return false
					}
				})
			})
		}
		for part := range parts {
			for v := range ahead[part] {
				if !yield(v, nil) {
					return
				}
			}
			err := failures[part]
			if err == nil {
				err = ctx.Err() // a part that was told to end is not whole
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
		}
	}
}
