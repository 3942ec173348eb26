package look

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/rights"
)

// probe names what does not exist: an item, a key, an upload.
const probe = "strandline-doctor-probe"

// trial does something that has no effect; only a denial, or no answer, counts.
type trial struct {
	on     rights.Place
	action string
	do     []func(context.Context) error // on each thing of the kind
}

func (e *eye) try(ctx context.Context, t trial) {
	a := checkup.Asked{Who: checkup.You, On: t.on, Action: t.action, Allowed: true}
	for _, do := range t.do {
		if err := do(ctx); err != nil {
			if f := failure(err); f.Kind == checkup.Denied || f.Kind == checkup.Silent {
				a.Allowed, a.Failed = false, f
				break
			}
		}
	}
	e.asked(a)
}

// trials are all that is harmless to try.
func (e *eye) trials() []trial {
	all := e.onTable()
	for _, q := range []struct {
		on  rights.Place
		url string
	}{
		{rights.PurgeQueue, e.Site.QueueURL}, {rights.PurgeDead, e.Site.DeadLetterURL},
		{rights.StoredQueue, e.Site.Beside(e.StoredURL, "stored")}, {rights.ReleasesQueue, e.Site.Beside(e.ReleasesURL, "releases")},
		{rights.ReleasesDead, e.Site.Beside(e.ReleasesDeadURL, "releases-dead")},
	} {
		if q.url != "" {
			all = append(all, trial{q.on, "sqs:GetQueueAttributes", []func(context.Context) error{func(ctx context.Context) error {
				_, err := e.queues.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: aws.String(q.url)})
				return err
			}}})
		}
	}
	if len(e.facts.Buckets) == 0 {
		return all
	}
	return append(all, e.onBuckets()...)
}

// once is a trial on one thing.
func once(on rights.Place, action string, do func(context.Context) error) trial {
	return trial{on, action, []func(context.Context) error{do}}
}

// onTable tries the calls on an item that does not exist.
func (e *eye) onTable() []trial {
	return slices.Concat(e.reads(), e.writes(), e.descriptions())
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func absentItem() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{schema.PartitionKey: text(probe), schema.SortKey: text(probe)}
}

func (e *eye) reads() []trial {
	table, value := aws.String(e.Site.Table), map[string]types.AttributeValue{":p": text(probe)}
	return []trial{
		once(rights.Table, "dynamodb:GetItem", func(ctx context.Context) error {
			_, err := e.dynamo.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: absentItem()})
			return err
		}),
		once(rights.Table, "dynamodb:BatchGetItem", func(ctx context.Context) error {
			_, err := e.dynamo.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				e.Site.Table: {Keys: []map[string]types.AttributeValue{absentItem()}},
			}})
			return err
		}),
		once(rights.Table, "dynamodb:Query", func(ctx context.Context) error {
			_, err := e.dynamo.Query(ctx, &dynamodb.QueryInput{
				TableName: table, Limit: aws.Int32(1),
				KeyConditionExpression: aws.String(schema.PartitionKey + " = :p"), ExpressionAttributeValues: value,
			})
			return err
		}),
		once(rights.Index, "dynamodb:Query", func(ctx context.Context) error {
			_, err := e.dynamo.Query(ctx, &dynamodb.QueryInput{
				TableName: table, IndexName: aws.String(schema.DueIndex), Limit: aws.Int32(1),
				KeyConditionExpression: aws.String(schema.DueShard + " = :p"), ExpressionAttributeValues: value,
			})
			return err
		}),
		once(rights.Table, "dynamodb:Scan", func(ctx context.Context) error {
			_, err := e.dynamo.Scan(ctx, &dynamodb.ScanInput{TableName: table, Limit: aws.Int32(1), Select: types.SelectCount})
			return err
		}),
	}
}

// writes are tried on a condition that no item can meet.
func (e *eye) writes() []trial {
	table, never := aws.String(e.Site.Table), aws.String("attribute_exists(pk) AND attribute_not_exists(pk)")
	return []trial{
		once(rights.Table, "dynamodb:PutItem", func(ctx context.Context) error {
			_, err := e.dynamo.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: absentItem(), ConditionExpression: never})
			return err
		}),
		once(rights.Table, "dynamodb:UpdateItem", func(ctx context.Context) error {
			_, err := e.dynamo.UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName: table, Key: absentItem(), ConditionExpression: never, UpdateExpression: aws.String("SET probe = :p"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":p": text(probe)},
			})
			return err
		}),
		once(rights.Table, "dynamodb:DeleteItem", func(ctx context.Context) error {
			_, err := e.dynamo.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: absentItem(), ConditionExpression: never})
			return err
		}),
	}
}

func (e *eye) descriptions() []trial {
	table := aws.String(e.Site.Table)
	return []trial{
		once(rights.Table, "dynamodb:DescribeTable", func(ctx context.Context) error {
			_, err := e.dynamo.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: table})
			return err
		}),
		once(rights.Table, "dynamodb:DescribeContinuousBackups", func(ctx context.Context) error {
			_, err := e.dynamo.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: table})
			return err
		}),
		once(rights.Table, "dynamodb:DescribeTimeToLive", func(ctx context.Context) error {
			_, err := e.dynamo.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: table})
			return err
		}),
	}
}

// each is a trial on every bucket.
func (e *eye) each(on rights.Place, action string, do func(ctx context.Context, bucket, key *string) error) trial {
	t := trial{on: on, action: action}
	for _, b := range e.facts.Buckets {
		t.do = append(t.do, func(ctx context.Context) error { return do(ctx, aws.String(b.Name), aws.String(b.Prefix+probe)) })
	}
	return t
}

// onBuckets tries what reads, on a key that does not exist. What deletes is not
// tried, whatever it would delete.
func (e *eye) onBuckets() []trial {
	return []trial{
		e.each(rights.Sources, "s3:GetBucketVersioning", func(ctx context.Context, bucket, _ *string) error {
			_, err := e.s3.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: bucket})
			return err
		}),
		e.each(rights.Sources, "s3:GetBucketObjectLockConfiguration", func(ctx context.Context, bucket, _ *string) error {
			_, err := e.s3.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: bucket})
			return err
		}),
		e.each(rights.Sources, "s3:GetLifecycleConfiguration", func(ctx context.Context, bucket, _ *string) error {
			_, err := e.s3.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: bucket})
			return err
		}),
		e.each(rights.Sources, "s3:ListBucket", func(ctx context.Context, bucket, key *string) error {
			_, err := e.s3.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: bucket, Prefix: key, MaxKeys: aws.Int32(1)})
			return err
		}),
		e.each(rights.Sources, "s3:ListBucketVersions", func(ctx context.Context, bucket, key *string) error {
			_, err := e.s3.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: bucket, Prefix: key, MaxKeys: aws.Int32(1)})
			return err
		}),
		e.each(rights.Sources, "s3:ListBucketMultipartUploads", func(ctx context.Context, bucket, key *string) error {
			_, err := e.s3.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: bucket, Prefix: key, MaxUploads: aws.Int32(1)})
			return err
		}),
		e.each(rights.Objects, "s3:GetObject", func(ctx context.Context, bucket, key *string) error {
			_, err := e.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: key})
			return err
		}),
	}
}
