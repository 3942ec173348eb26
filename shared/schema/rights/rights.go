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
	StoredQueue      Place = "stored queue"
	ReleasesQueue    Place = "releases queue"
	ReleasesDead     Place = "releases dead-letter queue"
	Streams          Place = "streams of source tables"
	AllStreams       Place = "streams of the account"
	SourceTables     Place = "source tables"
	SourceRows       Place = "source tables and indexes" // where rows that name an object are asked for
	Mappings         Place = "event source mappings of the account"
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

// Recorder is what the recorder may do. Of an object whose checksum the store
// does not tell it reads the contents, and there is no smaller right for the
// look either.
func Recorder() []Right {
	return []Right{
		{Table, []string{
			"dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem",
		}},
		{StoredQueue, []string{"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"}},
		{Sources, []string{"s3:ListBucket"}},
		{Objects, []string{"s3:GetObjectVersion"}},
		WritesAudit(),
		WritesLogs(),
	}
}

// Relay is what the relay may do; with tables of applications also
// [ReadsStreams], and with indexes of them [AsksRows].
func Relay() []Right {
	return []Right{
		{Table, []string{
			"dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem",
		}},
		{ReleasesQueue, []string{"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"}},
		{ReleasesDead, []string{"sqs:SendMessage"}},
		{Sources, []string{"s3:ListBucket", "s3:ListBucketVersions"}},
		{Objects, []string{"s3:GetObjectVersion"}},
		WritesLogs(),
	}
}

// ReadsStreams is what Lambda does for the relay with the streams of the
// applications' tables. The list of streams is no thing that a right could be
// narrowed to.
func ReadsStreams() []Right {
	return []Right{
		{Streams, []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"}},
		{AllStreams, []string{"dynamodb:ListStreams"}},
	}
}

// AsksRows is for whoever asks the applications' tables whether a row names an
// object: worker and relay.
func AsksRows() Right { return Right{SourceRows, []string{"dynamodb:Query"}} }

// LooksAtRows goes with [AsksRows]: a row that an index points to is read once
// more, consistently and by the table's own key.
func LooksAtRows() Right {
	return Right{SourceTables, []string{"dynamodb:DescribeTable", "dynamodb:GetItem"}}
}

// Audits is what an operator needs beside [Operators] where there are sources:
// to see whether a stream is on and read, and a sample of rows.
func Audits() []Right {
	return []Right{
		{SourceTables, []string{"dynamodb:DescribeTable", "dynamodb:GetItem", "dynamodb:Scan"}},
		{Mappings, []string{"lambda:ListEventSourceMappings"}},
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
		{ReleasesQueue, []string{"sqs:GetQueueAttributes", "sqs:SendMessage"}},
		{ReleasesDead, []string{
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
		{StoredQueue, []string{"sqs:GetQueueAttributes"}},
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
