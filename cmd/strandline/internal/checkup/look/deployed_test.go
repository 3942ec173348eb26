package look_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup/look"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	"github.com/strandline-dev/strandline/shared/schema/rights"
)

const account = "000000000000"

// deployed is an installation on the emulator with functions, roles and
// schedules as the deployment makes them, at work.
type deployed struct {
	t       *testing.T
	cloud   aws.Config
	in      schema.Installation
	bucket  string
	options look.Options
	iam     *iam.Client
	timers  *scheduler.Client
	s3      *s3.Client
	gate    *gates.Gate
	stream  string // of the application's table
}

func deploy(t *testing.T, prefix string) *deployed {
	t.Helper()
	d := &deployed{t: t, cloud: localstacktest.Config(t)}
	in, err := schema.New(prefix, policy.Default(), "uploads")
	must(t, err)
	in.Ledger.DeletionProtection = true
	made, err := create.Create(t.Context(), create.For(d.cloud), in)
	must(t, err)
	client := awsconf.DynamoDB(d.cloud)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_, err := client.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: aws.String(in.Ledger.Name), DeletionProtectionEnabled: aws.Bool(false)})
		must(t, err)
		must(t, made.Delete(ctx))
	})
	d.in, d.bucket = in, in.Buckets[0].Name
	d.iam, d.timers, d.s3 = iam.NewFromConfig(d.cloud), scheduler.NewFromConfig(d.cloud), awsconf.S3(d.cloud)
	d.options = look.Options{
		Site: site.Site{
			Table: in.Ledger.Name, Gate: "main", QueueURL: made.PurgeURL, DeadLetterURL: made.DeadLetterURL,
		},
		Config: d.cloud, Policy: policy.Default(), Prefix: prefix, Passes: []string{"pass"}, Now: time.Now,
		Buckets: []look.Place{{Bucket: d.bucket, Prefix: "app/"}},
	}
	d.gate = gates.New(client, in.Ledger.Name, "main", time.Now)
	must(t, d.gate.SetRate(t.Context(), 500, 1000))
	must(t, d.gate.SetMode(t.Context(), gate.Delete))
	_, err = cleanup.Census{Ledger: dynamo.New(client, in.Ledger.Name), Now: time.Now, Log: slog.New(slog.DiscardHandler)}.Recount(t.Context())
	must(t, err)
	d.rule(s3types.LifecycleRule{
		ID: aws.String("abort"), Status: s3types.ExpirationStatusEnabled, Filter: &s3types.LifecycleRuleFilter{Prefix: aws.String("")},
		AbortIncompleteMultipartUpload: &s3types.AbortIncompleteMultipartUpload{DaysAfterInitiation: aws.Int32(31)},
	})
	d.applicationTable(client)
	for who, all := range map[string][]rights.Right{
		"scheduler": rights.Scheduler(), "worker": append(rights.Worker(), rights.AsksRows(), rights.LooksAtRows()), "reconciler": rights.Reconciler(),
		"recorder": rights.Recorder(), "relay": slices.Concat(rights.Relay(), rights.ReadsStreams(), []rights.Right{rights.AsksRows(), rights.LooksAtRows()}),
	} {
		d.role(who, all)
		d.function(who)
	}
	for task, function := range checkup.Tasks() {
		d.schedule(task, function, types.ScheduleStateEnabled)
	}
	return d
}

// applicationTable is a table of an application, whose stream is read.
func (d *deployed) applicationTable(client *dynamodb.Client) {
	d.t.Helper()
	name := aws.String(d.options.Prefix + "-orders")
	made, err := client.CreateTable(d.t.Context(), &dynamodb.CreateTableInput{
		TableName: name, BillingMode: ddbtypes.BillingModePayPerRequest,
		AttributeDefinitions: []ddbtypes.AttributeDefinition{{AttributeName: aws.String("image"), AttributeType: ddbtypes.ScalarAttributeTypeS}},
		KeySchema:            []ddbtypes.KeySchemaElement{{AttributeName: aws.String("image"), KeyType: ddbtypes.KeyTypeHash}},
		StreamSpecification:  &ddbtypes.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: ddbtypes.StreamViewTypeNewAndOldImages},
	})
	must(d.t, err)
	d.stream = aws.ToString(made.TableDescription.LatestStreamArn)
	d.t.Cleanup(func() {
		_, err := client.DeleteTable(context.WithoutCancel(d.t.Context()), &dynamodb.DeleteTableInput{TableName: name})
		must(d.t, err)
	})
}

