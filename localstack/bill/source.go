package bill

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	queues "github.com/strandline-dev/strandline/shared/command/sqs"
)

// source does what Lambda's event source has to do with a queue, in as few calls
// as SQS allows: it receives ten messages at a time until a batch is full, and
// deletes what the function's answer does not name, ten at a time.
type source struct {
	client *sqs.Client
	queue  *queues.Queue
	url    string
}

func newSource(cfg aws.Config, url string) source {
	client := awsconf.SQS(cfg)
	return source{client: client, queue: queues.New(client, url, ""), url: url}
}

// receive waits for so many messages.
func (s source) receive(ctx context.Context, n int) ([]command.Received, error) {
	var batch []command.Received
	for empty := 0; len(batch) < n; {
		more, err := s.queue.Receive(ctx, min(command.MaxBatch, n-len(batch)), 0)
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			if empty++; empty == 3 {
				return nil, fmt.Errorf("the queue gave %d of %d messages", len(batch), n)
			}
		}
		batch = append(batch, more...)
	}
	return batch, nil
}

func (s source) remove(ctx context.Context, batch []command.Received) error {
	for ten := range slices.Chunk(batch, command.MaxBatch) {
		entries := make([]types.DeleteMessageBatchRequestEntry, len(ten))
		for i, m := range ten {
			entries[i] = types.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), ReceiptHandle: aws.String(m.Receipt)}
		}
		out, err := s.client.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: aws.String(s.url), Entries: entries})
		if err != nil {
			return fmt.Errorf("delete %d messages: %w", len(ten), awsconf.Kind(err))
		}
		if len(out.Failed) > 0 {
			return fmt.Errorf("%d of %d messages were not deleted", len(out.Failed), len(ten))
		}
	}
	return nil
}
