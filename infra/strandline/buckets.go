//go:build infra

package strandline

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"
)

const (
	day = 24 * time.Hour
	// inventoriesKept is how long inventories are kept: longer than the oldest
	// that is believed, so that a person can look again.
	inventoriesKept = 30 * day
)

// inventoryFields are what a verdict needs, and what explains one.
var inventoryFields = []string{
	"Size", "LastModifiedDate", "ETag", "IsMultipartUploaded", "StorageClass", "ReplicationStatus", "EncryptionStatus",
	"ObjectLockRetainUntilDate", "ObjectLockMode", "ObjectLockLegalHoldStatus", "ChecksumAlgorithm",
}

// buckets makes the new ones and takes in those that exist.
func (s *Strandline) buckets() {
	for i, b := range s.props.Buckets {
		id := fmt.Sprintf("Bucket%s", title(b.Name))
		switch {
		case b.Construct != nil:
			s.Buckets = append(s.Buckets, b.Construct)
		case b.New:
			s.Buckets = append(s.Buckets, s.newBucket(id, s.props.Buckets[i]))
		default:
			s.Buckets = append(s.Buckets, awss3.Bucket_FromBucketName(s.Construct, jsii.String(id), jsii.String(b.Name)))
		}
	}
}

// id is the bucket's in the ids of constructs.
func (b Bucket) id() string {
	if b.Construct != nil {
		return *b.Construct.Node().Addr()
	}
	return title(b.Name)
}

