package cleanup

import (
	"context"
	"errors"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// run takes one group from the slot to the last write.
func (p *purge) run(ctx context.Context, group []*job) {
	s := &slots{p: p}
	refused, err := p.admit(ctx, s, group)
	if err != nil {
		p.concludeAll(ctx, group, p.troubleOf("admit", err, KindWaiting))
		return
	}
	p.each(ctx, group, func(j *job) {
		p.claim(ctx, j)
		if refused != nil && j.started {
			j.stop(trouble{KindRetrying, refused.Error(), p.Now().Add(lookUpHide)})
		}
	})
	for left := running(group); len(left) > 0; left = running(left) {
		p.advance(ctx, s, left)
	}
	p.each(ctx, group, func(j *job) { p.settle(ctx, j) })
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
	if p.closed {
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
	p.closed = p.closed || errors.Is(err, gate.ErrClosed)
	return refused, err
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
