// Package rights says what each role of an installation may do, and on what.
// The deployment gives exactly these, the doctor looks whether they are there,
// and docs/deploy.md shows them with the call that needs each. It gives nothing
// itself.
package rights

import "slices"

// Right is what a role may do to one kind of thing.
type Right struct {
	On      Place
	Actions []string
}

// Place is a kind of thing that rights are given on.
type Place string

// The kinds of things.
const (
	Table            Place = "table"
	Index            Place = "index"
	PurgeQueue       Place = "purge queue"
	PurgeDead        Place = "purge dead-letter queue"
	EventsDead       Place = "events dead-letter queue"
	Invoked          Place = "scheduler, reconciler" // the functions that schedules invoke
	Sources          Place = "source buckets"
	Objects          Place = "objects of source buckets"
	Inventories      Place = "inventory bucket"
	InventoryObjects Place = "objects of inventory bucket"
	OwnLogs          Place = "own log group"
	AuditLogs        Place = "audit log group"
	Schedules        Place = "schedules"
	Functions        Place = "functions"
	Roles            Place = "roles of the functions"
	Key              Place = "key"
)

// WritesLogs is what every function may do to its own log group.
func WritesLogs() Right {
	return Right{OwnLogs, []string{"logs:CreateLogStream", "logs:PutLogEvents"}}
}

// WritesAudit is what whoever decides anything may do to the audit trail's log
// group: add to it, and neither read nor take away.
func WritesAudit() Right {
	return Right{AuditLogs, []string{"logs:CreateLogStream", "logs:PutLogEvents"}}
}

// Scheduler is what the scheduler may do.
func Scheduler() []Right {
	return []Right{
		{Table, []string{
			"dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem",
			"dynamodb:Query", "dynamodb:Scan", "dynamodb:UpdateItem",
		}},
		{Index, []string{"dynamodb:Query"}},
		{PurgeQueue, []string{"sqs:GetQueueAttributes", "sqs:SendMessage"}},
		{EventsDead, []string{"sqs:SendMessage"}},
		WritesAudit(),
		WritesLogs(),
	}
}

// Worker is what the worker may do.
func Worker() []Right {
	return []Right{
		{Table, []string{
			"dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem",
			"dynamodb:Query", "dynamodb:UpdateItem",
		}},
		{PurgeQueue, []string{
			"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage",
		}},
		{PurgeDead, []string{"sqs:SendMessage"}},
		{Sources, []string{
			"s3:GetBucketVersioning", "s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:ListBucketVersions",
		}},
		{Objects, []string{
			"s3:AbortMultipartUpload", "s3:DeleteObjectVersion", "s3:GetObjectLegalHold", "s3:GetObjectRetention",
			"s3:GetObjectVersion",
		}},
		WritesAudit(),
		WritesLogs(),
	}
}

// Reconciler is what the reconciler may do.
func Reconciler() []Right {
	return []Right{
		{Table, []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:Scan"}},
		{EventsDead, []string{"sqs:SendMessage"}},
		{Sources, []string{"s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:ListBucketVersions"}},
		{Objects, []string{"s3:GetObjectLegalHold", "s3:GetObjectRetention", "s3:GetObjectVersion"}},
		{Inventories, []string{"s3:ListBucket"}},
		{InventoryObjects, []string{"s3:GetObject"}},
		WritesAudit(),
		WritesLogs(),
	}
}

// OfSchedules is what the schedules may do.
func OfSchedules() []Right {
	return []Right{
		{Invoked, []string{"lambda:InvokeFunction"}},
		{EventsDead, []string{"sqs:SendMessage"}},
	}
}

// Operators is for people with the command: the only ones who may hide an
// object behind a delete marker.
func Operators() []Right {
	return merged(slices.Concat(decisions(), looks()))
}

// merged is one right for each kind of thing.
func merged(all []Right) []Right {
	var one []Right
	for _, r := range all {
		at := slices.IndexFunc(one, func(o Right) bool { return o.On == r.On })
		if at < 0 {
			one = append(one, r)
			continue
		}
		one[at].Actions = slices.Concat(one[at].Actions, r.Actions)
	}
	return one
}

func decisions() []Right {
	return []Right{
		{Table, []string{
			"dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem",
			"dynamodb:Query", "dynamodb:Scan", "dynamodb:UpdateItem",
		}},
		{Index, []string{"dynamodb:Query"}},
		{PurgeQueue, []string{"sqs:GetQueueAttributes", "sqs:SendMessage"}},
		{PurgeDead, []string{
			"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage",
		}},
		{EventsDead, []string{
			"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage",
		}},
		{Sources, []string{
			"s3:GetBucketVersioning", "s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:ListBucketVersions",
		}},
		{Objects, []string{
			"s3:AbortMultipartUpload", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObject",
			"s3:GetObjectLegalHold", "s3:GetObjectRetention", "s3:GetObjectVersion",
		}},
		{Inventories, []string{"s3:ListBucket"}},
		{InventoryObjects, []string{"s3:GetObject"}},
		WritesAudit(),
	}
}

// looks is what the doctor needs beside what the other commands have. It changes
// nothing.
func looks() []Right {
	return []Right{
		{Table, []string{"dynamodb:DescribeContinuousBackups", "dynamodb:DescribeTable", "dynamodb:DescribeTimeToLive"}},
		{Sources, []string{"s3:GetBucketObjectLockConfiguration", "s3:GetLifecycleConfiguration"}},
		{Schedules, []string{"scheduler:GetSchedule"}},
		{Functions, []string{"lambda:GetFunctionConfiguration"}},
		{Roles, []string{"iam:SimulatePrincipalPolicy"}},
	}
}

// UsesKey is for a customer's key, through the services that hold what it
// encrypts and in no other way.
func UsesKey() Right {
	return Right{Key, []string{
		"kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo",
	}}
}
