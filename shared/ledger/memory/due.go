package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
)

// Due returns the entries of one shard behind a position that are due at or
// before until: by instant, then by tenant and upload.
func (s *Store) Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	if err := ledger.CheckPosition(shard, after, limit); err != nil {
		return ledger.Page{}, fmt.Errorf("read the due index: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return ledger.Page{}, fmt.Errorf("read shard %d of the due index: %w", shard, err)
	}
	entries := s.dueBehind(shard, after, until)
	page := ledger.Page{Entries: entries, Next: after, More: len(entries) > limit}
	if page.More {
		page.Entries = entries[:limit]
	}
	if n := len(page.Entries); n > 0 {
		page.Next = ledger.Position(page.Entries[n-1])
	}
	return page, nil
}

func (s *Store) dueBehind(shard int, after ledger.Position, until time.Time) []ledger.Due {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []ledger.Due
	for id, r := range s.records {
		d := ledger.Due{ID: id, At: r.DueAt}
		if d.At.IsZero() || d.At.After(until) || ledger.Shard(id) != shard {
			continue
		}
		if after.IsZero() || compare(d, ledger.Due(after)) > 0 {
			entries = append(entries, d)
		}
	}
	slices.SortFunc(entries, compare)
	return entries
}

func compare(a, b ledger.Due) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID.Tenant, b.ID.Tenant), cmp.Compare(a.ID.Upload, b.ID.Upload))
}
