//go:build infra

package strandline

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

// outputs are what a person, or the command line, needs to know of the stack.
func (s *Strandline) outputs() {
	for _, o := range []struct {
		id, means string
		value     *string
	}{
		{"LedgerName", "The ledger's table: STRANDLINE_TABLE of your application and of the command", s.Table.TableName()},
		{"PurgeQueueUrl", "The queue of commands", s.Purge.QueueUrl()},
		{"PurgeDeadQueueUrl", "What cannot be carried out", s.PurgeDead.QueueUrl()},
		{"EventsDeadQueueUrl", "Triggers that failed to the end", s.EventsDead.QueueUrl()},
		{"ReleasesQueueUrl", "Where an outbox sends releases to", s.Releases.QueueUrl()},
		{"ReleasesDeadQueueUrl", "Releases that could not be read", s.ReleasesDead.QueueUrl()},
		{"StoredQueueArn", "Where S3 may send notices of stored objects to by itself, if not through EventBridge", s.Stored.QueueArn()},
		{"InventoryBucketName", "Where S3 Inventory has to deliver to", s.Inventories.BucketName()},
		{"AuditGroupName", "The audit trail: STRANDLINE_AUDIT_GROUP of the command", s.Audit.LogGroupName()},
		{"OperatorsPolicyArn", "To attach to whoever uses the command", s.Operators.ManagedPolicyArn()},
	} {
		awscdk.NewCfnOutput(s.Construct, jsii.String(o.id), &awscdk.CfnOutputProps{Value: o.value, Description: jsii.String(o.means)})
	}
}
