package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// letter is a dead letter. As it was given up stands in first, which the
// queue's looks do not change.
type letter struct {
	command.Letter
	first     DeadLetter
	visibleAt time.Time
}

// DeadLetter is a message that was given up, and why.
type DeadLetter struct {
	command.Received
	Source string
	Reason string
}

// DeadLetter copies a message to the dead letters, with the reason. The
// message itself stays until it is acknowledged.
func (q *Queue) DeadLetter(ctx context.Context, m command.Received, reason string) error {
	return q.Park(ctx, m, "", reason)
}

// Park is DeadLetter for a release, with the name of its source.
func (q *Queue) Park(ctx context.Context, m command.Received, source, reason string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	reason = command.DeadReason(reason)
	q.sent++
	q.letters = append(q.letters, &letter{
		Letter: command.Letter{
			Received: command.Received{MessageID: fmt.Sprintf("m-%d", q.sent), Body: m.Body},
			Reason:   reason, Source: source, OriginalID: m.MessageID, Deliveries: m.Receives, SentAt: q.now(),
		},
		first: DeadLetter{m, source, reason}, visibleAt: q.now(),
	})
	return nil
}

// move gives up what was delivered too often. As in SQS the letter keeps the
// message's id and the instant at which it was sent.
func (q *Queue) move(now time.Time) {
	if q.moveAfter == 0 {
		return
	}
	q.messages = slices.DeleteFunc(q.messages, func(m *message) bool {
		if m.Receives < q.moveAfter || m.visibleAt.After(now) {
			return false
		}
		q.letters = append(q.letters, &letter{
			Letter: command.Letter{
				Received: command.Received{MessageID: m.MessageID, Body: m.Body, Receives: m.Receives},
				Moved:    true, OriginalID: m.MessageID, Deliveries: m.Receives, SentAt: m.sentAt,
			},
			first: DeadLetter{Received: m.Received}, visibleAt: now,
		})
		return true
	})
}

// DeadLetters returns the dead letters as they were given up.
func (q *Queue) DeadLetters() []DeadLetter {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []DeadLetter
	for _, l := range q.letters {
		all = append(all, l.first)
	}
	return all
}

// Letters is the queue's dead letters as a queue of their own.
func (q *Queue) Letters() *Letters { return &Letters{q} }

// Letters are the dead letters of a queue.
type Letters struct{ q *Queue }

// Put places any message among the dead letters: what others who may send
// there can put there.
func (d *Letters) Put(body string) {
	d.q.mu.Lock()
	defer d.q.mu.Unlock()
	d.q.sent++
	m := command.Received{MessageID: fmt.Sprintf("m-%d", d.q.sent), Body: body}
	d.q.letters = append(d.q.letters, &letter{
		Letter: command.Letter{Received: m, SentAt: d.q.now()}, first: DeadLetter{Received: m}, visibleAt: d.q.now(),
	})
}

// Depth counts the letters, hidden ones too.
func (d *Letters) Depth(ctx context.Context) (int64, error) {
	d.q.mu.Lock()
	defer d.q.mu.Unlock()
	return int64(len(d.q.letters)), ctx.Err()
}

// Receive returns up to most letters that are visible now, at most
// [command.MaxBatch], and hides them for so long. It never waits.
func (d *Letters) Receive(ctx context.Context, most int, _, hide time.Duration) ([]command.Letter, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.q.mu.Lock()
	defer d.q.mu.Unlock()
	now := d.q.now()
	var out []command.Letter
	for _, l := range d.q.letters {
		if len(out) == min(most, command.MaxBatch) {
			break
		}
		if l.visibleAt.After(now) {
			continue
		}
		l.Receives++
		l.Receipt = fmt.Sprintf("%s-d-%d", l.MessageID, l.Receives)
		l.visibleAt = now.Add(command.HideFor(hide))
		out = append(out, l.Letter)
	}
	return out, nil
}

// GiveBack makes received letters visible again. A receipt that is not good any
// more is that of one which is.
func (d *Letters) GiveBack(ctx context.Context, receipts []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.q.mu.Lock()
	defer d.q.mu.Unlock()
	for _, r := range receipts {
		if i := d.find(r); i >= 0 {
			d.q.letters[i].visibleAt = d.q.now()
		}
	}
	return nil
}

// Discard removes a received letter. upload.ErrAbsent if the receipt is not
// good any more; SQS does not always say so.
func (d *Letters) Discard(ctx context.Context, receipt string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.q.mu.Lock()
	defer d.q.mu.Unlock()
	i := d.find(receipt)
	if i < 0 {
		return fmt.Errorf("discard dead letter: not in flight by this receipt: %w", upload.ErrAbsent)
	}
	d.q.letters = slices.Delete(d.q.letters, i, i+1)
	return nil
}

func (d *Letters) find(receipt string) int {
	return slices.IndexFunc(d.q.letters, func(l *letter) bool { return receipt != "" && l.Receipt == receipt })
}
