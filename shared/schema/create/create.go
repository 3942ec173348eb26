package create

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/schema"
)

// activeWithin is how long a table, or its end, is waited for.
const activeWithin = 5 * time.Minute

// Clients are what an installation is created with.
type Clients struct {
	DynamoDB *dynamodb.Client
	SQS      *sqs.Client
	S3       *s3.Client
}

// For returns clients of one configuration.
func For(cfg aws.Config) Clients {
	return Clients{DynamoDB: awsconf.DynamoDB(cfg), SQS: awsconf.SQS(cfg), S3: awsconf.S3(cfg)}
}

// Created is what one Create made, and where the queues are.
type Created struct {
	// PurgeURL and DeadLetterURL are the queues' addresses, also of those that
	// existed.
	PurgeURL      string
	DeadLetterURL string
	EventsURL     string
	StoredURL     string
	// ReleasesURL is where an outbox sends to, ReleasesDeadURL where the relay
	// puts what cannot be read.
	ReleasesURL     string
	ReleasesDeadURL string

	clients Clients
	tables  []string
	queues  []string // URLs
	buckets []string
}

// Create makes everything the installation describes that does not exist yet,
// and returns when it can be used. After an error the Created holds what was
// made until then.
func Create(ctx context.Context, c Clients, in schema.Installation) (*Created, error) {
	made := &Created{clients: c}
	if err := made.table(ctx, in.Ledger); err != nil {
		return made, err
	}
	if err := made.allQueues(ctx, in); err != nil {
		return made, err
	}
	for _, b := range in.Buckets {
		if err := made.bucket(ctx, b); err != nil {
			return made, err
		}
	}
	return made, nil
}

// Delete takes away what this Create made, buckets with every version in them;
// what existed before stays. It goes on after an error and returns them all.
func (m *Created) Delete(ctx context.Context) error {
	var failed []error
	for _, name := range m.buckets {
		failed = append(failed, m.deleteBucket(ctx, name))
	}
	for _, url := range m.queues {
		failed = append(failed, m.deleteQueue(ctx, url))
	}
	for _, name := range m.tables {
		failed = append(failed, m.deleteTable(ctx, name))
	}
	return errors.Join(failed...)
}
