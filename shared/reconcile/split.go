package reconcile

import (
	"context"
	"slices"
)

// partition compares one partition of the spill.
func (m *matcher) partition(ctx context.Context, sp *spill, p int) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	records := m.records[:0]
	var entries int
	for _, s := range []side{ofOwner, ofInventory} {
		for _, b := range sp.partitions[s][p] {
			n := len(records)
			records = slices.Grow(records, int(b.size))[:n+int(b.size)]
			if err := sp.scratch.read(records[n:], b.at); err != nil {
				return 0, err
			}
		}
		if s == ofOwner {
			entries = len(records)
		}
	}
	return m.compare(ctx, records, entries)
}
