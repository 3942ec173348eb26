package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/reclaim"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// audited is an installation with an application's table and an outbox.
type audited struct {
	t       *testing.T
	cloud   aws.Config
	in      schema.Installation
	made    *create.Created
	dynamo  *dynamodb.Client
	lambda  *lambda.Client
	ledger  *dynamo.Store
	orders  string // the table
	stream  string // its stream's ARN
	sources string // a file
	args    []string
}

func newAudited(t *testing.T, prefix string) *audited {
	t.Helper()
	a := &audited{t: t, cloud: localstacktest.Config(t), orders: prefix + "-orders"}
	a.in, a.made = created(t, a.cloud, prefix)
	a.dynamo, a.lambda = awsconf.DynamoDB(a.cloud), lambda.NewFromConfig(a.cloud)
	a.ledger = dynamo.New(a.dynamo, a.in.Ledger.Name)
	text := func(name string) ddbtypes.AttributeDefinition {
		return ddbtypes.AttributeDefinition{AttributeName: aws.String(name), AttributeType: ddbtypes.ScalarAttributeTypeS}
	}
	key := func(name string) []ddbtypes.KeySchemaElement {
		return []ddbtypes.KeySchemaElement{{AttributeName: aws.String(name), KeyType: ddbtypes.KeyTypeHash}}
	}
	out, err := a.dynamo.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(a.orders), BillingMode: ddbtypes.BillingModePayPerRequest, KeySchema: key("id"),
		AttributeDefinitions: []ddbtypes.AttributeDefinition{text("id"), text("photo")},
		GlobalSecondaryIndexes: []ddbtypes.GlobalSecondaryIndex{{
			IndexName: aws.String("by-photo"), KeySchema: key("photo"), Projection: &ddbtypes.Projection{ProjectionType: ddbtypes.ProjectionTypeKeysOnly},
		}},
		StreamSpecification: &ddbtypes.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: ddbtypes.StreamViewTypeNewAndOldImages},
	})
	must(t, err)
	t.Cleanup(func() {
		_, err := a.dynamo.DeleteTable(context.WithoutCancel(t.Context()), &dynamodb.DeleteTableInput{TableName: aws.String(a.orders)})
		must(t, err)
	})
	a.stream = aws.ToString(out.TableDescription.LatestStreamArn)
	a.sources = filepath.Join(t.TempDir(), "sources.json")
	must(t, os.WriteFile(a.sources, []byte(a.text()), 0o600))
	a.args = []string{
		"audit", "--sources", a.sources, "--table", a.in.Ledger.Name, "--dead-letter-url", a.made.DeadLetterURL, "--json",
	}
	return a
}

func (a *audited) text() string {
	return `[{"name":"orders","table":"` + a.orders + `","tenant":"acme","bucket":"` + a.in.Buckets[0].Name + `","paths":{"key":"photo"},
		"index":{"name":"by-photo","attribute":"photo","holds":"key"}},{"name":"shop","tenant":"acme"}]`
}

// row writes a row that names a key.
func (a *audited) row(id, photo string) {
	a.t.Helper()
	item, err := attributevalue.MarshalMap(map[string]string{"id": id, "photo": photo})
	must(a.t, err)
	_, err = a.dynamo.PutItem(a.t.Context(), &dynamodb.PutItemInput{TableName: aws.String(a.orders), Item: item})
	must(a.t, err)
}

// function deploys one that is told of the sources and does nothing.
func (a *audited) function(who string) {
	a.t.Helper()
	var code bytes.Buffer
	archive := zip.NewWriter(&code)
	_, err := archive.Create("bootstrap")
	must(a.t, err)
	must(a.t, archive.Close())
	name := aws.String(strings.TrimSuffix(a.in.Ledger.Name, "ledger") + who)
	_, err = a.lambda.CreateFunction(a.t.Context(), &lambda.CreateFunctionInput{
		FunctionName: name, Runtime: lambdatypes.RuntimeProvidedal2023, Handler: aws.String("bootstrap"),
		Role: aws.String("arn:aws:iam::000000000000:role/r"), Code: &lambdatypes.FunctionCode{ZipFile: code.Bytes()},
		Environment: &lambdatypes.Environment{Variables: map[string]string{"STRANDLINE_SOURCES": a.text()}},
	})
	must(a.t, err)
	active := lambda.NewFunctionActiveV2Waiter(a.lambda, func(o *lambda.FunctionActiveV2WaiterOptions) {
		o.MinDelay, o.MaxDelay = 100*time.Millisecond, time.Second
	})
	must(a.t, active.Wait(a.t.Context(), &lambda.GetFunctionInput{FunctionName: name}, 2*time.Minute))
}

