package cleanup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/upload"
)

// executors is how many batches, each of another shard, are executed at once.
const executors = 8

// execution is the state that the shards of one execution share.
type execution struct {
	work
	plan *Plan

	mu turn // held while the gate is asked and the run is saved
	// stopped is why no shard goes on; "" while they do.
	stopped string
	failure error
	may     allowance
}

// execute carries the plan out, each shard in due order, and returns what
// became of its candidates. A plan is executed once; a second call is refused.
func (w work) execute(ctx context.Context, plan *Plan) (PassTally, error) {
	if plan.used {
		return PassTally{}, fmt.Errorf("%w: plan of run %s was executed already", upload.ErrRefused, plan.run)
	}
	plan.used = true
	e := &execution{work: w, plan: plan, may: allowanceOf(plan)}
	shards := e.inTurns(ctx)
	e.uncount()
	total := PassTally{}
	for _, x := range shards {
		total.merge(x.tally)
	}
	// The plan counted these itself, before anything was done to them.
	total.Candidates = plan.Stats().Candidates
	return total, e.failure
}

// inTurns executes the shards batch by batch.
func (e *execution) inTurns(ctx context.Context) []*shardExecution {
	all := make([]*shardExecution, len(e.plan.shards))
	for i := range all {
		all[i] = &shardExecution{execution: e, shard: &e.plan.shards[i], whole: true}
	}
	waiting := turnsOf(slices.Clone(all))
	var group errgroup.Group
	for range cmp.Or(e.pass.AtOnce, executors) {
		group.Go(func() error {
			waiting.take(ctx)
			return nil // a failure is kept in e: what was done elsewhere still counts
		})
	}
	_ = group.Wait()
	return all
}

// stop ends all shards at their next step, for the first reason given.
func (e *execution) stop(reason string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.halt(reason)
}

// halt is stop, for who has the turn.
func (e *execution) halt(reason string) {
	if e.stopped == "" {
		e.stopped = reason
		e.run.note(reason)
	}
}

// fail stops all shards and fails the run.
func (e *execution) fail(err error) {
	e.stop(SkipRunFailed)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failure = together(e.failure, err)
}

func (e *execution) note(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.run.note(line)
}

// halted says why nothing more may begin; "" if it may.
func (e *execution) halted(ctx context.Context) string {
	if ctx.Err() != nil || (e.enough != nil && e.enough()) || e.lease.Ending(e.pass.Now()) {
		e.stop(SkipOutOfTime)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stopped
}

// shardExecution carries out one shard's part.
type shardExecution struct {
	*execution
	shard *shardPlan
	tally PassTally
	begin int  // the first candidate that has not had its turn
	whole bool // every candidate before it was handled, so the cursor may move
}

func (x *shardExecution) log() *slog.Logger { return x.run.log }

// turn carries out one batch, and reports whether there is another.
func (x *shardExecution) turn(ctx context.Context) bool {
	count := x.shard.count()
	if count == 0 && x.shard.cursor.Round == nil {
		return false // nothing moved: most passes find most shards empty
	}
	if reason := x.halted(ctx); reason != "" {
		x.skipRest(x.begin, reason)
		return false
	}
	b := newBatch(x, x.begin)
	end := x.begin + len(b.candidates)
	stop := b.run(ctx)
	handled := x.begin + b.handled()
	if x.whole {
		x.save(ctx, handled)
	}
	x.begin, x.whole = end, x.whole && handled == end
	if stop != "" {
		x.skipRest(end, stop)
		return false
	}
	return end < count
}

func (x *shardExecution) skipRest(from int, reason string) {
	for _, c := range x.shard.all(from) {
		x.tally.skip(reason, c.count())
	}
}

// save moves the cursor behind the first handled candidates. A cursor that
// another pass has moved since it was read is left where it is.
func (x *shardExecution) save(ctx context.Context, handled int) {
	next := x.shard.advance(handled, x.pass.Now())
	err := x.pass.saveCursor(context.WithoutCancel(ctx), x.shard.shard, &next)
	switch {
	case errors.Is(err, upload.ErrChanged):
		x.note("a cursor was moved by another pass")
	case err != nil:
		x.fail(err)
	default:
		x.shard.cursor.revision = next.revision
	}
}
