package look

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	checks "github.com/strandline-dev/strandline/cmd/strandline/internal/checkup/look"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/reclaim"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// duePage and dueBatch are how many entries of the index, and how many records,
// are read at once.
const (
	duePage  = 500
	dueBatch = 100
)

// someDay is behind every due.
var someDay = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)

// waiting reads all of the due index, and for what is parked the whole ledger.
func (e *eye) waiting(ctx context.Context) {
	all := reclaim.Waiting{}
	var err error
	for shard := 0; shard < ledger.Shards && err == nil; shard++ {
		err = e.waitingIn(ctx, shard, all)
	}
	if err == nil {
		err = e.parked(ctx, all)
	}
	e.set(func() { e.facts.Waiting = checks.Seen(all, err) })
}

func (e *eye) waitingIn(ctx context.Context, shard int, all reclaim.Waiting) error {
	at := ledger.Position{}
	for {
		page, err := e.Opened.Ledger.Due(ctx, shard, at, someDay, duePage)
		if err != nil {
			return fmt.Errorf("page the due index, shard %d: %w", shard, err)
		}
		for batch := range slices.Chunk(page.Entries, dueBatch) {
			if err := e.count(ctx, batch, all); err != nil {
				return err
			}
		}
		if !page.More {
			return nil
		}
		at = page.Next
	}
}

// count adds up what of a batch are releases that became records of their own.
// Only what is called as those are is read.
func (e *eye) count(ctx context.Context, batch []ledger.Due, all reclaim.Waiting) error {
	var ids []upload.ID
	for _, entry := range batch {
		if release.MayBeRelease(entry.ID) {
			ids = append(ids, entry.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	records, err := e.Opened.Ledger.LoadMany(ctx, ids)
	if err != nil {
		return fmt.Errorf("read %d releases: %w", len(ids), err)
	}
	for _, r := range records {
		name, ok := source.OfRecord(r.Source)
		if !ok || r.State != upload.StateCancelled && r.State != upload.StateDeleting {
			continue
		}
		w := all[name]
		w.Count++
		if came := r.DueAt.Add(-e.Opened.Policy.ReleaseGrace); w.Oldest.IsZero() || came.Before(w.Oldest) {
			w.Oldest = came
		}
		all[name] = w
	}
	return nil
}

func (e *eye) parked(ctx context.Context, all reclaim.Waiting) error {
	for r, err := range cleanup.ParkedUploads(ctx, e.Opened.Ledger) {
		if err != nil {
			return err
		}
		if name, ok := source.OfRecord(r.Source); ok {
			w := all[name]
			w.Parked++
			all[name] = w
		}
	}
	return nil
}

// orphans counts, of each bucket that a source's rows name objects of, the open
// holds whose keys look like theirs. Of an outbox nobody knows how they look.
func (e *eye) orphans(ctx context.Context) {
	for i := range e.Sources {
		if !e.facts.Sources[i].Sample.Seen {
			continue
		}
		o := reclaim.Orphans{}
		var err error
		for _, bucket := range e.buckets(i) {
			if err = e.orphansIn(ctx, bucket, e.shapes[i], &o); err != nil {
				break
			}
		}
		e.facts.Sources[i].Orphans = checks.Seen(o, err)
	}
}

func (e *eye) buckets(i int) []string {
	var all []string
	for at := range e.shapes[i] {
		bucket, _, _ := strings.Cut(at, "/")
		all = append(all, bucket)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (e *eye) orphansIn(ctx context.Context, bucket string, shapes map[string]bool, into *reclaim.Orphans) error {
	book := hold.Book{Documents: e.Opened.Ledger}
	view, err := book.View(ctx, bucket)
	if err != nil {
		return err
	}
	if view.Inventory.After(into.AsOf) {
		into.AsOf = view.Inventory
	}
	for h, err := range book.All(ctx, bucket) {
		switch {
		case err != nil:
			return err
		case h.State == hold.Open && h.Kind == hold.Version && shapes[bucket+"/"+reclaim.Shape(h.Key)]:
			into.Count++
		}
	}
	return nil
}
