package functions_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	smithytime "github.com/aws/smithy-go/time"

	"github.com/strandline-dev/strandline/functions/scheduler"
	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	"github.com/strandline-dev/strandline/shared/upload"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// upgrade is one installation that workers of two versions share.
type upgrade struct {
	t      *testing.T
	cloud  aws.Config
	cfg    worker.Config
	bucket string
	ledger *ledgers.Store
	store  *s3.Store
	queue  *sqs.Queue
	gate   *gates.Gate
}

func newUpgrade(t *testing.T) *upgrade {
	t.Helper()
	u := &upgrade{t: t, cloud: localstacktest.Config(t)}
	in, err := schema.New("upgrade-"+strings.ToLower(rand.Text()[:12]), policy.Default(), "uploads")
	must(t, err)
	made, err := create.Create(t.Context(), create.For(u.cloud), in)
	must(t, err)
	must(t, made.KeepExpired(t.Context()))
	t.Cleanup(func() { _ = made.Delete(context.WithoutCancel(t.Context())) })
	u.bucket = in.Buckets[0].Name
	u.cfg = worker.Config{
		Table: in.Ledger.Name, QueueURL: made.PurgeURL, DeadLetterURL: made.DeadLetterURL, Gate: "main",
		Concurrency: 4, DeadlineMargin: 10 * time.Second, Policy: policy.Default(),
	}
	dynamo := awsconf.DynamoDB(u.cloud)
	u.ledger, u.store = ledgers.New(dynamo, u.cfg.Table), s3.New(awsconf.S3(u.cloud))
	u.queue = sqs.New(awsconf.SQS(u.cloud), u.cfg.QueueURL, u.cfg.DeadLetterURL)
	u.gate = gates.New(dynamo, u.cfg.Table, u.cfg.Gate, time.Now)
	must(t, u.gate.SetRate(t.Context(), 5000, 5000))
	must(t, u.gate.SetMode(t.Context(), gate.Delete))
	return u
}

// variables are what a binary is told of the installation.
func (u *upgrade) variables(s3Endpoint string) []string {
	all := []string{
		"AWS_ENDPOINT_URL=" + localstacktest.Endpoint(u.t), "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"STRANDLINE_TABLE=" + u.cfg.Table, "STRANDLINE_QUEUE_URL=" + u.cfg.QueueURL, "STRANDLINE_DEAD_LETTER_URL=" + u.cfg.DeadLetterURL,
	}
	if s3Endpoint != "" {
		all = append(all, "AWS_ENDPOINT_URL_S3="+s3Endpoint)
	}
	return all
}

// cancelled is an upload of one object that was given up eight hours ago, and
// so is due.
func (u *upgrade) cancelled(name string) upload.Record {
	u.t.Helper()
	ctx, at := u.t.Context(), time.Now().Add(-8*time.Hour)
	id, r := upload.ID{Tenant: "acme", Upload: name}, upload.Record{}
	apply := func(e upload.Event) {
		change, err := upload.Step(u.cfg.Policy, r, e, at)
		must(u.t, err)
		must(u.t, u.ledger.Commit(ctx, change))
		r = change.After
	}
	apply(upload.Reserve{
		ID: id, Owner: "o", Holder: "w", Lease: time.Minute, Deadline: 5 * time.Minute, Bucket: u.bucket, Prefix: "up", Declared: 1,
	})
	sum := sha256.Sum256([]byte("data"))
	stored, err := u.store.Put(ctx, u.bucket, r.ObjectKey(upload.Key{Attempt: 1, Seq: 1}), bytes.NewReader([]byte("data")), objects.Content{Size: 4, SHA256: sum[:]})
	must(u.t, err)
	apply(upload.RecordObject{Fence: 1, Seq: 1, VersionID: stored.VersionID, Size: 4, ETag: stored.ETag})
	apply(upload.Cancel{Fence: 1, Reason: "test"})
	return r
}