// sources are the table, asked by its own key, and an outbox.
func (d *deployed) sources() string {
	return `[{"name":"orders","table":"` + d.options.Prefix + `-orders","tenant":"acme","bucket":"` + d.bucket + `","paths":{"key":"image"},` +
		`"index":{"attribute":"image","holds":"key"}},{"name":"shop","tenant":"acme"}]`
}

func (d *deployed) rule(rules ...s3types.LifecycleRule) {
	d.t.Helper()
	_, err := d.s3.PutBucketLifecycleConfiguration(d.t.Context(), &s3.PutBucketLifecycleConfigurationInput{
		Bucket: aws.String(d.bucket), LifecycleConfiguration: &s3types.BucketLifecycleConfiguration{Rules: rules},
	})
	must(d.t, err)
}

func (d *deployed) queueARN(name string) string {
	return "arn:aws:sqs:us-east-1:" + account + ":" + name
}

// arns are where each right is given, as the deployment gives it.
func (d *deployed) arns(who string) map[rights.Place]string {
	orders := "arn:aws:dynamodb:us-east-1:" + account + ":table/" + d.options.Prefix + "-orders"
	table, bucket := "arn:aws:dynamodb:us-east-1:"+account+":table/"+d.in.Ledger.Name, "arn:aws:s3:::"+d.bucket
	return map[rights.Place]string{
		rights.Table: table, rights.Index: table + "/index/due",
		rights.PurgeQueue: d.queueARN(d.in.Purge.Name), rights.PurgeDead: d.queueARN(d.in.DeadLetter.Name),
		rights.EventsDead: d.queueARN(d.in.Events.Name), rights.Sources: bucket, rights.Objects: bucket + "/app/*",
		rights.StoredQueue: d.queueARN(d.in.Stored.Name), rights.ReleasesQueue: d.queueARN(d.in.Releases.Name),
		rights.ReleasesDead: d.queueARN(d.in.ReleasesDead.Name), rights.Streams: d.stream, rights.AllStreams: "*", rights.Mappings: "*",
		rights.SourceTables: orders, rights.SourceRows: orders,
		rights.Inventories: "arn:aws:s3:::inventories", rights.InventoryObjects: "arn:aws:s3:::inventories/inventory/*",
		rights.OwnLogs:   "arn:aws:logs:us-east-1:" + account + ":log-group:/own/" + who + ":*",
		rights.AuditLogs: "arn:aws:logs:us-east-1:" + account + ":log-group:/the/audit:*",
	}
}

// role makes the function's role with so many rights; given again it has
// exactly those.
func (d *deployed) role(who string, all []rights.Right) {
	d.t.Helper()
	name := aws.String(d.options.Prefix + "-" + who)
	_, err := d.iam.GetRole(d.t.Context(), &iam.GetRoleInput{RoleName: name})
	if err != nil {
		_, err := d.iam.CreateRole(d.t.Context(), &iam.CreateRoleInput{RoleName: name, AssumeRolePolicyDocument: aws.String(`{"Version":"2012-10-17","Statement":[]}`)})
		must(d.t, err)
	}
	var statements []map[string]any
	for _, r := range all {
		at, known := d.arns(who)[r.On]
		if !known {
			d.t.Fatalf("the test does not know where rights on the %s are given", r.On)
		}
		statements = append(statements, map[string]any{"Effect": "Allow", "Action": r.Actions, "Resource": at})
	}
	document, err := json.Marshal(map[string]any{"Version": "2012-10-17", "Statement": statements})
	must(d.t, err)
	_, err = d.iam.PutRolePolicy(d.t.Context(), &iam.PutRolePolicyInput{
		RoleName: name, PolicyName: aws.String("rights"), PolicyDocument: aws.String(string(document)),
	})
	must(d.t, err)
}

