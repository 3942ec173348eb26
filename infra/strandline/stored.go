//go:build infra

package strandline

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// The recorder looks at each object: how many notices one takes, and how many
// recorders there are at once.
const (
	storedBatch = 10
	recorders   = 5
)

// stored brings the notices of stored objects to the recorder: a rule for each
// bucket, since each has a prefix of its own, and a queue between, in which a
// notice outlasts an hour in which the ledger cannot be written. Lambda by
// itself would try three times within minutes.
func (s *Strandline) stored() {
	awslambda.NewEventSourceMapping(s.Construct, jsii.String("StoredMessages"), &awslambda.EventSourceMappingProps{
		Target:                  s.Recorder,
		EventSourceArn:          s.Stored.QueueArn(),
		BatchSize:               jsii.Number(storedBatch),
		MaxConcurrency:          jsii.Number(recorders),
		ReportBatchItemFailures: jsii.Bool(true),
	})
	if s.props.NoStorageEvents {
		return
	}
	for i, b := range s.props.Buckets {
		detail := map[string]any{"bucket": map[string]any{"name": []any{s.Buckets[i].BucketName()}}}
		if b.Prefix != "" {
			detail["object"] = map[string]any{"key": []any{map[string]any{"prefix": b.Prefix}}}
		}
		awsevents.NewRule(s.Construct, jsii.String("Stored"+b.id()), &awsevents.RuleProps{
			Description: jsii.String("An object was stored where uploads go"),
			EventPattern: &awsevents.EventPattern{
				Source: jsii.Strings("aws.s3"), DetailType: jsii.Strings("Object Created"), Detail: &detail,
			},
			Targets: &[]awsevents.IRuleTarget{
				awseventstargets.NewSqsQueue(s.Stored, &awseventstargets.SqsQueueProps{
					DeadLetterQueue: s.EventsDead, RetryAttempts: jsii.Number(185), MaxEventAge: duration(24 * time.Hour),
				}),
			},
		})
	}
}
