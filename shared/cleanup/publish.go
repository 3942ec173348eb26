package cleanup

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/upload"
)

// publish hands the commands of some candidates to the queue and says why the
// shard stops; "" if it goes on.
func (b *batch) publish(ctx context.Context, which []int) string {
	if len(which) == 0 {
		return ""
	}
	which, err := b.recheck(ctx, which)
	if err == nil {
		var closed string
		if closed, err = b.x.admit(ctx, len(which), b.objects(which)); closed != "" {
			return b.leaveAll(which, closed)
		}
	}
	if err != nil {
		b.x.fail(err)
		return b.leaveAll(which, SkipRunFailed)
	}
	return b.send(ctx, which)
}

// send settles what the queue accepts. The first that it does not is where the
// cursor stays; if it accepts none at all, the run fails.
func (b *batch) send(ctx context.Context, which []int) string {
	commands := make([]upload.Command, len(which))
	for n, i := range which {
		commands[n] = b.command(&b.candidates[i])
	}
	accepted, err := b.x.pass.Queue.Send(ctx, commands)
	var refused []int
	for n, i := range which {
		if n >= len(accepted) || !accepted[n] {
			refused = append(refused, i)
			continue
		}
		b.settle(i, linePublished)
		b.x.log().DebugContext(ctx, linePublished, "tenant", commands[n].ID.Tenant,
			"upload", commands[n].ID.Upload, "operation", commands[n].Operation, "version", commands[n].Version)
	}
	if len(refused) == 0 {
		return ""
	}
	if len(refused) == len(which) {
		b.x.fail(fmt.Errorf("publish %d commands: %w", len(which), cmp.Or(err, errRefusedAll)))
	}
	b.x.note(SkipQueueRefused)
	b.x.log().ErrorContext(ctx, SkipQueueRefused, "refused", len(refused), "of", len(which), "error", err)
	if !errors.Is(err, upload.ErrUnclear) { // else they may be queued, and stay counted
		b.x.refused(b.objects(refused))
	}
	return b.leaveAll(refused, SkipQueueRefused)
}

// errRefusedAll stands in where a queue gives no reason.
var errRefusedAll = errors.New("the queue accepted none")

func (b *batch) command(c *candidate) upload.Command {
	return upload.Command{
		Run: b.x.plan.run, Operation: operations[c.op], ID: b.chunk.id(c),
		Version: c.version, Cutoff: b.x.plan.cutoff, Reason: b.chunk.word(c.reason),
	}
}

// recheck, for a plan that waited for its approval, drops what has changed
// since: the record's version, or what would be decided about it now.
func (b *batch) recheck(ctx context.Context, which []int) ([]int, error) {
	if !b.x.recheck {
		return which, nil
	}
	records, err := b.look(ctx, which)
	if err != nil {
		return which, err
	}
	var still []int
	for n, i := range which {
		c, r := &b.candidates[i], records[n]
		d, err := upload.Decide(b.x.pass.Policy, r, b.x.plan.cutoff, b.x.pass.Now())
		same := err == nil && r.Version == c.version && d.Action == upload.Purge && d.Operation == operations[c.op]
		if !same {
			b.lose(i, SkipLostCondition)
			continue
		}
		still = append(still, i)
	}
	return still, nil
}

// leaveAll leaves those candidates for a later pass, for the reason it returns.
func (b *batch) leaveAll(which []int, reason string) string {
	for _, i := range which {
		b.leave(i, reason)
	}
	return reason
}

// objects sums what some candidates hold, by bucket.
func (b *batch) objects(which []int) map[string]int64 {
	sum := map[string]int64{}
	for _, i := range which {
		c := &b.candidates[i]
		sum[b.chunk.word(c.bucket)] += c.objects
	}
	return sum
}
