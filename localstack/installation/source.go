package installation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
)

// Deliver takes up to most messages from the queue, hands them to the worker's
// handler as one event, and acknowledges those that its answer does not name:
// what Lambda's event source does with ReportBatchItemFailures. It returns how
// many were taken and how many of those were acknowledged.
func (i *Installation) Deliver(ctx context.Context, most int) (taken, acknowledged int, err error) {
	batch, err := i.receive(ctx, most)
	if err != nil || len(batch) == 0 {
		return len(batch), 0, err
	}
	within := invocation{ctx, i.Clock.Now().Add(i.Policy.WorkerTimeout)}
	answer, err := i.handleMessages(within, batch)
	if err != nil {
		return len(batch), 0, fmt.Errorf("worker: %w", err)
	}
	failed := make(map[string]bool, len(answer.BatchItemFailures))
	for _, f := range answer.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	for _, m := range batch {
		if failed[m.MessageID] {
			continue
		}
		if err := i.Stores.Queue.Acknowledge(ctx, m.Receipt); err != nil {
			return len(batch), acknowledged, err
		}
		acknowledged++
	}
	return len(batch), acknowledged, nil
}

// Handle hands messages to the worker's handler as one event, in an invocation
// that ends at the deadline, and returns the ids that its answer leaves. It
// acknowledges nothing.
func (i *Installation) Handle(ctx context.Context, batch []command.Received, deadline time.Time) (map[string]bool, error) {
	answer, err := i.handleMessages(invocation{ctx, deadline}, batch)
	left := map[string]bool{}
	for _, f := range answer.BatchItemFailures {
		left[f.ItemIdentifier] = true
	}
	return left, err
}

// invocation is a context whose deadline is told on the installation's clock, as
// everything that the function sees is.
type invocation struct {
	context.Context
	deadline time.Time
}

// Deadline is when Lambda would end the invocation.
func (v invocation) Deadline() (time.Time, bool) { return v.deadline, true }

func (i *Installation) receive(ctx context.Context, most int) ([]command.Received, error) {
	var batch []command.Received
	for len(batch) < most {
		more, err := i.Stores.Queue.Receive(ctx, min(command.MaxBatch, most-len(batch)), 0)
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			break
		}
		batch = append(batch, more...)
	}
	return batch, nil
}

// ErrNotDrained: messages were still coming after the bound of Drain.
var ErrNotDrained = errors.New("the queue was not empty in time")

// Drain delivers batches until the queue has nothing visible twice in a row,
// and returns how many messages were acknowledged.
func (i *Installation) Drain(ctx context.Context, batch int) (acknowledged int, err error) {
	empty := 0
	for began := i.real(); empty < 2; {
		taken, done, err := i.Deliver(ctx, batch)
		acknowledged += done
		switch {
		case err != nil:
			return acknowledged, err
		case i.real().Sub(began) > drainWithin:
			return acknowledged, ErrNotDrained
		case taken == 0:
			empty++
		default:
			empty = 0
		}
	}
	return acknowledged, nil
}

const drainWithin = 5 * time.Minute
