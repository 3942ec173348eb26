package memory

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/tidwall/btree"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// dueIndex holds the entries of each shard, by instant, then by tenant and
// upload. It is ordered, so that a page costs what is on it, however many
// entries there are.
type dueIndex [ledger.Shards]*btree.BTreeG[ledger.Due]

func newDueIndex() dueIndex {
	var x dueIndex
	for shard := range x {
		x[shard] = btree.NewBTreeGOptions(before, btree.Options{NoLocks: true}) // the store has one
	}
	return x
}

func before(a, b ledger.Due) bool { return compare(a, b) < 0 }

func compare(a, b ledger.Due) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID.Tenant, b.ID.Tenant), cmp.Compare(a.ID.Upload, b.ID.Upload))
}

// move gives an upload's entry another instant. The zero instant is no entry.
func (x *dueIndex) move(id upload.ID, from, to time.Time) {
	if from.Equal(to) {
		return
	}
	shard := x[ledger.Shard(id)]
	if !from.IsZero() {
		shard.Delete(ledger.Due{ID: id, At: from})
	}
	if !to.IsZero() {
		shard.Set(ledger.Due{ID: id, At: to})
	}
}

// Due returns the entries of one shard behind a position that are due at or
// before until: by instant, then by tenant and upload.
func (s *Store) Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	if err := ledger.CheckPosition(shard, after, limit); err != nil {
		return ledger.Page{}, fmt.Errorf("read the due index: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return ledger.Page{}, fmt.Errorf("read shard %d of the due index: %w", shard, err)
	}
	page := ledger.Page{Next: after}
	page.Entries, page.More = s.dueBehind(shard, after, until, limit)
	if n := len(page.Entries); n > 0 {
		page.Next = ledger.Position(page.Entries[n-1])
	}
	return page, nil
}

// dueBehind reads up to limit entries, and whether there is one more.
func (s *Store) dueBehind(shard int, after ledger.Position, until time.Time, limit int) (entries []ledger.Due, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due[shard].Ascend(ledger.Due(after), func(d ledger.Due) bool {
		if d.At.After(until) {
			return false
		}
		if compare(d, ledger.Due(after)) == 0 {
			return true
		}
		if more = len(entries) == limit; more {
			return false
		}
		entries = append(entries, d)
		return true
	})
	return entries, more
}
