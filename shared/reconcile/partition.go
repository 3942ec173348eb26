package reconcile

import (
	"cmp"
	"context"
	"slices"
)

// matcher compares one partition after another. Each worker has its own.
type matcher struct {
	scratch *scratch
	limit   int64 // bytes of records to hold
	class   class // of the rows' fingerprints
	all     bool  // everything is looked at again
	// again is told the place of everything that has to be looked at again.
	again func(side, place) error

	records []byte
	owned   int32   // the first so many records are entries
	heads   []int32 // a table of groups: the newest record of each, plus one
	next    []int32 // the record before it in its group, plus one
	group   []int32
}

// compare tells apart the groups of keys that match as they are, whose rows it
// counts, from those that are looked at again. It has the records of a whole
// partition: first so many entries, then the rows.
func (m *matcher) compare(ctx context.Context, entries int) (matched int64, err error) {
	m.owned = int32(entries)
	n := int32(len(m.records) / recordSize)
	m.reset(int(n))
	for i := range n {
		m.insert(i)
	}
	for i, head := range m.heads {
		if i%4096 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if head == 0 {
			continue
		}
		count, err := m.judge(head - 1)
		if err != nil {
			return 0, err
		}
		matched += count
	}
	return matched, nil
}

// reset makes the table of n records, at most two thirds full.
func (m *matcher) reset(n int) {
	size := 16
	for size*2 < n*3 {
		size *= 2
	}
	m.heads = slices.Grow(m.heads[:0], size)[:size]
	clear(m.heads)
	m.next = slices.Grow(m.next[:0], n)[:n]
}

func (m *matcher) at(i int32) []byte { return m.records[int(i)*recordSize:][:recordSize] }

// insert puts a record before the others of its group.
func (m *matcher) insert(i int32) {
	hi := hiOf(m.at(i))
	mask := uint64(len(m.heads) - 1)
	slot := hi & mask
	for head := m.heads[slot]; head != 0 && hiOf(m.at(head-1)) != hi; head = m.heads[slot] {
		slot = (slot + 1) & mask
	}
	m.next[i] = m.heads[slot]
	m.heads[slot] = i + 1
}

// judge counts a group that matches, and reports one that does not.
func (m *matcher) judge(head int32) (int64, error) {
	if m.pair(head) {
		return 1, nil
	}
	m.group = m.group[:0]
	for i := head + 1; i != 0; i = m.next[i-1] {
		m.group = append(m.group, i-1)
	}
	if m.matches(m.group) {
		return int64(len(m.group) / 2), nil
	}
	for _, i := range m.group {
		if err := m.again(m.sideOf(i), restOf(m.at(i)).place()); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

func (m *matcher) sideOf(i int32) side {
	if i < m.owned {
		return ofOwner
	}
	return ofInventory
}

// pair reports whether the group is what most are: one row and its entry.
func (m *matcher) pair(row int32) bool {
	entry := m.next[row] - 1
	return row >= m.owned && entry >= 0 && entry < m.owned && m.next[entry] == 0 && m.same(row, entry)
}

// same reports whether a row and an entry are certainly one `ok`.
func (m *matcher) same(row, entry int32) bool {
	r, e := m.at(row), m.at(entry)
	return !m.all && restOf(r).facts()&plain != 0 && restOf(e).facts() == plain|uint8(m.class) && loOf(r) == loOf(e)
}

// matches reports whether each row has its entry and each entry its row. In the
// order of tags two rows of one version lie side by side, so that none of them
// has its entry there. Where entries name no version, only a pair matches.
func (m *matcher) matches(group []int32) bool {
	if m.all || m.class&withVersion == 0 || len(group)%2 != 0 {
		return false
	}
	slices.SortFunc(group, func(a, b int32) int {
		x, y := m.at(a), m.at(b)
		return cmp.Or(cmp.Compare(restOf(x).tag(), restOf(y).tag()), cmp.Compare(b, a))
	})
	for i := 0; i < len(group); i += 2 {
		row, entry := group[i], group[i+1]
		if row < m.owned || entry >= m.owned || !m.same(row, entry) {
			return false
		}
	}
	return true
}
