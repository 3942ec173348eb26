package recorder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/storageevent"
)

// Handle takes one event of S3 or of EventBridge, or SQS messages that hold one
// each.
//
// Of an event by itself it returns the [confirm.Tally]; an error makes Lambda
// invoke again, and after that gives the event to the function's own dead-letter
// queue. Of messages it returns which are not done; one that cannot be read is
// among them, and the queue puts it aside.
func (a *App) Handle(ctx context.Context, raw json.RawMessage) (any, error) {
	messages, err := fromQueue(raw)
	if err != nil {
		return nil, fmt.Errorf("recorder event: %w", err)
	}
	if messages != nil {
		return a.batch(ctx, messages), nil
	}
	created, err := storageevent.Read(raw)
	if err != nil {
		return nil, fmt.Errorf("recorder event: %w", err)
	}
	return a.single(ctx, created)
}

// single confirms what one event tells of.
func (a *App) single(ctx context.Context, created []storageevent.Created) (confirm.Tally, error) {
	outcomes := a.recorder.Confirm(ctx, created)
	tally := a.tell(ctx, outcomes, 0)
	var failed []error
	for _, o := range outcomes {
		failed = append(failed, o.Err)
	}
	return tally, errors.Join(failed...)
}

// batch confirms what messages tell of. Its list is never nil: a missing one is
// a malformed answer to some.
func (a *App) batch(ctx context.Context, messages []events.SQSMessage) events.SQSEventResponse {
	var all []storageevent.Created
	var of []int // whose message each is
	done := make([]bool, len(messages))
	unread := 0
	for i, m := range messages {
		created, err := storageevent.Read(json.RawMessage(m.Body))
		if err != nil {
			a.log.ErrorContext(ctx, "message not read", "message", m.MessageId, "error", err)
			unread++
			continue
		}
		done[i] = true
		for range created {
			of = append(of, i)
		}
		all = append(all, created...)
	}
	outcomes := a.recorder.Confirm(ctx, all)
	for n, o := range outcomes {
		done[of[n]] = done[of[n]] && o.Done()
	}
	a.tell(ctx, outcomes, unread)
	failed := make([]events.SQSBatchItemFailure, 0, len(messages))
	for i, m := range messages {
		if !done[i] {
			failed = append(failed, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
		}
	}
	return events.SQSEventResponse{BatchItemFailures: failed}
}

// tell logs and measures an invocation.
func (a *App) tell(ctx context.Context, outcomes []confirm.Outcome, unread int) (tally confirm.Tally) {
	tally.Add(outcomes...)
	tally.Failed += unread
	a.log.InfoContext(ctx, "batch", "tally", tally)
	return tally
}

// fromQueue returns the messages of an event of SQS; none if it is not one.
func fromQueue(raw json.RawMessage) ([]events.SQSMessage, error) {
	var e events.SQSEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, nil //nolint:nilerr // not one of SQS; whoever reads it next says what it is not
	}
	if len(e.Records) == 0 || e.Records[0].EventSource != "aws:sqs" {
		return nil, nil
	}
	for i, m := range e.Records {
		if m.EventSource != "aws:sqs" || m.MessageId == "" {
			return nil, fmt.Errorf("record %d of %d is not an SQS message: event source %q", i+1, len(e.Records), m.EventSource)
		}
	}
	return e.Records, nil
}