func (d *deployed) function(who string) {
	d.t.Helper()
	var code bytes.Buffer
	archive := zip.NewWriter(&code)
	_, err := archive.Create("bootstrap")
	must(d.t, err)
	must(d.t, archive.Close())
	sources := ""
	if who == "worker" || who == "relay" {
		sources = d.sources()
	}
	functions, name := lambda.NewFromConfig(d.cloud), aws.String(d.options.Prefix+"-"+who)
	_, err = functions.CreateFunction(d.t.Context(), &lambda.CreateFunctionInput{
		FunctionName: name, Runtime: lambdatypes.RuntimeProvidedal2023, Handler: aws.String("bootstrap"),
		Role: aws.String("arn:aws:iam::" + account + ":role/" + d.options.Prefix + "-" + who), Timeout: aws.Int32(120),
		Code: &lambdatypes.FunctionCode{ZipFile: code.Bytes()},
		Environment: &lambdatypes.Environment{Variables: map[string]string{
			"STRANDLINE_QUEUE_URL": d.options.Site.QueueURL,
			"STRANDLINE_TABLE":     d.in.Ledger.Name, "STRANDLINE_INVENTORY_BUCKET": "inventories", "STRANDLINE_INVENTORY_PREFIX": "inventory",
			"STRANDLINE_SOURCES": sources, "STRANDLINE_AUDIT_GROUP": "/the/audit", "NOT_OURS": "a secret",
		}},
		LoggingConfig:    &lambdatypes.LoggingConfig{LogGroup: aws.String("/own/" + who)},
		DeadLetterConfig: &lambdatypes.DeadLetterConfig{TargetArn: aws.String(d.queueARN(d.in.Events.Name))},
	})
	must(d.t, err)
	active := lambda.NewFunctionActiveV2Waiter(functions, func(o *lambda.FunctionActiveV2WaiterOptions) {
		o.MinDelay, o.MaxDelay = 100*time.Millisecond, time.Second
	})
	must(d.t, active.Wait(d.t.Context(), &lambda.GetFunctionInput{FunctionName: name}, 2*time.Minute))
}

func (d *deployed) schedule(task, function string, state types.ScheduleState) {
	d.t.Helper()
	every := "rate(1 day)"
	if task == "pass" {
		every = "rate(15 minutes)"
	}
	name := aws.String(d.options.Prefix + "-" + task)
	target := &types.Target{
		Arn:              aws.String("arn:aws:lambda:us-east-1:" + account + ":function:" + d.options.Prefix + "-" + function),
		RoleArn:          aws.String("arn:aws:iam::" + account + ":role/schedules"),
		Input:            aws.String(`{"task":"` + task + `","schedule":"` + task + `","time":"<aws.scheduler.scheduled-time>"}`),
		DeadLetterConfig: &types.DeadLetterConfig{Arn: aws.String(d.queueARN(d.in.Events.Name))},
	}
	window := &types.FlexibleTimeWindow{Mode: types.FlexibleTimeWindowModeOff}
	_, err := d.timers.CreateSchedule(d.t.Context(), &scheduler.CreateScheduleInput{
		Name: name, ScheduleExpression: aws.String(every), FlexibleTimeWindow: window, Target: target, State: state,
	})
	if err != nil {
		_, err = d.timers.UpdateSchedule(d.t.Context(), &scheduler.UpdateScheduleInput{
			Name: name, ScheduleExpression: aws.String(every), FlexibleTimeWindow: window, Target: target, State: state,
		})
	}
	must(d.t, err)
}
