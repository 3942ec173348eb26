package sqs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	smithytime "github.com/aws/smithy-go/time"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// The attributes of a dead letter.
const (
	AttributeReason    = "reason"
	AttributeMessageID = "original-message-id"
	AttributeReceives  = "receive-count"
	// AttributeSource names the source of a release that was parked.
	AttributeSource = "source"
)

// maxWait is the longest that SQS waits for a message.
const maxWait = 20 * time.Second

// Queue is a queue and the one for its dead letters.
type Queue struct {
	client      *sqs.Client
	url         string
	deadLetters string
	// sleep waits before a refused entry is sent again.
	sleep func(ctx context.Context, d time.Duration) error
}

// New returns the queue at queueURL, whose dead letters go to deadLetterURL.
func New(client *sqs.Client, queueURL, deadLetterURL string) *Queue {
	return &Queue{client: client, url: queueURL, deadLetters: deadLetterURL, sleep: smithytime.SleepWithContext}
}

// Depth is how many messages are in the queue: visible, in flight and delayed.
// SQS counts approximately.
func (q *Queue) Depth(ctx context.Context) (int64, error) {
	counts := []types.QueueAttributeName{
		types.QueueAttributeNameApproximateNumberOfMessages,
		types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
		types.QueueAttributeNameApproximateNumberOfMessagesDelayed,
	}
	out, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(q.url), AttributeNames: counts,
	})
	if err != nil {
		return 0, fmt.Errorf("read the queue's depth: %w", awsconf.Kind(err))
	}
	depth := int64(0)
	for _, name := range counts {
		held := out.Attributes[string(name)]
		n, err := strconv.ParseInt(held, 10, 64)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("read the queue's depth: %s is %q: expected a count", name, held)
		}
		depth += n
	}
	return depth, nil
}

// Receive returns up to most messages, at most ten, and waits up to 20 seconds
// for the first. What it returns is hidden for the queue's visibility timeout.
func (q *Queue) Receive(ctx context.Context, most int, wait time.Duration) ([]command.Received, error) {
	if most < 1 {
		return nil, nil
	}
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:            aws.String(q.url),
		MaxNumberOfMessages: int32(min(most, command.MaxBatch)),
		WaitTimeSeconds:     int32(max(0, min(wait, maxWait)) / time.Second),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{
			types.MessageSystemAttributeNameApproximateReceiveCount,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("receive from the queue: %w", awsconf.Kind(err))
	}
	received := make([]command.Received, 0, len(out.Messages))
	for _, m := range out.Messages {
		// A count that is absent or unreadable is that of a first delivery.
		count, _ := strconv.Atoi(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
		received = append(received, command.Received{
			MessageID: aws.ToString(m.MessageId),
			Body:      aws.ToString(m.Body),
			Receipt:   aws.ToString(m.ReceiptHandle),
			Receives:  max(1, count),
		})
	}
	return received, nil
}

// Acknowledge removes a received message from the queue. upload.ErrAbsent if
// the receipt is not good any more; SQS does not always say so.
func (q *Queue) Acknowledge(ctx context.Context, receipt string) error {
	_, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{
		QueueUrl: aws.String(q.url), ReceiptHandle: aws.String(receipt),
	})
	if err != nil {
		return fmt.Errorf("acknowledge message: %w", receiptError(err))
	}
	return nil
}

// Hide has a received message come back after d, in whole seconds and at most
// [command.MaxHide]. upload.ErrAbsent if the receipt is not good any more: the
// message is back already.
//
// SQS hides a message for 12 hours in all, counted from the delivery. Where
// repeated calls go beyond that it refuses, and the message comes back when its
// present timeout ends: sooner than asked, which costs a delivery and nothing
// else. So that is no error.
func (q *Queue) Hide(ctx context.Context, receipt string, d time.Duration) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl:          aws.String(q.url),
		ReceiptHandle:     aws.String(receipt),
		VisibilityTimeout: int32(command.HideFor(d) / time.Second),
	})
	if err == nil || beyondTotal(err) {
		return nil
	}
	return fmt.Errorf("hide message: %w", receiptError(err))
}

// invalidParameter is the code that SQS has for both; only its text tells
// which parameter it means.
const invalidParameter = "InvalidParameterValue"

func beyondTotal(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && strings.HasSuffix(api.ErrorCode(), invalidParameter) &&
		strings.Contains(api.ErrorMessage(), "Total VisibilityTimeout")
}

// receiptError is the call's error, as upload.ErrAbsent where it is about a
// receipt that is not good any more.
func receiptError(err error) error {
	var (
		inFlight *types.MessageNotInflight
		invalid  *types.ReceiptHandleIsInvalid
		api      smithy.APIError
	)
	expired := errors.As(err, &api) && strings.HasSuffix(api.ErrorCode(), invalidParameter) &&
		strings.Contains(api.ErrorMessage(), "parameter ReceiptHandle")
	if expired || errors.As(err, &inFlight) || errors.As(err, &invalid) {
		return fmt.Errorf("%w: %w", upload.ErrAbsent, awsconf.Kind(err))
	}
	return awsconf.Kind(err)
}

// DeadLetter sends a message to the dead letters, with the reason, its id and
// how often it was delivered. It does not take it out of the queue: whoever
// handles the delivery acknowledges it afterwards.
func (q *Queue) DeadLetter(ctx context.Context, m command.Received, reason string) error {
	return q.deadLetter(ctx, m, "", reason)
}

// Park is DeadLetter for a release, or for the record of a table's stream: with
// the name of its source, if that is known.
func (q *Queue) Park(ctx context.Context, m command.Received, source, reason string) error {
	return q.deadLetter(ctx, m, source, reason)
}

func (q *Queue) deadLetter(ctx context.Context, m command.Received, source, reason string) error {
	attributes := map[string]types.MessageAttributeValue{
		AttributeReason:   attribute("String", command.DeadReason(reason)),
		AttributeReceives: attribute("Number", strconv.Itoa(m.Receives)),
	}
	if m.MessageID != "" {
		attributes[AttributeMessageID] = attribute("String", m.MessageID)
	}
	if source != "" {
		attributes[AttributeSource] = attribute("String", source)
	}
	_, err := q.client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl:          aws.String(q.deadLetters),
		MessageBody:       aws.String(m.Body),
		MessageAttributes: attributes,
	})
	if err != nil {
		return fmt.Errorf("dead-letter message %s: %w", m.MessageID, awsconf.Kind(err))
	}
	return nil
}

func attribute(kind, value string) types.MessageAttributeValue {
	return types.MessageAttributeValue{DataType: aws.String(kind), StringValue: aws.String(value)}
}
