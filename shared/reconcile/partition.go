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
	// again is told the place of everything that has to be looked at again, and
	// whether it is certainly the only row of its version.
	again func(s side, p place, alone bool) error

	records []byte
	owned   int32  // the first so many records are entries
	heads   []head // a table of groups
	next    []head // the record before it in its group
	pairs   int64  // groups that are a row and its entry
	group   []int32
}

// head is the newest record of a group, plus one; below zero if the group is what
// most are, a row and its entry, which are certainly one `ok`. 0 is none.
type head int32

func (h head) pair() bool { return h < 0 }

// record is the newest record; of none -1.
func (h head) record() int32 { return int32(max(h, -h)) - 1 }

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
	for i, h := range m.heads {
		if i%4096 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if h == 0 || h.pair() {
			continue
		}
		count, err := m.judge(h.record())
		if err != nil {
			return 0, err
		}
		matched += count
	}
	return matched + m.pairs, nil
}

// reset makes the table of n records, at most two thirds full.
func (m *matcher) reset(n int) {
	size := 16
	for size*2 < n*3 {
		size *= 2
	}
	m.heads = slices.Grow(m.heads[:0], size)[:size]
	clear(m.heads)
	m.pairs = 0
	m.next = slices.Grow(m.next[:0], n)[:n]
}

func (m *matcher) at(i int32) []byte { return m.records[int(i)*recordSize:][:recordSize] }

// insert puts a record before the others of its group. Whether that is a pair
// shows while its records are at hand.
func (m *matcher) insert(i int32) {
	hi := hiOf(m.at(i))
	mask := uint64(len(m.heads) - 1)
	slot := hi & mask
	h := m.heads[slot]
	for h != 0 && hiOf(m.at(h.record())) != hi {
		slot = (slot + 1) & mask
		h = m.heads[slot]
	}
	m.next[i], m.heads[slot] = h, head(i+1)
	switch {
	case h.pair(): // no more
		m.pairs--
	case h != 0 && m.pair(i, h.record()):
		m.pairs++
		m.heads[slot] = -head(i + 1)
	}
}

// judge counts a group that matches, and reports one that does not.
func (m *matcher) judge(newest int32) (int64, error) {
	m.group = m.group[:0]
	for i := newest; i >= 0; i = m.next[i].record() {
		m.group = append(m.group, i)
	}
	if m.matches(m.group) {
		return int64(len(m.group) / 2), nil
	}
	for _, i := range m.group {
		if err := m.again(m.sideOf(i), restOf(m.at(i)).place(), m.alone(i)); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// alone reports whether a row of the group is certainly the only one of its
// version: of its tag, which is one for all where none has a version.
func (m *matcher) alone(i int32) bool {
	if len(m.group) > keyCount {
		return false // it would compare all with all
	}
	for _, j := range m.group {
		if j != i && m.sideOf(j) == ofInventory && restOf(m.at(j)).tag() == restOf(m.at(i)).tag() {
			return false
		}
	}
	return true
}

func (m *matcher) sideOf(i int32) side {
	if i < m.owned {
		return ofOwner
	}
	return ofInventory
}

// pair reports whether a record that comes to another makes the two a pair.
func (m *matcher) pair(row, entry int32) bool {
	return row >= m.owned && entry < m.owned && m.next[entry] == 0 && m.same(row, entry)
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
	if m.class&withVersion == 0 || len(group)%2 != 0 {
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
