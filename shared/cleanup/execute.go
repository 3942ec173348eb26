package cleanup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/upload"
)

// executors is how many shards are executed at once.
const executors = 8

// execution is the state that the shards of one execution share.
type execution struct {
	work
	plan *Plan

	mu sync.Mutex
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
	e.failure = errors.Join(e.failure, err)
}

func (e *execution) note(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.run.note(line)
}

// halted says why nothing more may begin; "" if it may.
func (e *execution) halted(ctx context.Context) string {
	if ctx.Err() != nil || (e.enough != nil && e.enough()) || e.lease.ending(e.pass.Now()) {
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
	all := x.shard.candidates
	if len(all) == 0 && x.shard.cursor.Round == nil {
		return // nothing moved: most passes find most shards empty
	}
	whole := true // everything so far was handled, so the cursor may move
	for begin := 0; ; begin += batchSize {
		end := min(begin+batchSize, len(all))
		if reason := x.halted(ctx); reason != "" {
			x.skipRest(all[begin:], reason)
			return
		}
		b := newBatch(x, all[begin:end])
		stop := b.run(ctx)
		handled := begin + b.handled()
		if whole {
			x.save(ctx, handled)
		}
		whole = whole && handled == end
		if stop != "" {
			x.skipRest(all[end:], stop)
			return
		}
		if end == len(all) {
			return
		}
	}
}

func (x *shardExecution) skipRest(rest []candidate, reason string) {
	for i := range rest {
		x.tally.skip(reason, rest[i].count())
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

// batch is up to batchSize candidates in a row. done[i] is set when candidate
// i was dealt with, so that the cursor may pass it.
type batch struct {
	x          *shardExecution
	candidates []candidate
	done       []bool
}

func newBatch(x *shardExecution, candidates []candidate) *batch {
	return &batch{x: x, candidates: candidates, done: make([]bool, len(candidates))}
}

// handled is how many candidates from the first on were dealt with.
func (b *batch) handled() int {
	for i, done := range b.done {
		if !done {
			return i
		}
	}
	return len(b.done)
}

// settle counts a candidate and lets the cursor pass it.
func (b *batch) settle(i int, line string) {
	b.x.tally.add(line, b.candidates[i].count())
	b.done[i] = true
}

// lose counts a candidate whose record is not any more what was decided from.
func (b *batch) lose(i int, reason string) {
	b.x.tally.skip(reason, b.candidates[i].count())
	b.done[i] = true
}

// leave counts a candidate that must be looked at again.
func (b *batch) leave(i int, reason string) { b.x.tally.skip(reason, b.candidates[i].count()) }

// run carries the batch out and says why the shard stops; "" if it goes on.
func (b *batch) run(ctx context.Context) string {
	var write, send []int
	for i := range b.candidates {
		c := &b.candidates[i]
		switch {
		case c.action == upload.Skip:
			b.lose(i, b.x.shard.names.text(c.reason))
		case c.held:
			b.leave(i, SkipNoCensus)
		case c.action == upload.Purge:
			send = append(send, i)
		case c.action == upload.Mark || c.action == upload.Fix || c.writes:
			write = append(write, i)
		default:
			b.settle(i, lineOf(c.action))
		}
	}
	if stop := b.write(ctx, write); stop != "" {
		for _, i := range send {
			b.leave(i, stop)
		}
		return stop
	}
	return b.publish(ctx, send)
}

func lineOf(a upload.Action) string {
	switch a {
	case upload.Mark:
		return lineMarked
	case upload.Fix:
		return lineRepaired
	case upload.Stuck:
		return lineStuck
	}
	return lineKept
}

// look reads the records of some candidates again.
func (b *batch) look(ctx context.Context, which []int) ([]upload.Record, error) {
	ids := make([]upload.ID, len(which))
	for n, i := range which {
		ids[n] = b.x.shard.id(&b.candidates[i])
	}
	return b.x.pass.look(ctx, ids)
}

// write marks, repairs and defers, each on the version that the plan saw.
func (b *batch) write(ctx context.Context, which []int) string {
	if len(which) == 0 {
		return ""
	}
	records, err := b.look(ctx, which)
	for n, i := range which {
		lost := ""
		if err == nil {
			lost, err = b.x.apply(ctx, &b.candidates[i], records[n])
		}
		switch {
		case err != nil: // this one, and those after it
			b.leave(i, SkipRunFailed)
		case lost != "":
			b.lose(i, lost)
		default:
			b.settle(i, lineOf(b.candidates[i].action))
		}
	}
	if err != nil {
		b.x.fail(err)
		return SkipRunFailed
	}
	return ""
}

// apply makes one conditional write; the event names the version that the plan
// saw. lost says why its condition does not hold any more.
func (x *shardExecution) apply(ctx context.Context, c *candidate, r upload.Record) (lost string, err error) {
	p := x.pass
	change, err := upload.Step(p.Policy, r, x.event(c), p.Now())
	if err == nil {
		err = p.Candidates.Commit(ctx, change)
	}
	switch {
	case errors.Is(err, upload.ErrChanged), errors.Is(err, upload.ErrRefused):
		return SkipLostCondition, nil
	case err != nil:
		return "", fmt.Errorf("upload %s: %w", r.ID, err)
	}
	x.log().DebugContext(ctx, lineOf(c.action), "tenant", r.Tenant, "upload", r.Upload,
		"operation", change.Event, "fence", r.Fence)
	return "", nil
}

func (x *shardExecution) event(c *candidate) upload.Event {
	switch c.action {
	case upload.Mark:
		return upload.Expire{Version: c.version, Cutoff: x.plan.cutoff}
	case upload.Fix:
		return upload.Repair{Version: c.version, Cutoff: x.plan.cutoff}
	}
	return upload.Defer{Version: c.version, Cutoff: x.plan.cutoff}
}
