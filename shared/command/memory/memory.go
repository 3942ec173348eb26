// Package memory is a queue in one process, in the order in which it was
// filled and on the clock it is given: for tests, the simulation and the demo
// without a cloud.
package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Queue is a queue with its dead letters. A message that was received is
// hidden for the visibility timeout, unless Hide sets another; then it is
// delivered again. Only its latest receipt is good.
type Queue struct {
	now        func() time.Time
	visibility time.Duration

	mu       sync.Mutex
	sent     int
	messages []*message
	letters  []*letter
	// moveAfter, if not 0, is how often a message is delivered before it is
	// moved to the dead letters.
	moveAfter int
}

type message struct {
	command.Received
	sentAt    time.Time
	visibleAt time.Time
}

// New returns an empty queue on the clock now.
func New(now func() time.Time, visibility time.Duration) *Queue {
	return &Queue{now: now, visibility: visibility}
}

// Send puts commands into the queue. accepted[i] says whether command i is in
// it; the error is nil exactly if all are, and else gives the first reason.
func (q *Queue) Send(ctx context.Context, commands []upload.Command) (accepted []bool, err error) {
	accepted = make([]bool, len(commands))
	if err := ctx.Err(); err != nil {
		return accepted, err
	}
	for i, c := range commands {
		body, refused := command.Encode(c)
		if refused == nil {
			q.Put(string(body))
			accepted[i] = true
		} else if err == nil {
			err = fmt.Errorf("send command %d of %d: %w", i+1, len(commands), refused)
		}
	}
	return accepted, err
}

// MoveAfter has the queue move a message to the dead letters by itself where it
// would be delivered more often: SQS's redrive policy.
func (q *Queue) MoveAfter(deliveries int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.moveAfter = deliveries
}

// Put places any message: what others who may send to a queue can put there.
func (q *Queue) Put(body string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sent++
	q.messages = append(q.messages, &message{
		Received:  command.Received{MessageID: fmt.Sprintf("m-%d", q.sent), Body: body},
		sentAt:    q.now(),
		visibleAt: q.now(),
	})
}

// Depth counts the messages that are not acknowledged, hidden ones too.
func (q *Queue) Depth(ctx context.Context) (int64, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int64(len(q.messages)), ctx.Err()
}

// Receive returns up to most messages that are visible now, at most
// [command.MaxBatch], and hides them. It never waits: on a clock that is not the wall's, waiting is the caller's.
func (q *Queue) Receive(ctx context.Context, most int, _ time.Duration) ([]command.Received, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	q.move(now)
	var out []command.Received
	for _, m := range q.messages {
		if len(out) == min(most, command.MaxBatch) {
			break
		}
		if m.visibleAt.After(now) {
			continue
		}
		m.Receives++
		m.Receipt = fmt.Sprintf("%s-r-%d", m.MessageID, m.Receives)
		m.visibleAt = now.Add(q.visibility)
		out = append(out, m.Received)
	}
	return out, nil
}

// Hide has a received message come back after d from now, of at most
// [command.MaxHide]. upload.ErrAbsent if the receipt is not good any more.
func (q *Queue) Hide(ctx context.Context, receipt string, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	i := q.find(receipt)
	if i < 0 || !q.messages[i].visibleAt.After(q.now()) {
		return fmt.Errorf("hide message: not in flight by this receipt: %w", upload.ErrAbsent)
	}
	q.messages[i].visibleAt = q.now().Add(command.HideFor(d))
	return nil
}

// Acknowledge removes a message. As in SQS, an older receipt succeeds and
// removes nothing.
func (q *Queue) Acknowledge(ctx context.Context, receipt string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.find(receipt); i >= 0 {
		q.messages = slices.Delete(q.messages, i, i+1)
	}
	return nil
}

func (q *Queue) find(receipt string) int {
	return slices.IndexFunc(q.messages, func(m *message) bool { return receipt != "" && m.Receipt == receipt })
}
