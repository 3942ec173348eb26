package recorder

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// Handle takes one event of S3 or of EventBridge, or SQS messages that hold one
// each.
//
// Of an event by itself it returns the [confirm.Tally]; an error makes Lambda
// invoke again, and after that gives the event to the function's own dead-letter
// queue. Of messages it returns which are not done; one that cannot be read is
// among them, and the queue puts it aside after its last receive.
func (a *App) Handle(ctx context.Context, raw json.RawMessage) (any, error) {
	messages, err := fromQueue(raw)
	if err != nil {
		return nil, fmt.Errorf("recorder event: %w", err)
	}
	if len(messages) > 0 {
		return a.messages(ctx, messages), nil
	}
	created, err := storageevent.Read(raw)
	if err != nil {
		return nil, fmt.Errorf("recorder event: %w", err)
	}
	return a.event(ctx, created)
}

// fromQueue returns the messages of an event of SQS; none if it is not one.
func fromQueue(raw json.RawMessage) ([]events.SQSMessage, error) {
	var e events.SQSEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, nil //nolint:nilerr // whoever reads it next says what it is not
	}
	if len(e.Records) == 0 || e.Records[0].EventSource != "aws:sqs" {
		return nil, nil
	}
	for i, m := range e.Records {
		if m.EventSource != "aws:sqs" || m.MessageId == "" {
			return nil, fmt.Errorf("record %d of %d is not an SQS message, as the first is, or has no id", i+1, len(e.Records))
		}
	}
	return e.Records, nil
}

// event confirms what one event tells of.
func (a *App) event(ctx context.Context, created []storageevent.Created) (confirm.Tally, error) {
	outcomes := a.confirm(ctx, created)
	tally := a.tell(ctx, outcomes, 0)
	for _, o := range outcomes {
		if !o.Done() {
			return tally, fmt.Errorf("recorder event: %d of %d objects: %w", tally.Failed, len(outcomes), o.Err)
		}
	}
	return tally, nil
}

// messages confirms what a batch of them tells of, all together: those of one
// upload take turns. The answer begins with every message as failed and strikes
// off each that is done; its list is never nil, since a missing one is a
// malformed answer to some.
func (a *App) messages(ctx context.Context, messages []events.SQSMessage) events.SQSEventResponse {
	var all []storageevent.Created
	var of []int // the message that told of each
	left := make([]int, len(messages))
	unread := 0
	for i, m := range messages {
		created, err := storageevent.Read(json.RawMessage(m.Body))
		if err != nil {
			a.log.ErrorContext(ctx, "message not read", "message", m.MessageId, "error", err)
			left[i], unread = 1, unread+1
			continue
		}
		for _, c := range created {
			all, of = append(all, c), append(of, i)
			left[i]++
		}
	}
	outcomes := a.confirm(ctx, all)
	for n, o := range outcomes {
		if o.Done() {
			left[of[n]]--
		}
	}
	failed := make([]events.SQSBatchItemFailure, 0, len(messages))
	for i, m := range messages {
		if left[i] > 0 {
			failed = append(failed, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
		}
	}
	a.tell(ctx, outcomes, unread)
	return events.SQSEventResponse{BatchItemFailures: failed}
}

// stopWithin before its deadline an invocation stops, so that it can still say
// what is done: a large object that it hashes may take longer than is left.
const stopWithin = 10 * time.Second

func (a *App) confirm(ctx context.Context, all []storageevent.Created) []confirm.Outcome {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-stopWithin))
		defer cancel()
	}
	return a.recorder.Confirm(ctx, all)
}

// tell logs and measures an invocation, and brings its audit trail to its group.
func (a *App) tell(ctx context.Context, outcomes []confirm.Outcome, unread int) confirm.Tally {
	tally := confirm.Tally{Failed: unread}
	tally.Add(outcomes...)
	a.log.InfoContext(ctx, "batch", "tally", tally)
	numbers := measured(tally)
	numbers.Plain[telemetry.AuditUndelivered] = float64(a.trail.Flush(ctx, telemetry.Within(ctx, a.recorder.Now())))
	if err := a.metrics.Put(a.recorder.Now(), numbers); err != nil {
		a.log.ErrorContext(ctx, "metrics not written", "error", err)
	}
	return tally
}
