//go:build infra

package strandline

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/jsii-runtime-go"
	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/schema"
)

type object = map[string]any

// One description, two builders: what the demo and the tests run on is what is
// deployed.
func TestTableAndQueuesAreThoseOfTheSchema(t *testing.T) {
	s := theUsual(t)
	in, err := schema.New("strandline", DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	attribute := func(name string) any { return object{"AttributeName": name, "AttributeType": "S"} }
	key := func(name, kind string) any { return object{"AttributeName": name, "KeyType": kind} }
	s.asserting(t, func() {
		s.HasResource(jsii.String("AWS::DynamoDB::GlobalTable"), object{
			"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain",
			"Properties": object{
				"TableName":   in.Ledger.Name,
				"BillingMode": "PAY_PER_REQUEST",
				"AttributeDefinitions": []any{
					attribute(schema.PartitionKey), attribute(schema.SortKey), attribute(schema.DueShard), attribute(schema.DueAt),
				},
				"KeySchema": []any{key(schema.PartitionKey, "HASH"), key(schema.SortKey, "RANGE")},
				"GlobalSecondaryIndexes": []any{object{
					"IndexName": schema.DueIndex, "Projection": object{"ProjectionType": "KEYS_ONLY"},
					"KeySchema": []any{key(schema.DueShard, "HASH"), key(schema.DueAt, "RANGE")},
				}},
				"StreamSpecification":     object{"StreamViewType": in.Ledger.Stream},
				"TimeToLiveSpecification": object{"AttributeName": schema.TTL, "Enabled": true},
				"Replicas": []any{assertions.Match_ObjectLike(&object{
					"DeletionProtectionEnabled":        true,
					"PointInTimeRecoverySpecification": object{"PointInTimeRecoveryEnabled": in.Ledger.PointInTime},
				})},
			},
		})
	})
	for _, q := range in.Queues() {
		want := object{
			"QueueName": q.Name, "VisibilityTimeout": q.Visibility.Seconds(), "MessageRetentionPeriod": q.Retention.Seconds(),
			"SqsManagedSseEnabled": true, "RedrivePolicy": assertions.Match_Absent(),
		}
		if q.DeadLetter != "" {
			want["RedrivePolicy"] = object{
				"maxReceiveCount":     q.MaxReceives,
				"deadLetterTargetArn": object{"Fn::GetAtt": []any{s.idOf(t, "AWS::SQS::Queue", "QueueName", q.DeadLetter), "Arn"}},
			}
		}
		s.has(t, "AWS::SQS::Queue", want)
	}
	s.ResourceCountIs(jsii.String("AWS::SQS::Queue"), jsii.Number(6))
	s.ResourceCountIs(jsii.String("AWS::DynamoDB::GlobalTable"), jsii.Number(1))
}

// idOf is the logical id of the resource whose property has the value.
func (s synthesized) idOf(t *testing.T, kind, property, value string) string {
	t.Helper()
	for id, r := range s.of(kind) {
		if r.Properties[property] == value {
			return id
		}
	}
	t.Fatalf("no %s has %s %s", kind, property, value)
	return ""
}

// Another logical id is another resource: CloudFormation would make an empty
// table beside the one with everything in it.
func TestWhatHoldsDataKeepsItsLogicalID(t *testing.T) {
	s := theUsual(t)
	var got []string
	for _, kind := range []string{"AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::Logs::LogGroup"} {
		got = append(got, slices.Sorted(maps.Keys(s.of(kind)))...)
	}
	want := []string{
		"StrandlineLedgerF223A6BA",
		"StrandlineBucketAcmeMediaB37A672A", "StrandlineInventoriesE203B5CC",
		"StrandlineEventsDead4BADB4DD", "StrandlinePurgeDDF29D9B", "StrandlinePurgeDead92005A27",
		"StrandlineReleases8C73B271", "StrandlineReleasesDeadEC8271D6", "StrandlineStored655893F0",
		"StrandlineAudit90F3D876", "StrandlineReconcilerLogs68F26681", "StrandlineRecorderLogs876D8AE4", "StrandlineRelayLogsC993F68B",
		"StrandlineSchedulerLogsDC0558EE", "StrandlineWorkerLogsFD48325E",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRemovingTheStackKeepsTableBucketsAndLogs(t *testing.T) {
	for id, r := range theUsual(t).resources {
		switch r.Type {
		case "AWS::DynamoDB::GlobalTable", "AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::Logs::LogGroup":
			if r.DeletionPolicy != "Retain" || r.UpdateReplacePolicy != "Retain" {
				t.Errorf("%s: deletion %q, replacement %q", id, r.DeletionPolicy, r.UpdateReplacePolicy)
			}
		case "Custom::S3AutoDeleteObjects", "AWS::CloudFormation::CustomResource":
			t.Errorf("%s is a %s", id, r.Type)
		}
	}
}

func TestEveryBucketIsClosedEncryptedAndOverTLS(t *testing.T) {
	s := theUsual(t)
	for id, b := range s.of("AWS::S3::Bucket") {
		closed := object{"BlockPublicAcls": true, "BlockPublicPolicy": true, "IgnorePublicAcls": true, "RestrictPublicBuckets": true}
		if d := cmp.Diff(any(closed), b.Properties["PublicAccessBlockConfiguration"]); d != "" {
			t.Errorf("%s: %s", id, d)
		}
		if b.Properties["BucketEncryption"] == nil {
			t.Errorf("%s is not encrypted", id)
		}
	}
	for _, kind := range []string{"AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy"} {
		for id, p := range s.of(kind) {
			if !refusesPlainHTTP(p) {
				t.Errorf("%s lets plain HTTP through", id)
			}
		}
	}
	if got := len(s.of("AWS::S3::BucketPolicy")) + len(s.of("AWS::SQS::QueuePolicy")); got != 8 {
		t.Errorf("%d policies for two buckets and six queues", got)
	}
}

func refusesPlainHTTP(p resource) bool {
	for _, one := range list(p.Properties["PolicyDocument"].(object)["Statement"]) {
		statement := one.(object)
		condition, _ := statement["Condition"].(object)
		if d := cmp.Diff(any(object{"aws:SecureTransport": "false"}), condition["Bool"]); statement["Effect"] == "Deny" && d == "" {
			return true
		}
	}
	return false
}

func TestANewBucketIsVersionedAndHasBackstopsLaterThanEveryGrace(t *testing.T) {
	theUsual(t).has(t, "AWS::S3::Bucket", object{
		"BucketName":              "acme-media",
		"VersioningConfiguration": object{"Status": "Enabled"},
		"LifecycleConfiguration": object{"Rules": []any{
			// 30 days is how long a tombstone lives, the longest of all graces.
			object{"Id": "abort-unfinished-multipart-uploads", "Status": "Enabled", "AbortIncompleteMultipartUpload": object{"DaysAfterInitiation": 31}},
			object{
				"Id": "expire-noncurrent-versions", "Status": "Enabled", "ExpiredObjectDeleteMarker": true,
				"NoncurrentVersionExpiration": object{"NoncurrentDays": 90},
			},
		}},
		"InventoryConfigurations": []any{assertions.Match_ObjectLike(&object{
			"Id": "strandline", "Enabled": true, "IncludedObjectVersions": "All", "ScheduleFrequency": "Daily",
			"OptionalFields": assertions.Match_ArrayWith(&[]any{"Size", "LastModifiedDate", "ETag"}),
			"Destination":    assertions.Match_ObjectLike(&object{"Format": "Parquet", "Prefix": "inventory"}),
		})},
	})
}

func TestFunctionsAreAsTheirPackagesWantThem(t *testing.T) {
	s := theUsual(t)
	for name, want := range map[string]object{
		"scheduler":  {"Timeout": 600, "DeadLetterConfig": assertions.Match_AnyValue()},
		"worker":     {"Timeout": 120, "DeadLetterConfig": assertions.Match_Absent()},
		"recorder":   {"Timeout": 300, "DeadLetterConfig": assertions.Match_Absent()},
		"relay":      {"Timeout": 120, "DeadLetterConfig": assertions.Match_Absent()},
		"reconciler": {"Timeout": 900, "DeadLetterConfig": assertions.Match_AnyValue(), "EphemeralStorage": object{"Size": 10240}},
	} {
		want["FunctionName"] = "strandline-" + name
		want["Runtime"], want["Architectures"], want["Handler"] = "provided.al2023", []any{"arm64"}, "bootstrap"
		s.has(t, "AWS::Lambda::Function", want)
	}
	s.ResourceCountIs(jsii.String("AWS::Lambda::Function"), jsii.Number(5))
}

// Who may read what was decided must be able to for longer than the logs are
// kept, and the functions must know where to write it.
func TestTheAuditTrailHasAGroupOfItsOwnThatEveryFunctionKnows(t *testing.T) {
	s := theUsual(t)
	for id, g := range s.of("AWS::Logs::LogGroup") {
		want := 90.0
		if flat(object{"Ref": id}) == "${StrandlineAudit}" {
			want = 731
		}
		if g.Properties["RetentionInDays"] != want {
			t.Errorf("%s is kept for %v days, want %v", id, g.Properties["RetentionInDays"], want)
		}
	}
	for id, f := range s.of("AWS::Lambda::Function") {
		// What an application gives up is in the ledger's stream, not in the trail.
		if f.Properties["FunctionName"] == "strandline-relay" {
			continue
		}
		variables := f.Properties["Environment"].(object)["Variables"].(object)
		if group := flat(variables["STRANDLINE_AUDIT_GROUP"]); group != "${StrandlineAudit}" {
			t.Errorf("%s writes its trail to %s", id, group)
		}
	}
}

func TestTheQueueInvokesTheWorkerWithPartialAnswersAndABound(t *testing.T) {
	theUsual(t).has(t, "AWS::Lambda::EventSourceMapping", object{
		"BatchSize": 100, "MaximumBatchingWindowInSeconds": 5, "FunctionResponseTypes": []any{"ReportBatchItemFailures"},
		"ScalingConfig": object{"MaximumConcurrency": 5},
	})
}

func TestEverySchedulePassesItsOwnTimeAndKeepsWhatFails(t *testing.T) {
	want := map[string]string{
		"strandline-pass":      `rate(15 minutes) {"task":"pass","schedule":"pass","time":"<aws.scheduler.scheduled-time>"}`,
		"strandline-census":    `rate(1 day) {"task":"census","schedule":"census","time":"<aws.scheduler.scheduled-time>"}`,
		"strandline-reconcile": `rate(1 day) {"task":"reconcile","schedule":"reconcile","time":"<aws.scheduler.scheduled-time>"}`,
		"strandline-sweep":     `rate(1 day) {"task":"sweep","schedule":"sweep","time":"<aws.scheduler.scheduled-time>"}`,
	}
	got := map[string]string{}
	for id, r := range theUsual(t).of("AWS::Scheduler::Schedule") {
		target := r.Properties["Target"].(object)
		got[r.Properties["Name"].(string)] = r.Properties["ScheduleExpression"].(string) + " " + target["Input"].(string)
		if target["DeadLetterConfig"] == nil || target["RetryPolicy"] == nil {
			t.Errorf("%s forgets what it could not deliver", id)
		}
		if window := r.Properties["FlexibleTimeWindow"].(object); window["Mode"] != "FLEXIBLE" {
			t.Errorf("%s has no flexible window", id)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAnInventorysChecksumStartsTheReconciler(t *testing.T) {
	theUsual(t).has(t, "AWS::Events::Rule", object{
		"EventPattern": object{
			"source": []any{"aws.s3"}, "detail-type": []any{"Object Created"},
			"detail": object{
				"bucket": object{"name": []any{object{"Ref": "StrandlineInventoriesE203B5CC"}}},
				"object": object{"key": []any{object{"wildcard": "inventory/*/manifest.checksum"}}},
			},
		},
		"Targets": []any{assertions.Match_ObjectLike(&object{"DeadLetterConfig": assertions.Match_AnyValue()})},
	})
}

func TestInventoriesInAnotherAccountAreFoundByTheScheduleAlone(t *testing.T) {
	props := usual(t)
	props.Inventory = Inventory{Bucket: "central-inventories", Account: "210987654321"}
	s := synthesize(t, props)
	s.ResourceCountIs(jsii.String("AWS::Events::Rule"), jsii.Number(2)) // those of stored objects
	s.ResourceCountIs(jsii.String("AWS::S3::Bucket"), jsii.Number(1))
	s.has(t, "AWS::S3::Bucket", object{
		"InventoryConfigurations": []any{assertions.Match_ObjectLike(&object{
			"Destination": assertions.Match_ObjectLike(&object{"BucketAccountId": "210987654321"}),
		})},
	})
}

func TestACustomersKeyEncryptsTableQueuesAndBuckets(t *testing.T) {
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(t.TempDir())})
	stack := awscdk.NewStack(app, jsii.String("Test"), &awscdk.StackProps{
		Env: &awscdk.Environment{Account: jsii.String("123456789012"), Region: jsii.String("eu-central-1")},
	})
	props := usual(t)
	props.Key = awskms.NewKey(stack, jsii.String("Key"), nil)
	New(stack, "Strandline", props)
	template := assertions.Template_FromStack(stack, nil)
	template.HasResourceProperties(jsii.String("AWS::DynamoDB::GlobalTable"), object{"SSESpecification": object{"SSEEnabled": true, "SSEType": "KMS"}})
	template.AllResourcesProperties(jsii.String("AWS::SQS::Queue"), object{"KmsMasterKeyId": assertions.Match_AnyValue()})
	template.AllResourcesProperties(jsii.String("AWS::S3::Bucket"), object{"BucketEncryption": object{
		"ServerSideEncryptionConfiguration": []any{assertions.Match_ObjectLike(&object{
			"ServerSideEncryptionByDefault": assertions.Match_ObjectLike(&object{"SSEAlgorithm": "aws:kms"}),
		})},
	}})
}

func TestSeveralSchedulesAndBuckets(t *testing.T) {
	props := usual(t)
	props.Passes = []Schedule{
		{Name: "nights", Expression: "cron(0/15 1-5 * * ? *)", Zone: "Europe/Berlin"}, {Name: "days", Expression: "rate(2 hours)"},
	}
	s := synthesize(t, props)
	s.ResourceCountIs(jsii.String("AWS::Scheduler::Schedule"), jsii.Number(5))
	s.has(t, "AWS::Scheduler::Schedule", object{
		"Name": "strandline-nights", "ScheduleExpressionTimezone": "Europe/Berlin",
		"Target": assertions.Match_ObjectLike(&object{"Input": assertions.Match_StringLikeRegexp(jsii.String(`"schedule":"nights"`))}),
	})
	for _, f := range s.of("AWS::Lambda::Function") {
		variables := f.Properties["Environment"].(object)["Variables"].(object)
		if sources, ok := variables["STRANDLINE_SOURCE_BUCKETS"]; ok && variables["STRANDLINE_INVENTORY_CONFIG"] != "strandline" {
			t.Errorf("the reconciler takes inventories of any configuration, also of parts: %v", variables)
		} else if ok && !strings.HasPrefix(flat(sources), "acme-uploads,") {
			t.Errorf("the reconciler is told of %s", flat(sources))
		}
	}
}

// A deployment without a change of sources or choices has to be none.
func TestTwoSynthesesAreTheSame(t *testing.T) {
	if d := cmp.Diff(theUsual(t).resources, synthesize(t, usual(t)).resources); d != "" {
		t.Error(d)
	}
}

// The choices of a bucket must not move the others: another logical id is
// another bucket.
func TestABucketKeepsItsLogicalIDWhereverItStandsInTheList(t *testing.T) {
	props := usual(t)
	props.Buckets = []Bucket{{Name: "acme-first", New: true}, props.Buckets[1], props.Buckets[0]}
	if id := synthesize(t, props).idOf(t, "AWS::S3::Bucket", "BucketName", "acme-media"); id != "StrandlineBucketAcmeMediaB37A672A" {
		t.Errorf("it is %s now", id)
	}
}
