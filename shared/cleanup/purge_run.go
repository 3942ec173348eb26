package cleanup

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// groupsAtOnce is how many groups of a batch are at work at most: while one
// waits for the store, others claim and finish.
const groupsAtOnce = 8

// run takes the groups from the slot to the last write, several side by side.
// They are admitted one after the other: so they wait for slots in their order,
// and no upload is claimed before its group's slots have come.
func (p *purge) run(ctx context.Context, groups [][]*job) {
	places := make(chan struct{}, min(groupsAtOnce, p.Concurrency))
	var all sync.WaitGroup
	for _, group := range groups {
		places <- struct{}{}
		a := p.admitted(ctx, group)
		all.Go(func() {
			defer func() { <-places }()
			p.shielded(ctx, group, func() { p.carryOut(ctx, a) })
			p.leaveRest(ctx, group)
		})
	}
	all.Wait()
}

// admission is a group, and whether it may begin.
type admission struct {
	group []*job
	slots *slots
	// refused: the bucket must not be deleted in. err: nothing may be claimed.
	refused, err error
}

func (p *purge) admitted(ctx context.Context, group []*job) admission {
	a := admission{group: group, slots: &slots{p: p}, err: errors.New("not admitted")}
	p.shielded(ctx, group, func() { a.refused, a.err = p.admit(ctx, a.slots, group) })
	return a
}

// carryOut claims, deletes and finishes. A group whose admission broke is
// stopped already.
func (p *purge) carryOut(ctx context.Context, a admission) {
	defer a.slots.giveBack()
	if a.err != nil {
		left := slices.DeleteFunc(slices.Clone(a.group), (*job).stopped)
		p.concludeAll(ctx, left, p.troubleOf("admit", a.err, KindWaiting))
		return
	}
	p.each(ctx, a.group, func(j *job) {
		p.claim(ctx, j)
		if a.refused != nil && j.started {
			j.stop(trouble{KindRetrying, a.refused.Error(), p.Now().Add(lookUpHide)})
		}
	})
	for left := running(a.group); len(left) > 0; left = running(left) {
		p.advance(ctx, a.slots, left)
	}
	p.each(ctx, a.group, func(j *job) { p.settle(ctx, j) })
}

func running(group []*job) []*job {
	var left []*job
	for _, j := range group {
		if j.runs() {
			left = append(left, j)
		}
	}
	return left
}

// admit checks the bucket and waits for slots: everything that comes before a
// claim. A bucket that must not be deleted in, or that waiting does not help to
// look at, does not keep its uploads from being claimed (refused): that is how
// they come to be parked.
func (p *purge) admit(ctx context.Context, s *slots, group []*job) (refused, err error) {
	if p.closed.Load() {
		return nil, gate.ErrClosed
	}
	if p.Now().After(p.claimUntil) {
		return nil, errLate
	}
	refused = p.checkBucket(ctx, group[0].record.Bucket)
	switch {
	case passing(refused):
		return nil, refused
	case refused != nil:
		p.Log.ErrorContext(ctx, "bucket cannot be deleted in", "bucket", group[0].record.Bucket, "reason", refused)
	}
	weight := 0
	for _, j := range group {
		weight += j.expected
	}
	err = s.reserve(ctx, min(max(weight, 1), p.limit))
	p.seen(err)
	return refused, err
}

// seen notes when the gate's answer is that it is closed.
func (p *purge) seen(err error) {
	if errors.Is(err, gate.ErrClosed) {
		p.closed.Store(true)
	}
}

// passing reports whether a look that failed may succeed when it is repeated.
func passing(err error) bool {
	for _, kind := range []error{upload.ErrThrottled, upload.ErrUnclear, context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// advance takes the jobs one window further: prepare, delete, and where the
// outcome is not known, note that, look, and delete what still stands.
func (p *purge) advance(ctx context.Context, s *slots, jobs []*job) {
	shots := p.prepareAll(ctx, jobs, func(ctx context.Context, j *job) []shot { return p.prepare(ctx, s, j) })
	p.fire(ctx, s, shots)
	var doubtful []*job
	for _, j := range jobs {
		if len(j.unclear()) > 0 {
			doubtful = append(doubtful, j)
		}
	}
	p.fire(ctx, s, p.prepareAll(ctx, doubtful, p.clarify))
	for _, j := range doubtful {
		if len(j.unclear()) > 0 && !j.stopped() {
			j.stop(trouble{KindRetrying, "delete: outcome unclear", p.Now().Add(lookUpHide)})
		}
	}
}

// prepareAll collects what the jobs would have deleted, in their order, so that
// the deletes of several uploads make one call.
func (p *purge) prepareAll(ctx context.Context, jobs []*job, prepare func(context.Context, *job) []shot) []shot {
	found := make([][]shot, len(jobs))
	place := make(map[*job]int, len(jobs))
	for i, j := range jobs {
		place[j] = i
	}
	p.each(ctx, jobs, func(j *job) { found[place[j]] = prepare(ctx, j) })
	var all []shot
	for _, shots := range found {
		all = append(all, shots...)
	}
	return all
}
