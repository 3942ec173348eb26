package fault

import (
	"context"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// QueueCalls is what scheduler and worker call of a queue.
type QueueCalls interface {
	Send(ctx context.Context, commands []upload.Command) (accepted []bool, err error)
	Depth(ctx context.Context) (int64, error)
	Hide(ctx context.Context, receipt string, d time.Duration) error
	DeadLetter(ctx context.Context, m command.Received, reason string) error
}

// Queue is a queue whose calls may fail.
type Queue struct {
	next QueueCalls
	set  *Set
}

// Queue puts the set in front of a queue.
func (s *Set) Queue(next QueueCalls) *Queue { return &Queue{next, s} }

// Send see [QueueCalls].
func (q *Queue) Send(ctx context.Context, commands []upload.Command) ([]bool, error) {
	do := func(n int) []bool {
		accepted := make([]bool, len(commands))
		taken, _ := q.next.Send(ctx, commands[:n])
		copy(accepted, taken)
		return accepted
	}
	c := q.set.meet(ctx, "queue.Send")
	all, half := len(commands), len(commands)/2
	switch {
	case c.Kind == "":
		return q.next.Send(ctx, commands)
	case c.Kind == PartRefused:
		return do(half), c.Kind.err()
	case c.Kind == PartUnnamed:
		named := do(all)
		clear(named[half:])
		return named, c.Kind.err()
	case c.When == After:
		do(all)
	}
	return make([]bool, all), c.Kind.err()
}

// Depth see [QueueCalls].
func (q *Queue) Depth(ctx context.Context) (int64, error) {
	return call(ctx, q.set, "queue.Depth", func() (int64, error) { return q.next.Depth(ctx) })
}

// Hide see [QueueCalls]. A condition that fails says that the message is back
// already.
func (q *Queue) Hide(ctx context.Context, receipt string, d time.Duration) error {
	return run(ctx, q.set, "queue.Hide", upload.ErrAbsent, func() error { return q.next.Hide(ctx, receipt, d) })
}

// DeadLetter see [QueueCalls].
func (q *Queue) DeadLetter(ctx context.Context, m command.Received, reason string) error {
	return run(ctx, q.set, "queue.DeadLetter", nil, func() error { return q.next.DeadLetter(ctx, m, reason) })
}
