package cleanup

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/upload"
)

// batch is up to batchSize candidates in a row. done[i] is set when candidate
// i was dealt with, so that the cursor may pass it.
type batch struct {
	x          *shardExecution
	chunk      *chunk
	candidates []candidate // of the chunk
	done       []bool
}

func newBatch(x *shardExecution, begin int) *batch {
	k, candidates := x.shard.batch(begin)
	return &batch{x: x, chunk: k, candidates: candidates, done: make([]bool, len(candidates))}
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
			b.lose(i, b.chunk.word(c.reason))
		case c.action == upload.Purge && b.x.plan.held:
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
		ids[n] = b.chunk.id(&b.candidates[i])
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
			lost, err = b.apply(ctx, &b.candidates[i], records[n])
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
func (b *batch) apply(ctx context.Context, c *candidate, r upload.Record) (lost string, err error) {
	p := b.x.pass
	change, err := upload.Step(p.Policy, r, b.x.event(c), p.Now())
	if err == nil {
		err = p.Candidates.Commit(ctx, change)
	}
	switch {
	case errors.Is(err, upload.ErrChanged), errors.Is(err, upload.ErrRefused):
		return SkipLostCondition, nil
	case errors.Is(err, upload.ErrUnclear):
		b.decided(ctx, c, change, audit.Unclear)
		fallthrough
	case err != nil:
		return "", fmt.Errorf("upload %s: %w", r.ID, err)
	}
	b.decided(ctx, c, change, "")
	return "", nil
}

// decided writes a mark, a repair or a defer into the audit trail.
func (b *batch) decided(ctx context.Context, c *candidate, change upload.Change, outcome string) {
	x := b.x
	l := audit.Of(change, x.pass.Now())
	l.Who, l.Run, l.Why, l.Outcome = x.run.who(x.pass), x.plan.run, b.chunk.word(c.reason), outcome
	x.pass.Audit.Write(ctx, l)
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