// title makes a bucket's name a part of a construct's id that stays the same
// wherever the bucket stands in the list.
func title(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '.' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// newBucket makes a bucket of uploads: versioned, since only exact versions are
// ever deleted, and kept when the stack goes.
func (s *Strandline) newBucket(id string, b Bucket) awss3.Bucket {
	made := awss3.NewBucket(s.Construct, jsii.String(id), &awss3.BucketProps{
		BucketName:        jsii.String(b.Name),
		Versioned:         jsii.Bool(true),
		ObjectLockEnabled: jsii.Bool(b.ObjectLock),
		Encryption:        s.bucketEncryption(),
		EncryptionKey:     s.props.Key,
		BucketKeyEnabled:  jsii.Bool(s.props.Key != nil),
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		EnforceSSL:        jsii.Bool(true),
		RemovalPolicy:     awscdk.RemovalPolicy_RETAIN,
		LifecycleRules:    s.backstops(),
		Cors:              s.browsers(),
		Inventories: &[]*awss3.Inventory{{
			InventoryId:           jsii.String(s.props.Inventory.Config),
			Format:                awss3.InventoryFormat_PARQUET,
			Frequency:             awss3.InventoryFrequency_DAILY,
			IncludeObjectVersions: awss3.InventoryObjectVersion_ALL,
			OptionalFields:        jsii.Strings(inventoryFields...),
			ObjectsPrefix:         optional(b.Prefix),
			Destination: &awss3.InventoryDestination{
				Bucket: s.Inventories, Prefix: jsii.String(s.props.Inventory.Prefix), BucketOwner: s.inventoryOwner(),
			},
		}},
	})
	if !s.props.NoStorageEvents {
		sendsEvents(made)
	}
	return made
}

// signedHeaders are what a presigned put of shared/intake is signed for and a
// page's script has to send; docs/uploads.md shows the same rule.
var signedHeaders = []string{"content-type", "if-none-match", "x-amz-checksum-sha256"}

// browsers lets pages of the origins put; nil where there are none.
func (s *Strandline) browsers() *[]*awss3.CorsRule {
	if len(s.props.Origins) == 0 {
		return nil
	}
	return &[]*awss3.CorsRule{{
		AllowedOrigins: jsii.Strings(s.props.Origins...),
		AllowedMethods: &[]awss3.HttpMethods{awss3.HttpMethods_PUT},
		AllowedHeaders: jsii.Strings(signedHeaders...),
		MaxAge:         jsii.Number(3000),
	}}
}

// sendsEvents has the bucket tell EventBridge. The L2 property of the same name
// adds a function with rights of its own.
func sendsEvents(made awss3.Bucket) {
	made.Node().DefaultChild().(awss3.CfnBucket).SetNotificationConfiguration(&awss3.CfnBucket_NotificationConfigurationProperty{
		EventBridgeConfiguration: &awss3.CfnBucket_EventBridgeConfigurationProperty{EventBridgeEnabled: jsii.Bool(true)},
	})
}

func (s *Strandline) inventoryOwner() *string {
	if s.props.Inventory.Account != "" {
		return jsii.String(s.props.Inventory.Account)
	}
	return awscdk.Stack_Of(s.Construct).Account()
}

// backstops are lifecycle rules for what nothing else cleared: they know of no
// ledger, so each comes later than every grace.
func (s *Strandline) backstops() *[]*awss3.LifecycleRule {
	rules := []*awss3.LifecycleRule{{
		Id:                                  jsii.String("abort-unfinished-multipart-uploads"),
		AbortIncompleteMultipartUploadAfter: days(s.props.multipartDays()),
	}}
	if s.props.NoncurrentDays > 0 {
		rules = append(rules, &awss3.LifecycleRule{
			Id:                          jsii.String("expire-noncurrent-versions"),
			NoncurrentVersionExpiration: days(s.props.NoncurrentDays),
			ExpiredObjectDeleteMarker:   jsii.Bool(true),
		})
	}
	return &rules
}

// multipartDays is when the lifecycle rule aborts what is unfinished: after
// every grace, so that the reconciler has seen it and a person could decide.
func (p Props) multipartDays() int { return wholeDays(p.Policy.LongestWait()) + 1 }

func wholeDays(d time.Duration) int { return int((d + day - 1) / day) }

func days(n int) awscdk.Duration { return awscdk.Duration_Days(jsii.Number(n)) }

func (s *Strandline) bucketEncryption() awss3.BucketEncryption {
	if s.props.Key != nil {
		return awss3.BucketEncryption_KMS
	}
	return awss3.BucketEncryption_S3_MANAGED
}

// inventoryBucket makes or takes in the bucket that inventories go to.
func (s *Strandline) inventoryBucket() {
	if name := s.props.Inventory.Bucket; name != "" {
		s.Inventories = awss3.Bucket_FromBucketName(s.Construct, jsii.String("Inventories"), jsii.String(name))
		return
	}
	made := awss3.NewBucket(s.Construct, jsii.String("Inventories"), &awss3.BucketProps{
		Encryption:        s.bucketEncryption(),
		EncryptionKey:     s.props.Key,
		BucketKeyEnabled:  jsii.Bool(s.props.Key != nil),
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		EnforceSSL:        jsii.Bool(true),
		RemovalPolicy:     awscdk.RemovalPolicy_RETAIN,
		LifecycleRules: &[]*awss3.LifecycleRule{{
			Id: jsii.String("expire-inventories"), Expiration: days(wholeDays(inventoriesKept)),
		}},
	})
	sendsEvents(made)
	made.AddToResourcePolicy(s.deliverer(made))
	s.Inventories = made
}

// deliverer lets S3 deliver inventories of exactly the source buckets, those
// that exist already included.
func (s *Strandline) deliverer(made awss3.Bucket) awsiam.PolicyStatement {
	arns := make([]string, len(s.props.Buckets))
	for i, b := range s.props.Buckets {
		arns[i] = "arn:" + *awscdk.Aws_PARTITION() + ":s3:::" + b.Name
		if b.Construct != nil {
			arns[i] = *b.Construct.BucketArn()
		}
	}
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid:        jsii.String("InventoriesOfTheSourceBuckets"),
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("s3.amazonaws.com"), nil)},
		Actions:    jsii.Strings("s3:PutObject"),
		Resources:  &[]*string{made.ArnForObjects(jsii.String(s.props.Inventory.Prefix + "/*"))},
		Conditions: &map[string]any{
			"ArnLike":      map[string]any{"aws:SourceArn": arns},
			"StringEquals": map[string]any{"aws:SourceAccount": awscdk.Stack_Of(s.Construct).Account()},
		},
	})
}

// sourceNames are the buckets as the reconciler is told of them.
func (s *Strandline) sourceNames() *string {
	names := make([]string, len(s.Buckets))
	for i, b := range s.Buckets {
		names[i] = *b.BucketName()
	}
	return jsii.String(strings.Join(names, ","))
}
