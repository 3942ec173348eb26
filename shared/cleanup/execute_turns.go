package cleanup

import (
	"context"
	"math"
	"sync"
)

// turns hands the shards out, a batch at a time: each is with one executor at
// most, and the one whose next candidate has been due for longest comes first.
// So a shard whose calls were slow, in this pass or an earlier one, catches up,
// and whatever ends a pass early, the queue's high water or the time, ends it
// with all shards at about the same instant.
//
// What a round visits was due before all that the fronts hold: rounds and fronts
// have their turns alternately, as long as there are both.
type turns struct {
	mu      sync.Mutex
	given   sync.Cond
	waiting []*shardExecution
	left    int  // shards that are not done
	round   bool // had the last turn
}

func turnsOf(all []*shardExecution) *turns {
	t := &turns{waiting: all, left: len(all)}
	t.given.L = &t.mu
	return t
}

// take has turns until no shard is left.
func (t *turns) take(ctx context.Context) {
	for x := t.next(); x != nil; x = t.next() {
		t.give(x, x.turn(ctx))
	}
}

// next waits for a shard; nil: all are done.
func (t *turns) next() *shardExecution {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.waiting) == 0 {
		if t.left == 0 {
			return nil
		}
		t.given.Wait()
	}
	best := 0
	for i, x := range t.waiting {
		if t.before(x, t.waiting[best]) {
			best = i
		}
	}
	x := t.waiting[best]
	t.waiting = append(t.waiting[:best], t.waiting[best+1:]...)
	t.round = x.inRound()
	return x
}

// before reports whether x has its turn before y.
func (t *turns) before(x, y *shardExecution) bool {
	if x.inRound() != y.inRound() {
		return x.inRound() != t.round
	}
	return x.due() < y.due()
}

// give takes a shard back; more says whether it has another batch.
func (t *turns) give(x *shardExecution, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if more {
		t.waiting = append(t.waiting, x)
		t.given.Signal()
		return
	}
	if t.left--; t.left == 0 {
		t.given.Broadcast()
	}
}

// inRound: its next candidate is one that a round visits.
func (x *shardExecution) inRound() bool { return x.begin < x.shard.round.Count }

// due is when its next candidate was due, in milliseconds since 1970; the end
// of time where it has none.
func (x *shardExecution) due() int64 {
	if x.begin >= x.shard.count() {
		return math.MaxInt64
	}
	_, c := x.shard.at(x.begin)
	return c.due
}
