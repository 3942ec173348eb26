//go:build infra

package strandline

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/schema"
)

// ledger makes the table. It outlives the stack: in it is what may be deleted
// and what must not.
func (s *Strandline) ledger() {
	described := s.schema.Ledger
	text := func(name string) *awsdynamodb.Attribute {
		return &awsdynamodb.Attribute{Name: jsii.String(name), Type: awsdynamodb.AttributeType_STRING}
	}
	s.Table = awsdynamodb.NewTableV2(s.Construct, jsii.String("Ledger"), &awsdynamodb.TablePropsV2{
		TableName:    jsii.String(described.Name),
		PartitionKey: text(schema.PartitionKey),
		SortKey:      text(schema.SortKey),
		Billing:      awsdynamodb.Billing_OnDemand(nil),
		GlobalSecondaryIndexes: &[]*awsdynamodb.GlobalSecondaryIndexPropsV2{{
			IndexName:      jsii.String(schema.DueIndex),
			PartitionKey:   text(schema.DueShard),
			SortKey:        text(schema.DueAt),
			ProjectionType: awsdynamodb.ProjectionType_KEYS_ONLY,
		}},
		TimeToLiveAttribute: jsii.String(schema.TTL),
		DynamoStream:        awsdynamodb.StreamViewType(described.Stream),
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(described.PointInTime),
		},
		DeletionProtection: jsii.Bool(described.DeletionProtection),
		Encryption:         s.tableEncryption(),
		RemovalPolicy:      awscdk.RemovalPolicy_RETAIN,
	})
}

func (s *Strandline) tableEncryption() awsdynamodb.TableEncryptionV2 {
	if s.props.Key != nil {
		return awsdynamodb.TableEncryptionV2_CustomerManagedKey(s.props.Key, nil)
	}
	return awsdynamodb.TableEncryptionV2_DynamoOwnedKey()
}

// queues makes the queue of commands and the two that keep what failed.
func (s *Strandline) queues() {
	s.PurgeDead = s.queue("PurgeDead", s.schema.DeadLetter, nil)
	s.EventsDead = s.queue("EventsDead", s.schema.Events, nil)
	s.Purge = s.queue("Purge", s.schema.Purge, &awssqs.DeadLetterQueue{
		Queue: s.PurgeDead, MaxReceiveCount: jsii.Number(s.schema.Purge.MaxReceives),
	})
}

func (s *Strandline) queue(id string, q schema.Queue, dead *awssqs.DeadLetterQueue) awssqs.Queue {
	encryption := awssqs.QueueEncryption_SQS_MANAGED
	if s.props.Key != nil {
		encryption = awssqs.QueueEncryption_KMS
	}
	return awssqs.NewQueue(s.Construct, jsii.String(id), &awssqs.QueueProps{
		QueueName:           jsii.String(q.Name),
		VisibilityTimeout:   duration(q.Visibility),
		RetentionPeriod:     duration(q.Retention),
		DeadLetterQueue:     dead,
		Encryption:          encryption,
		EncryptionMasterKey: s.props.Key,
		EnforceSSL:          jsii.Bool(true),
	})
}

func duration(d time.Duration) awscdk.Duration {
	return awscdk.Duration_Seconds(jsii.Number(d.Seconds()))
}
