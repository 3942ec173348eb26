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

// queues makes the queues, those first that keep what failed.
func (s *Strandline) queues() {
	s.PurgeDead = s.queue("PurgeDead", s.schema.DeadLetter, nil)
	s.EventsDead = s.queue("EventsDead", s.schema.Events, nil)
	s.ReleasesDead = s.queue("ReleasesDead", s.schema.ReleasesDead, nil)
	s.Purge = s.queue("Purge", s.schema.Purge, s.PurgeDead)
	s.Stored = s.queue("Stored", s.schema.Stored, s.EventsDead)
	s.Releases = s.queue("Releases", s.schema.Releases, s.ReleasesDead)
}

func (s *Strandline) queue(id string, q schema.Queue, deadLetters awssqs.Queue) awssqs.Queue {
	var dead *awssqs.DeadLetterQueue
	if deadLetters != nil {
		dead = &awssqs.DeadLetterQueue{Queue: deadLetters, MaxReceiveCount: jsii.Number(q.MaxReceives)}
	}
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
