package cleanup

import (
	"slices"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
)

const (
	// blockLasts is how long a worker's block is to last it: a reservation is a
	// write for all workers on one item, so small uploads share blocks. It is
	// also how far a worker's deletes may lag behind their slots, give or take.
	blockLasts = time.Second
	// keepSpare is how long after its start what is left of a block may go to
	// another group. Void it is only [gate.SlotLife] after its reservation; but
	// slots that everybody saves up would be used in one second some day.
	keepSpare = 2 * blockLasts
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

// get hands over up to n slots that may be used now, the oldest first.
func (s *spareSlots) get(n int, now time.Time) []block {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks = slices.DeleteFunc(s.blocks, func(b block) bool {
		return now.After(b.void) || now.After(b.start.Add(keepSpare))
	})
	begun, later := s.blocks, []block(nil)
	if i := slices.IndexFunc(s.blocks, func(b block) bool { return b.start.After(now) }); i >= 0 {
		begun, later = s.blocks[:i], s.blocks[i:]
	}
	got, rest := split(begun, n)
	s.blocks = append(slices.Clone(rest), later...)
	return got
}

// put takes slots over that nobody holds any more.
func (s *spareSlots) put(blocks ...block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks = append(s.blocks, blocks...)
	slices.SortStableFunc(s.blocks, func(a, b block) int { return a.start.Compare(b.start) })
}

// next is how large the next block should be: twice the last if that was used
// up early, as large if it was not, and what is needed where the pace is over
// that it was for; beyond what is needed no more than most.
func (s *spareSlots) next(need, most int, now time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.size
	switch lasted := now.Sub(s.start); {
	case lasted < blockLasts:
		size *= 2
	case lasted > keepSpare:
		size = 0
	}
	return max(need, min(size, most))
}

// begun notes a block that was reserved.
func (s *spareSlots) begun(b block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size, s.start = b.left, b.start
}

// blockSizes returns how many versions one call may have, and how many slots a
// block holds in advance. A call is no larger than what the rate gives while a
// block waits for its start: others with smaller ones would always be first.
func blockSizes(p policy.Policy, state gate.State, now time.Time) (limit, ahead int) {
	rate := state.RateAt(now)
	whileWaiting := rate * int(gate.SlotLife/2/time.Second)
	limit = max(1, min(objects.MaxPerDelete, p.Burst, state.Burst, whileWaiting))
	return limit, min(limit, rate/rateShare)
}

// usable leaves out what is void.
func usable(blocks []block, now time.Time) []block {
	return slices.DeleteFunc(blocks, func(b block) bool { return now.After(b.void) })
}

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
