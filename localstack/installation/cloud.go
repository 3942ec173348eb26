package installation

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	sources "github.com/strandline-dev/strandline/shared/source/dynamo"
)

// OnCloud creates an installation's resources under a prefix of its own and
// returns it; the bucket has object lock enabled. Remove deletes what was made.
func OnCloud(ctx context.Context, cfg aws.Config, prefix string, o Options) (*Installation, *Cloud, error) {
	in, err := schema.New(prefix, o.Policy, "uploads")
	if err != nil {
		return nil, nil, err
	}
	in.Buckets[0].ObjectLock = true
	made, err := create.Create(ctx, create.For(cfg), in)
	if err == nil {
		err = made.KeepExpired(ctx)
	}
	if err != nil {
		return nil, nil, errors.Join(err, made.Delete(context.WithoutCancel(ctx)))
	}
	dynamo, queue := awsconf.DynamoDB(cfg), sqs.New(awsconf.SQS(cfg), made.PurgeURL, made.DeadLetterURL)
	i, err := assemble(ctx, Stores{
		Ledger:  ledgers.New(dynamo, in.Ledger.Name),
		Objects: s3.New(awsconf.S3(cfg)),
		Gate:    gates.New(dynamo, in.Ledger.Name, gateName, o.Clock.Now),
		Queue:   queue,
		Rows:    sources.New(dynamo),

		Releases:     sqs.New(awsconf.SQS(cfg), made.ReleasesURL, made.ReleasesDeadURL),
		ReleasesDead: sqs.NewLetters(awsconf.SQS(cfg), made.ReleasesDeadURL),
	}, names{table: in.Ledger.Name, queueURL: made.PurgeURL, deadLetterURL: made.DeadLetterURL, bucket: in.Buckets[0].Name}, o)
	if err != nil {
		return nil, nil, errors.Join(err, made.Delete(context.WithoutCancel(ctx)))
	}
	cloud := &Cloud{QueueURL: made.PurgeURL, DeadLetterURL: made.DeadLetterURL, ReleasesURL: made.ReleasesURL, Config: cfg}
	i.remove = func(ctx context.Context) error {
		return errors.Join(cloud.liftHolds(ctx, i.Bucket), made.Delete(ctx))
	}
	return i, cloud, nil
}
