package cleanup

import (
	"slices"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/objects"
)

const (
	// blockLasts is how long a worker's block is to last it: a reservation is a
	// write for all workers on one item, so small uploads share blocks. It is
	// also how far their deletes lag behind their slots, give or take.
	blockLasts = time.Second
	// rateShare is the most of a second's rate that a block holds in advance: it
	// is lost with a worker that dies, or has no more to do.
	rateShare = 4
)

// block is what is left of a grant.
type block struct {
	left        int
	start, void time.Time
}

// spareSlots is what a worker has reserved and no group of it holds, from one
// batch to the next. Whoever gets slots of it has them alone. The zero value is
// ready.
type spareSlots struct {
	mu     sync.Mutex // never held over a call
	blocks []block    // the oldest first
	// size is that of the last block, which began at start.
	size  int
	start time.Time
}

// trade takes blocks in and hands over n slots that may be used now, the oldest
// first; or none, and how many are missing.
func (s *spareSlots) trade(n int, now time.Time, in ...block) (own []block, missing int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(in)
	s.blocks = usable(s.blocks, now)
	begun, later := s.blocks, []block(nil)
	if i := slices.IndexFunc(s.blocks, func(b block) bool { return b.start.After(now) }); i >= 0 {
		begun, later = s.blocks[:i], s.blocks[i:]
	}
	if missing = n - count(begun); missing > 0 {
		return nil, missing
	}
	own, rest := split(begun, n)
	s.blocks = slices.Concat(rest, later)
	return own, 0
}

// put takes slots over that nobody holds any more.
func (s *spareSlots) put(blocks ...block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(blocks)
}

func (s *spareSlots) add(blocks []block) {
	s.blocks = append(s.blocks, blocks...)
	slices.SortStableFunc(s.blocks, func(a, b block) int { return a.start.Compare(b.start) })
}

// next is how many slots the next block should have, whatever is needed: twice
// the last if that was used up early, half if it was not in time; at most most.
func (s *spareSlots) next(most int, now time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.size
	switch lasted := now.Sub(s.start); {
	case lasted < blockLasts:
		size *= 2
	case lasted > gate.SlotLife:
		size = 0
	case lasted > 2*blockLasts:
		size /= 2
	}
	return min(size, most)
}

// begun notes a block that was reserved at now. That it was given shows that the
// gate was open: what is left of others is good for as long as the new one, and
// so waits with it for its start.
func (s *spareSlots) begun(b block, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size, s.start = b.left, b.start
	s.blocks = usable(s.blocks, now)
	for i := range s.blocks {
		s.blocks[i].void = b.void
	}
}

// blockSizes returns how many versions one call may have, and how many slots a
// block holds in advance. A call is no larger than what the rate gives while a
// block waits for its start: others with smaller ones would always be first. And
// it leaves a quarter of the burst to deletes that begin later than their slots.
func blockSizes(state gate.State, now time.Time) (limit, ahead int) {
	rate := state.RateAt(now)
	whileWaiting := rate * int(gate.SlotLife/2/time.Second)
	limit = max(1, min(objects.MaxPerDelete, state.Burst-state.Burst/4, whileWaiting))
	return limit, min(limit, rate/rateShare)
}

// usable leaves out what is void.
func usable(blocks []block, now time.Time) []block {
	return slices.DeleteFunc(blocks, func(b block) bool { return isOver(b.void, now) })
}

// isOver reports whether an instant has passed, by the monotonic clock or by the
// wall's: the one stands still while a machine sleeps, the other may be set back.
func isOver(until, now time.Time) bool { return now.After(until) || now.Round(0).After(until) }

func count(blocks []block) int {
	n := 0
	for _, b := range blocks {
		n += b.left
	}
	return n
}

// split parts the first n slots from the rest. Neither shares memory with the
// blocks that it was given.
func split(blocks []block, n int) (first, rest []block) {
	for _, b := range blocks {
		own := min(n, b.left)
		n -= own
		if own > 0 {
			first = append(first, block{own, b.start, b.void})
		}
		if own < b.left {
			rest = append(rest, block{b.left - own, b.start, b.void})
		}
	}
	return first, rest
}