// read lets the relay read the stream, from what comes from now on.
func (a *audited) read() {
	a.t.Helper()
	_, err := a.lambda.CreateEventSourceMapping(a.t.Context(), &lambda.CreateEventSourceMappingInput{
		EventSourceArn: aws.String(a.stream), FunctionName: aws.String(strings.TrimSuffix(a.in.Ledger.Name, "ledger") + "relay"),
		StartingPosition: lambdatypes.EventSourcePositionLatest, Enabled: aws.Bool(true),
		FunctionResponseTypes: []lambdatypes.FunctionResponseType{lambdatypes.FunctionResponseTypeReportBatchItemFailures},
	})
	must(a.t, err)
}

// audit runs the command, and returns its exit code and what it says, by source:
// the verdict, and each check with its level.
func (a *audited) audit() (code int, says map[string]string) {
	a.t.Helper()
	got := runLine(a.t.Context(), a.args...)
	var report reclaim.Report
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		a.t.Fatalf("%v: exit %d, %s%s", err, got.code, got.out, got.errs)
	}
	says = map[string]string{}
	for _, s := range report.Sources {
		says[s.Name] = string(s.Verdict)
		for _, e := range s.Evidence {
			says[s.Name] += "\n" + string(e.Check) + ": " + string(e.Level) + ": " + e.Says
		}
	}
	return got.code, says
}

func wantSays(t *testing.T, says string, all ...string) {
	t.Helper()
	for _, one := range all {
		if !strings.Contains(says, one) {
			t.Errorf("audit does not say %q, but\n%s", one, says)
		}
	}
}

// TestAuditSeesASourceOnTheWire: what the gatherer sees, from a table that nobody
// reads to one at work with something of everything in its way. The judge's own
// cases are tested beside it.
func TestAuditSeesASourceOnTheWire(t *testing.T) {
	store := onWire(t)
	a := newAudited(t, "command-audit")
	code, says := a.audit()
	if code != exitFindings {
		t.Errorf("exit %d", code)
	}
	wantSays(t, says["orders"], "orphaned", "stream: ok: on", "reader: gap: no relay reads its stream", "configuration: gap: there is no relay",
		"mapping: note: the table has no row", "index: ok: index by-photo", "last event: note: the relay has seen none",
		"pending: ok: no release waits", "parked: ok: nothing", "orphans: note: no inventory")
	wantSays(t, says["shop"], "orphaned", "queue: ok: command-audit-releases: 0 releases")

	bucket := a.in.Buckets[0].Name
	put(t, store, bucket, "photos/17.jpg", []byte("a photo"))
	a.row("17", "photos/17.jpg")
	a.row("18", "photos/18.jpg")
	a.function("relay")
	a.function("worker")
	a.read()
	must(t, release.NoteState(t.Context(), a.ledger, "orders", release.State{LastEvent: time.Now(), SeenAt: time.Now()}))
	_, says = a.audit()
	wantSays(t, says["orders"], "reclaimed", "reader: ok: command-audit-relay, enabled", "configuration: ok",
		"mapping: ok: 2 rows name 2 objects; of 2 looked for, 1 are there", "last event: ok: ")
	wantSays(t, says["shop"], "orphaned", "reader: gap: no relay reads the queue")

	a.adopt(bucket)
	a.park()
	a.held(bucket, "photos/9.jpg", put(t, store, bucket, "photos/9.jpg", []byte("nobody's")))
	a.held(bucket, "imports/9.csv", put(t, store, bucket, "imports/9.csv", []byte("nobody's")))
	_, says = a.audit()
	wantSays(t, says["orders"], "fragile", "pending: note: 1 release waits", "the gate is in report-only",
		"parked: weak: 1 release could not be read", "orphans: weak: 1 object that nobody owns looks like its keys")
	// Looked at again, the dead letter is there again.
	got := runLine(t.Context(), a.args[:len(a.args)-1]...)
	wantSays(t, got.out, "orders (table command-audit-orders): fragile\n", "weak: 1 release could not be read", "  fix: strandline dlq list --queue releases")
}

