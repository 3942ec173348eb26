package cleanup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/upload"
)

// executors is how many shards are executed at once.
const executors = 8

// execution is the state that the shards of one execution share.
type execution struct {
	work
	plan *Plan

	mu turn // held while the run is saved
	// stopped is why no shard goes on; "" while they do.
	stopped string
	failure error
}

// execute carries the plan out, shard by shard in due order, and returns what
// became of its candidates. A plan is executed once; a second call is refused.
func (w work) execute(ctx context.Context, plan *Plan) (PassTally, error) {
	if plan.used {
		return PassTally{}, fmt.Errorf("%w: plan of run %s was executed already", upload.ErrRefused, plan.run)
	}
	plan.used = true
	e := &execution{work: w, plan: plan}
	tallies := make([]PassTally, len(plan.shards))
	var group errgroup.Group
	group.SetLimit(executors)
	for i := range plan.shards {
		group.Go(func() error {
			x := shardExecution{execution: e, shard: &plan.shards[i], tally: &tallies[i]}
			x.run(ctx)
			return nil // a failure is kept in e: what was done elsewhere still counts
		})
	}
	_ = group.Wait()
	total := PassTally{}
	for _, t := range tallies {
		total.merge(t)
	}
	// The plan counted these itself, before anything was done to them.
	total.Candidates = plan.Stats().Candidates
	return total, e.failure
}

// stop ends all shards at their next step, for the first reason given.
func (e *execution) stop(reason string) {
	e.mu.Lock()
	defer e.mu.Unlock()
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
	tally *PassTally
}

func (x *shardExecution) log() *slog.Logger { return x.execution.run.log }

func (x *shardExecution) run(ctx context.Context) {
	count := x.shard.count()
	if count == 0 && x.shard.cursor.Round == nil {
		return // nothing moved: most passes find most shards empty
	}
	whole := true // everything so far was handled, so the cursor may move
	for begin := 0; ; begin += batchSize {
		if reason := x.halted(ctx); reason != "" {
			x.skipRest(begin, reason)
			return
		}
		b := newBatch(x, begin)
		end := begin + len(b.candidates)
		stop := b.run(ctx)
		handled := begin + b.handled()
		if whole {
			x.save(ctx, handled)
		}
		whole = whole && handled == end
		if stop != "" {
			x.skipRest(end, stop)
			return
		}
		if end == count {
			return
		}
	}
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
