//go:build infra

package strandline

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"
)

// right is what a role may do to one kind of thing. docs/deploy.md shows the
// same lists, with the call that needs each; a test compares the document with
// the synthesized policies.
type right struct {
	on      place
	actions []string
}

// place is a kind of thing that rights are given on.
type place string

const (
	table            place = "table"
	index            place = "index"
	purgeQueue       place = "purge queue"
	purgeDead        place = "purge dead-letter queue"
	eventsDead       place = "events dead-letter queue"
	functions        place = "scheduler, reconciler"
	sources          place = "source buckets"
	objects          place = "objects of source buckets"
	inventories      place = "inventory bucket"
	inventoryObjects place = "objects of inventory bucket"
	ownLogs          place = "own log group"
	key              place = "key"
)

// places are the ARNs of each kind.
type places map[place][]*string

var writesLogs = right{ownLogs, []string{"logs:CreateLogStream", "logs:PutLogEvents"}}

var schedulerRights = []right{
	{table, []string{
		"dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem",
		"dynamodb:Query", "dynamodb:Scan", "dynamodb:UpdateItem",
	}},
	{index, []string{"dynamodb:Query"}},
	{purgeQueue, []string{"sqs:GetQueueAttributes", "sqs:SendMessage"}},
	{eventsDead, []string{"sqs:SendMessage"}},
	writesLogs,
}

var workerRights = []right{
	{table, []string{
		"dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem",
		"dynamodb:Query", "dynamodb:UpdateItem",
	}},
	{purgeQueue, []string{
		"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage",
	}},
	{purgeDead, []string{"sqs:SendMessage"}},
	{sources, []string{
		"s3:GetBucketVersioning", "s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:ListBucketVersions",
	}},
	{objects, []string{
		"s3:AbortMultipartUpload", "s3:DeleteObjectVersion", "s3:GetObjectLegalHold", "s3:GetObjectRetention",
		"s3:GetObjectVersion",
	}},
	writesLogs,
}

var reconcilerRights = []right{
	{table, []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:Scan"}},
	{eventsDead, []string{"sqs:SendMessage"}},
	{sources, []string{"s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:ListBucketVersions"}},
	{objects, []string{"s3:GetObjectLegalHold", "s3:GetObjectRetention", "s3:GetObjectVersion"}},
	{inventories, []string{"s3:ListBucket"}},
	{inventoryObjects, []string{"s3:GetObject"}},
	writesLogs,
}

var schedulesRights = []right{
	{functions, []string{"lambda:InvokeFunction"}},
	{eventsDead, []string{"sqs:SendMessage"}},
}

// operatorRights are for people with the command line: the only ones who may
// hide an object behind a delete marker.
var operatorRights = []right{
	{table, []string{
		"dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem",
		"dynamodb:Query", "dynamodb:UpdateItem",
	}},
	{purgeQueue, []string{"sqs:GetQueueAttributes", "sqs:SendMessage"}},
	{sources, []string{
		"s3:GetBucketVersioning", "s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:ListBucketVersions",
	}},
	{objects, []string{
		"s3:AbortMultipartUpload", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObject",
		"s3:GetObjectLegalHold", "s3:GetObjectRetention", "s3:GetObjectVersion",
	}},
	{inventories, []string{"s3:ListBucket"}},
	{inventoryObjects, []string{"s3:GetObject"}},
}

// usesKey is for a customer's key, through the services that hold what it
// encrypts and in no other way.
var usesKey = right{key, []string{
	"kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo",
}}

// statements are the rights as a policy, one statement for each kind of thing.
func (s *Strandline) statements(rights []right, at places) *[]awsiam.PolicyStatement {
	var all []awsiam.PolicyStatement
	for _, r := range rights {
		all = append(all, allow(r, at[r.on], nil))
	}
	if s.props.Key != nil {
		via := map[string]any{"StringEquals": map[string]any{"kms:ViaService": s.services("dynamodb", "sqs", "s3")}}
		all = append(all, allow(usesKey, []*string{s.props.Key.KeyArn()}, &via))
	}
	return &all
}

func allow(r right, on []*string, conditions *map[string]any) awsiam.PolicyStatement {
	if len(on) == 0 {
		panic("no ARN for the rights on " + string(r.on))
	}
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings(r.actions...), Resources: &on, Conditions: conditions,
	})
}

// policies are the statements as a role's only inline policy. It is part of the
// role, so that nothing begins to act before its rights are there.
func (s *Strandline) policies(rights []right, at places) *map[string]awsiam.PolicyDocument {
	return &map[string]awsiam.PolicyDocument{
		"rights": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: s.statements(rights, at)}),
	}
}
