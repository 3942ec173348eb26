package reconcile

import (
	"context"
	"slices"
)

// pieces are records of both sides that belong together.
type pieces [bothSides][]block

func (p pieces) bytes() (n int64) {
	for _, blocks := range p {
		for _, b := range blocks {
			n += int64(b.size)
		}
	}
	return n
}

// partition compares one partition of the spill. One that is larger than memory
// allows is parted further, by the bits that follow; what still is, because it
// is one key, is looked at again: nothing has to be held for that.
func (m *matcher) partition(ctx context.Context, p pieces, shift uint) (matched int64, err error) {
	if p.bytes() <= m.limit {
		return m.whole(ctx, p)
	}
	parts, oneKey, err := m.split(ctx, p, shift)
	if err != nil {
		return 0, err
	}
	if oneKey || shift == 0 {
		return 0, m.each(ctx, p, func(s side, record []byte) error { return m.again(s, restOf(record).place(), false) })
	}
	for i := range parts.count() {
		n, err := m.partition(ctx, parts.pieces(i), parts.shift)
		if err != nil {
			return 0, err
		}
		matched += n
	}
	return matched, nil
}

// whole compares what fits in memory.
func (m *matcher) whole(ctx context.Context, p pieces) (int64, error) {
	m.records = slices.Grow(m.records[:0], int(p.bytes()))
	entries := 0
	for _, s := range []side{ofOwner, ofInventory} {
		for _, b := range p[s] {
			n := len(m.records)
			m.records = m.records[:n+int(b.size)]
			if err := m.scratch.read(m.records[n:], b.at); err != nil {
				return 0, err
			}
		}
		if s == ofOwner {
			entries = len(m.records) / recordSize
		}
	}
	return m.compare(ctx, entries)
}

// split parts records by the bits below a shift, and reports whether all are of
// one key.
func (m *matcher) split(ctx context.Context, p pieces, shift uint) (*spill, bool, error) {
	const bits = 6
	below := max(int(shift)-bits, 0)
	parts := &spill{scratch: m.scratch, shift: uint(below), mask: 1<<bits - 1, length: splitLength}
	var writers [bothSides]*spillWriter
	for s := range writers {
		writers[s] = parts.writer(side(s))
	}
	first, oneKey := uint64(0), true
	seen := false
	err := m.each(ctx, p, func(s side, record []byte) error {
		if !seen {
			first, seen = hiOf(record), true
		}
		oneKey = oneKey && hiOf(record) == first
		return writers[s].copy(record)
	})
	for _, w := range writers {
		if err == nil {
			err = w.close()
		}
	}
	return parts, oneKey, err
}

// splitLength is that of a run, in records.
const splitLength = 1 << 12

// each goes through the records of both sides, block by block.
func (m *matcher) each(ctx context.Context, p pieces, do func(side, []byte) error) error {
	var b []byte
	for s, blocks := range p {
		for _, at := range blocks {
			if err := ctx.Err(); err != nil {
				return err
			}
			b = slices.Grow(b[:0], int(at.size))[:at.size]
			if err := m.scratch.read(b, at.at); err != nil {
				return err
			}
			for record := range slices.Chunk(b, recordSize) {
				if err := do(side(s), record); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