func (u *upgrade) command(r upload.Record) upload.Command {
	return upload.Command{
		Run: "2026-11-30T08:15:00.000Z#pass", Operation: upload.OpClaim, ID: r.ID, Version: r.Version,
		Cutoff: time.Now().Add(-u.cfg.Policy.SafetyMargin - time.Second), Reason: "cancelled",
	}
}

// body is the command as this version's scheduler sends it, or, raised, as the
// next one's.
func (u *upgrade) body(r upload.Record, raise bool) string {
	u.t.Helper()
	body, err := command.Encode(u.command(r))
	must(u.t, err)
	this, next := `"schema":`+strconv.Itoa(command.Schema), `"schema":`+strconv.Itoa(command.Schema+1)
	if !raise {
		return string(body)
	}
	if !strings.Contains(string(body), this) {
		u.t.Fatalf("no %s in %s", this, body)
	}
	return strings.Replace(string(body), this, next, 1)
}

// event is a batch of one message as Lambda hands it over. Its receipt is of no
// message that is there: nobody is hidden or acknowledged by it.
func event(body string) events.SQSEvent {
	return events.SQSEvent{Records: []events.SQSMessage{{
		MessageId: "m-1", ReceiptHandle: "r-1", Body: body, EventSource: "aws:sqs",
		Attributes: map[string]string{"ApproximateReceiveCount": "1"},
	}}}
}

// old hands a message to the worker of this version.
func (u *upgrade) old(body string) events.SQSEventResponse {
	u.t.Helper()
	app, err := worker.NewFrom(u.cfg, worker.Deps{
		Records: u.ledger, Store: u.store, Parts: u.store, Gate: u.gate, Queue: u.queue,
		Log: slog.New(slog.DiscardHandler), Now: time.Now, Sleep: smithytime.SleepWithContext,
	})
	must(u.t, err)
	raw, err := json.Marshal(event(body))
	must(u.t, err)
	response, err := app.Handle(u.t.Context(), raw)
	must(u.t, err)
	return response
}

func (u *upgrade) load(r upload.Record) upload.Record {
	u.t.Helper()
	now, err := u.ledger.Load(u.t.Context(), r.ID)
	must(u.t, err)
	return now
}

func (u *upgrade) stands(r upload.Record) bool {
	u.t.Helper()
	for _, err := range u.store.Versions(u.t.Context(), u.bucket, r.Folder()) {
		must(u.t, err)
		return true
	}
	return false
}

// wantGone: the next worker has finished it, and its record is of the next
// schema.
func (u *upgrade) wantGone(r upload.Record) {
	u.t.Helper()
	now := u.load(r)
	if now.State != upload.StateDeleted || now.Schema != upload.Schema+1 || u.stands(r) {
		u.t.Fatalf("%s is %s of schema %d, and it stands: %v", r.Upload, now.State, now.Schema, u.stands(r))
	}
}

// wantRefused: this version left it as it was, acknowledged the message, and
// put it where a person, and dlq redrive, find it.
func (u *upgrade) wantRefused(before upload.Record, response events.SQSEventResponse, says string) {
	u.t.Helper()
	if len(response.BatchItemFailures) != 0 {
		u.t.Errorf("%s: the message comes back: it would do so until it is too old", before.Upload)
	}
	if now := u.load(before); now.Version != before.Version || now.State != before.State || !u.stands(before) {
		u.t.Errorf("%s was %s at version %d, is %s at %d; it stands: %v",
			before.Upload, before.State, before.Version, now.State, now.Version, u.stands(before))
	}
	dead := sqs.New(awsconf.SQS(u.cloud), u.cfg.DeadLetterURL, "")
	letters, err := dead.Receive(u.t.Context(), 10, 5*time.Second)
	must(u.t, err)
	if len(letters) != 1 || !strings.Contains(letters[0].Body, before.Upload) {
		u.t.Fatalf("%d dead letters: expected that of %s (%s)", len(letters), before.Upload, says)
	}
	must(u.t, dead.Acknowledge(u.t.Context(), letters[0].Receipt))
}

