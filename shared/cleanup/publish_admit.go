package cleanup

import (
	"context"
	"fmt"
	"time"
)

const (
	// admitted is how many commands one look at the gate and the queue admits:
	// about as many as the shards send at once anyway.
	admitted = executors * batchSize
	// admittedFor is how long a look is good for: as long as a worker's slots.
	admittedFor = 10 * time.Second
)

// allowance is what the shards of an execution may publish without asking the
// gate, the queue and the run again. It belongs to whoever holds the
// execution's turn.
type allowance struct {
	commands int // as many more
	asked    time.Time
	// objects are counted in the stored run and not published yet, by bucket;
	// uncounted are those of the plan that are not even counted.
	objects, uncounted map[string]int64
}

func allowanceOf(plan *Plan) allowance {
	a := allowance{objects: map[string]int64{}, uncounted: map[string]int64{}}
	for bucket, purges := range plan.Stats().Purges {
		a.uncounted[bucket] = purges.Objects
	}
	return a
}

// admit lets some commands through, which have so many objects by bucket, or
// says why none may: the gate has been closed, or the queue is too full. That
// ends all shards. What is let through is counted in the stored run before.
//
// So a pass that is paused publishes at most the commands of one look more, and
// a crash leaves at most the objects of one look, and a batch, counted that were
// not published.
func (e *execution) admit(ctx context.Context, commands int, objects map[string]int64) (closed string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped != "" {
		return e.stopped, nil
	}
	now := e.pass.Now()
	if e.may.commands < commands || now.Sub(e.may.asked) >= admittedFor {
		e.uncount() // what this look admits is to be counted as of now
		if closed, err = e.ask(ctx, commands); closed != "" || err != nil {
			return closed, err
		}
		e.may.asked = now
	}
	if err := e.count(ctx, now, commands, objects); err != nil {
		return "", err
	}
	e.may.commands -= commands
	return "", nil
}

// ask looks at the gate and at the queue's depth, for commands at least.
func (e *execution) ask(ctx context.Context, commands int) (closed string, err error) {
	state, err := e.pass.Switch.Read(ctx)
	if err != nil {
		return "", fmt.Errorf("read the gate: %w", err)
	}
	if closed = closedReason(state); closed != "" {
		e.halt(closed)
		return closed, nil
	}
	depth, err := e.pass.Queue.Depth(ctx)
	if err != nil {
		return "", fmt.Errorf("read the queue's depth: %w", err)
	}
	room := e.pass.Policy.QueueHighWater - depth
	if room < 0 {
		e.halt(SkipHighWater)
		return SkipHighWater, nil
	}
	e.may.commands = max(commands, int(min(admitted, room)))
	return "", nil
}

// count takes the objects from what the stored run has counted already, or
// counts them there: with as many more as go with the rest of what was admitted,
// if those are like these, but no more than the plan has.
func (e *execution) count(ctx context.Context, now time.Time, commands int, objects map[string]int64) error {
	more := map[string]int64{}
	for bucket, n := range objects {
		if n > e.may.objects[bucket] {
			rest := n * int64(max(1, e.may.commands/commands))
			more[bucket] = max(n-e.may.objects[bucket], min(rest, e.may.uncounted[bucket]))
		}
	}
	if len(more) > 0 {
		if err := e.run.raise(ctx, now, more); err != nil {
			return err
		}
	}
	for bucket, n := range more {
		e.may.objects[bucket] += n
		e.may.uncounted[bucket] -= n
	}
	for bucket, n := range objects {
		e.may.objects[bucket] -= n
	}
	return nil
}

// refused gives back the objects that the queue did not accept.
func (e *execution) refused(objects map[string]int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for bucket, n := range objects {
		e.may.objects[bucket] += n
	}
}

// uncount takes back what was counted and not published; stored with the run's
// end.
func (e *execution) uncount() {
	for bucket, n := range e.may.objects {
		e.run.lower(bucket, n)
		e.may.objects[bucket] = 0
		e.may.uncounted[bucket] += n
	}
}