// adopt is a release of the source that waits.
func (a *audited) adopt(bucket string) {
	a.t.Helper()
	id := upload.ID{Tenant: "acme", Upload: "release-0123456789"}
	change, err := upload.Step(policy.Default(), upload.Record{}, upload.Adopt{ID: id, Source: source.RecordSource("orders"), Objects: []upload.Explicit{{
		Bucket: bucket, Key: "photos/old.jpg", VersionID: "v1", ETag: "e", Size: 1, LastModified: time.Now(),
	}}}, time.Now())
	must(a.t, err)
	must(a.t, a.ledger.Commit(a.t.Context(), change))
}

func (a *audited) park() {
	a.t.Helper()
	dead := sqs.New(awsconf.SQS(a.cloud), a.made.ReleasesURL, a.made.ReleasesDeadURL)
	must(a.t, dead.Park(a.t.Context(), command.Received{MessageID: "m-1", Body: "{}", Receives: 1}, "orders", "photo: expected a string"))
}

func (a *audited) held(bucket, key, version string) {
	a.t.Helper()
	book, run := hold.Book{Documents: a.ledger}, hold.Sighting{Run: "run-1", Inventory: time.Now().Add(-time.Hour)}
	_, _, err := book.See(a.t.Context(), hold.Seen{
		Subject: hold.Subject{Kind: hold.Version, Bucket: bucket, Key: key, VersionID: version}, Size: 8, ETag: "e", LastModified: time.Now(), By: run,
	}, time.Now())
	must(a.t, err)
	must(a.t, book.SetView(a.t.Context(), bucket, hold.View{Run: run.Run, Inventory: run.Inventory, ManifestAt: time.Now(), Finished: time.Now()}))
}

func TestAuditSaysInOneLineWhatItIsNotTold(t *testing.T) {
	onWire(t)
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "sources.json")
		must(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	t.Setenv("STRANDLINE_SOURCES", "")
	for says, args := range map[string][]string{
		"--sources is not given and STRANDLINE_SOURCES is not set": {"--table", "x-ledger"},
		"--prefix is not given":               {"--table", "mine"},
		"no such file":                        {"--table", "x-ledger", "--sources", "nowhere.json"},
		"there is no source in it":            {"--table", "x-ledger", "--sources", file("[]")},
		`source 1 ("Orders"): name: expected`: {"--table", "x-ledger", "--sources", file(`[{"name":"Orders"}]`)},
		"--sample is 0: expected 1 to 10000":  {"--table", "x-ledger", "--sample", "0"},
		"unknown flag: --fix":                 {"--fix"},
	} {
		got := runLine(t.Context(), append([]string{"audit"}, args...)...)
		if got.code != exitFailed || strings.Count(got.errs, "\n") != 1 || !strings.Contains(got.errs, says) {
			t.Errorf("audit %v: exit %d, expected %q, got %q", args, got.code, says, got.errs)
		}
	}
	// A file that cannot be is told of before anybody is asked for credentials.
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	if got := runLine(t.Context(), "audit", "--table", "x-ledger", "--sources", file("[")); !strings.Contains(got.errs, "sources.json: sources are not a JSON array") {
		t.Errorf("without credentials: %q", got.errs)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := runLine(ctx, "audit", "--table", "x-ledger", "--sources", file(`[{"name":"shop"}]`)); got.code != exitInterrupted || got.out != "" {
		t.Errorf("interrupted: exit %d, %q", got.code, got.out)
	}
}