// TestOldAndNewWorkersSideBySideLoseNothing: during an upgrade both versions
// take messages from one queue and records from one table. The next version
// goes on with what this one wrote; this one leaves alone what the next one
// wrote. Without the guard in the decoder, an old worker would act on a message
// whose fields may mean something else; without those in core and adapter, it
// would write back a record that it has read in part; without the lenience of
// the next version, everything that was queued before an upgrade would be dead.
func TestOldAndNewWorkersSideBySideLoseNothing(t *testing.T) {
	u, binary := newUpgrade(t), nextWorker(t)
	next := run(t, binary, u.variables("")...)
	denied := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(denied.Close)
	hindered := run(t, binary, u.variables(denied.URL)...)
	queued, future, begun := u.cancelled("queued"), u.cancelled("future"), u.cancelled("begun")

	t.Log("the next version carries out what this one's scheduler queued")
	if left := next.invoke(event(u.body(queued, false))); len(left.BatchItemFailures) != 0 {
		t.Fatalf("it is not done: %+v", left)
	}
	u.wantGone(queued)

	t.Log("this version refuses a message of the next one; redriven, the next one carries it out")
	u.wantRefused(future, u.old(u.body(future, true)), "schema is")
	if left := next.invoke(event(u.body(future, true))); len(left.BatchItemFailures) != 0 {
		t.Fatalf("it is not done: %+v", left)
	}
	u.wantGone(future)

	t.Log("this version leaves a record alone that the next one has begun with")
	if left := hindered.invoke(event(u.body(begun, false))); len(left.BatchItemFailures) != 1 {
		t.Fatalf("hindered, and yet it is done: %+v", left)
	}
	now := u.load(begun)
	if now.Schema != upload.Schema+1 || !u.stands(begun) {
		t.Fatalf("the next version left it as schema %d, %s", now.Schema, now.State)
	}
	now.Bucket, now.Prefix = begun.Bucket, begun.Prefix // what this version does not read
	u.wantRefused(now, u.old(u.body(begun, false)), "schema unknown")
	u.wantPassedOver(begun)
	t.Log("recorder and relay of this version leave it alone too")
	now.Manifest = begun.Manifest
	u.wantLeftAloneFromOutside(now)
	if left := next.invoke(event(u.body(begun, false))); len(left.BatchItemFailures) != 0 {
		t.Fatalf("it is not done: %+v", left)
	}
	u.wantGone(begun)
}

// later shows a pass an hour that is still to come, in the store's Date too.
type later struct{ *gates.Gate }

func (l later) Read(ctx context.Context) (gate.State, error) {
	s, err := l.Gate.Read(ctx)
	s.ServerTime = s.ServerTime.Add(time.Hour)
	return s, err
}

// wantPassedOver: a pass of this version, at an instant when the record is due,
// says that it is of another schema, and publishes nothing.
func (u *upgrade) wantPassedOver(r upload.Record) {
	u.t.Helper()
	in := func() time.Time { return time.Now().Add(time.Hour) }
	app, err := scheduler.NewFrom(scheduler.Config{Table: u.cfg.Table, Gate: "main", Policy: u.cfg.Policy}, scheduler.Deps{
		Ledger: u.ledger, Gate: later{u.gate}, Queue: u.queue, Now: in, Log: slog.New(slog.DiscardHandler),
	})
	must(u.t, err)
	for _, task := range []string{"census", "pass"} {
		raw, err := json.Marshal(map[string]string{"task": task, "schedule": "pass", "time": in().UTC().Format(time.RFC3339)})
		must(u.t, err)
		answer, err := app.Handle(u.t.Context(), raw)
		must(u.t, err)
		if task == "census" {
			continue
		}
		if n := answer.Pass.Tally.Skipped["schema unknown"].Uploads; n != 1 || answer.Pass.Tally.Published.Uploads != 0 {
			u.t.Errorf("the pass of %s: %s", r.Upload, answer.Pass.Tally)
		}
	}
}
