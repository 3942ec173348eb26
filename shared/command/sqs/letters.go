package sqs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
)

// Letters is a queue of dead letters: of messages that a worker gave up, that
// the queue's own redrive policy moved, or that another service could not
// deliver.
type Letters struct{ own *Queue }

// NewLetters returns the dead letters in the queue at url.
func NewLetters(client *sqs.Client, url string) *Letters { return &Letters{New(client, url, "")} }

// Depth is how many letters there are, hidden ones too. SQS counts
// approximately.
func (d *Letters) Depth(ctx context.Context) (int64, error) { return d.own.Depth(ctx) }

// Receive returns up to most letters, at most ten, waits up to 20 seconds for
// the first, and hides them for so long, of at most [command.MaxHide]. With a
// wait of less than a second SQS asks only some of its servers and may find
// nothing although something is there
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html).
func (d *Letters) Receive(ctx context.Context, most int, wait, hide time.Duration) ([]command.Letter, error) {
	if most < 1 {
		return nil, nil
	}
	out, err := d.own.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:              aws.String(d.own.url),
		MaxNumberOfMessages:   int32(min(most, command.MaxBatch)),
		WaitTimeSeconds:       int32(max(0, min(wait, maxWait)) / time.Second),
		VisibilityTimeout:     int32(command.HideFor(hide) / time.Second),
		MessageAttributeNames: []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{
			types.MessageSystemAttributeNameApproximateReceiveCount,
			types.MessageSystemAttributeNameSentTimestamp,
			types.MessageSystemAttributeNameDeadLetterQueueSourceArn,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("receive dead letters: %w", awsconf.Kind(err))
	}
	letters := make([]command.Letter, 0, len(out.Messages))
	for _, m := range out.Messages {
		letters = append(letters, letterOf(m))
	}
	return letters, nil
}

func letterOf(m types.Message) command.Letter {
	system := func(name types.MessageSystemAttributeName) string { return m.Attributes[string(name)] }
	// What is absent or unreadable is not known, and no reason to lose a letter.
	count, _ := strconv.Atoi(system(types.MessageSystemAttributeNameApproximateReceiveCount))
	deliveries, _ := strconv.Atoi(text(m, AttributeReceives))
	l := command.Letter{
		Received: command.Received{
			MessageID: aws.ToString(m.MessageId), Body: aws.ToString(m.Body),
			Receipt: aws.ToString(m.ReceiptHandle), Receives: max(1, count),
		},
		Reason: reasonOf(m), Source: text(m, AttributeSource), OriginalID: text(m, AttributeMessageID), Deliveries: deliveries,
		Moved: system(types.MessageSystemAttributeNameDeadLetterQueueSourceArn) != "",
	}
	if millis, err := strconv.ParseInt(system(types.MessageSystemAttributeNameSentTimestamp), 10, 64); err == nil && millis > 0 {
		l.SentAt = time.UnixMilli(millis).UTC()
	}
	if l.Moved && l.OriginalID == "" {
		l.OriginalID = l.MessageID // SQS keeps it
	}
	return l
}

// reasons are the attributes in which a letter may say why it is one: a
// worker's; EventBridge Scheduler's and a rule's
// (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html);
// a function's that was invoked asynchronously
// (https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html).
var reasons = []string{AttributeReason, "ERROR_MESSAGE", "ErrorMessage", "ERROR_CODE", "ErrorCode"}

func reasonOf(m types.Message) string {
	for _, name := range reasons {
		if said := text(m, name); said != "" {
			return command.DeadReason(said)
		}
	}
	return ""
}

func text(m types.Message, attribute string) string {
	return aws.ToString(m.MessageAttributes[attribute].StringValue)
}

// GiveBack makes received letters visible again, in batches of ten. A receipt
// that is not good any more is that of a letter which is back already. All are
// tried; the error is the first reason why one stays hidden, until its time is
// over.
func (d *Letters) GiveBack(ctx context.Context, receipts []string) (err error) {
	for batch := range slices.Chunk(receipts, command.MaxBatch) {
		err = cmp.Or(err, d.giveBack(ctx, batch))
	}
	return err
}

func (d *Letters) giveBack(ctx context.Context, batch []string) error {
	entries := make([]types.ChangeMessageVisibilityBatchRequestEntry, len(batch))
	for i, receipt := range batch {
		entries[i] = types.ChangeMessageVisibilityBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), ReceiptHandle: aws.String(receipt), VisibilityTimeout: 0,
		}
	}
	out, err := d.own.client.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{
		QueueUrl: aws.String(d.own.url), Entries: entries,
	})
	if err != nil {
		return fmt.Errorf("give back %d dead letters: %w", len(batch), awsconf.Kind(err))
	}
	for _, refused := range out.Failed {
		if code := aws.ToString(refused.Code); !refused.SenderFault {
			return errors.Join(fmt.Errorf("give back %d dead letters: one is refused: %s", len(batch), code), awsconf.KindOfCode(code))
		}
	}
	return nil
}

// Discard removes a received letter. upload.ErrAbsent if the receipt is not
// good any more; SQS does not always say so.
func (d *Letters) Discard(ctx context.Context, receipt string) error {
	_, err := d.own.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{
		QueueUrl: aws.String(d.own.url), ReceiptHandle: aws.String(receipt),
	})
	if err != nil {
		return fmt.Errorf("discard dead letter: %w", receiptError(err))
	}
	return nil
}
