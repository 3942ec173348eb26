package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// Handle takes one SQS event and says which of its messages are not done. An
// event that is not one of SQS is an error: Lambda then takes all of it as
// failed, and no message is lost.
func (a *App) Handle(ctx context.Context, raw json.RawMessage) (events.SQSEventResponse, error) {
	batch, err := read(raw)
	if err != nil {
		return events.SQSEventResponse{}, fmt.Errorf("worker event: %w", err)
	}
	outcomes := a.worker.Purge(ctx, batch)
	var tally cleanup.PurgeTally
	tally.Add(outcomes...)
	a.log.InfoContext(ctx, "batch", "tally", tally)
	numbers := measured(outcomes, tally)
	numbers.Plain[telemetry.AuditUndelivered] = float64(a.trail.Flush(ctx, telemetry.Within(ctx, a.worker.Now())))
	if err := a.metrics.Put(a.worker.Now(), numbers); err != nil {
		a.log.ErrorContext(ctx, "metrics not written", "error", err)
	}
	return answer(batch, outcomes), nil
}

// read turns the event into what the engine takes.
func read(raw json.RawMessage) ([]command.Received, error) {
	var event events.SQSEvent
	if err := json.Unmarshal(raw, &event); err != nil {
		return nil, errors.New("it is not JSON of an SQS event") // the library's words may hold what it holds
	}
	if len(event.Records) == 0 {
		return nil, errors.New("no Records: expected those of an SQS event")
	}
	batch := make([]command.Received, len(event.Records))
	for i, r := range event.Records {
		if r.EventSource != "aws:sqs" || r.MessageId == "" || r.ReceiptHandle == "" {
			return nil, fmt.Errorf("record %d of %d is not an SQS message, with an id and a receipt", i+1, len(event.Records))
		}
		receives, err := strconv.Atoi(r.Attributes["ApproximateReceiveCount"])
		if err != nil {
			receives = 1 // only ever used for how long to wait
		}
		batch[i] = command.Received{MessageID: r.MessageId, Body: r.Body, Receipt: r.ReceiptHandle, Receives: receives}
	}
	return batch, nil
}

// answer begins with every message as failed and strikes off what is done. The
// list is never nil: a missing one is a malformed answer to some.
func answer(batch []command.Received, outcomes []cleanup.Outcome) events.SQSEventResponse {
	failed := make([]events.SQSBatchItemFailure, 0, len(batch))
	for i, message := range batch {
		if i < len(outcomes) && outcomes[i].MessageID == message.MessageID && outcomes[i].Done {
			continue
		}
		failed = append(failed, events.SQSBatchItemFailure{ItemIdentifier: message.MessageID})
	}
	return events.SQSEventResponse{BatchItemFailures: failed}
}
