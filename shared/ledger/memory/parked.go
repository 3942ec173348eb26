package memory

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Parked yields every upload of one segment whose purge was parked, by tenant
// and upload, without its manifest.
func (s *Store) Parked(ctx context.Context, segment, segments int) iter.Seq2[upload.Record, error] {
	return func(yield func(upload.Record, error) bool) {
		if err := ledger.CheckSegment(segment, segments); err != nil {
			yield(upload.Record{}, fmt.Errorf("read what is parked: %w", err))
			return
		}
		for _, r := range s.parked(segment, segments) {
			if err := ctx.Err(); err != nil {
				yield(upload.Record{}, fmt.Errorf("read what is parked: %w", err))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (s *Store) parked(segment, segments int) []upload.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []upload.Record
	for id, r := range s.records {
		if r.State == upload.StateDeleting && !r.ParkedAt.IsZero() && ledger.Shard(id)%segments == segment {
			all = append(all, ledger.Head(r))
		}
	}
	slices.SortFunc(all, func(a, b upload.Record) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Upload, b.Upload))
	})
	return all
}
