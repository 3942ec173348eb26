package reconcile

import (
	"container/heap"
	"context"
	"iter"
	"slices"
	"sync"
)

// sorter sorts more items than fit in memory: what is full is sorted and
// written as a run, and at the end the runs are merged.
type sorter struct {
	scratch *scratch
	compare func(a, b []byte) int
	limit   int // bytes held

	mu    sync.Mutex
	bytes []byte
	items []span
	runs  [][]block
}

type span struct{ from, to uint32 }

const spanSize = 8

func newSorter(s *scratch, limit int64, compare func(a, b []byte) int) *sorter {
	const least, most = 64 << 10, 1 << 30
	return &sorter{scratch: s, compare: compare, limit: int(min(max(limit, least), most))}
}

// add copies an item. Many may add at once.
func (s *sorter) add(item []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) > 0 && len(s.bytes)+len(item)+spanSize*(len(s.items)+1) > s.limit {
		if err := s.flush(); err != nil {
			return err
		}
	}
	from := uint32(len(s.bytes))
	s.bytes = append(s.bytes, item...)
	s.items = append(s.items, span{from, uint32(len(s.bytes))})
	return nil
}

func (s *sorter) item(i span) []byte { return s.bytes[i.from:i.to] }

func (s *sorter) sort() {
	slices.SortFunc(s.items, func(a, b span) int { return s.compare(s.item(a), s.item(b)) })
}

// flush writes what is held as a run.
func (s *sorter) flush() error {
	s.sort()
	w := runWriter{scratch: s.scratch, size: min(max(s.limit/1024, 4<<10), 64<<10)}
	for _, i := range s.items {
		if err := w.add(s.item(i)); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	s.runs = append(s.runs, w.blocks)
	s.bytes, s.items = s.bytes[:0], s.items[:0]
	return nil
}

// sorted yields all items in order. An item holds until the next.
func (s *sorter) sorted(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if len(s.runs) == 0 {
			s.sort()
			for n, i := range s.items {
				if n%1024 == 0 && ctx.Err() != nil {
					yield(nil, ctx.Err())
					return
				}
				if !yield(s.item(i), nil) {
					return
				}
			}
			return
		}
		if err := s.merge(ctx, yield); err != nil {
			yield(nil, err)
		}
	}
}

func (s *sorter) merge(ctx context.Context, yield func([]byte, error) bool) error {
	if len(s.items) > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.bytes, s.items = nil, nil
	m := &merge{compare: s.compare}
	for _, run := range s.runs {
		c := &cursor{scratch: s.scratch, blocks: run}
		if more, err := c.advance(); err != nil {
			return err
		} else if more {
			m.cursors = append(m.cursors, c)
		}
	}
	heap.Init(m)
	for n := 0; len(m.cursors) > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := m.cursors[0]
		if !yield(first.item, nil) {
			return nil
		}
		more, err := first.advance()
		switch {
		case err != nil:
			return err
		case more:
			heap.Fix(m, 0)
		default:
			heap.Pop(m)
		}
	}
	return nil
}

// merge is a heap of runs by their first items.
type merge struct {
	compare func(a, b []byte) int
	cursors []*cursor
}

func (m *merge) Len() int           { return len(m.cursors) }
func (m *merge) Less(i, j int) bool { return m.compare(m.cursors[i].item, m.cursors[j].item) < 0 }
func (m *merge) Swap(i, j int)      { m.cursors[i], m.cursors[j] = m.cursors[j], m.cursors[i] }
func (m *merge) Push(x any)         { m.cursors = append(m.cursors, x.(*cursor)) }
func (m *merge) Pop() any {
	last := len(m.cursors) - 1
	c := m.cursors[last]
	m.cursors = m.cursors[:last]
	return c
}
