package worker_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	smithytime "github.com/aws/smithy-go/time"

	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

// wire is an installation of its own on the emulator. Its clock runs ahead of
// the machine's by what the test passes over.
type wire struct {
	t      *testing.T
	cloud  aws.Config
	cfg    worker.Config
	bucket string
	ledger *ledgers.Store
	store  *s3.Store
	queue  *sqs.Queue
	gate   *gates.Gate
	ahead  time.Duration
}

func newWire(t *testing.T) *wire {
	t.Helper()
	w := &wire{t: t, cloud: localstacktest.Config(t)}
	in, err := schema.New("worker-"+strings.ToLower(rand.Text()[:12]), policy.Default(), "uploads")
	must(t, err)
	made, err := create.Create(t.Context(), create.For(w.cloud), in)
	must(t, err)
	must(t, made.KeepExpired(t.Context()))
	t.Cleanup(func() { _ = made.Delete(context.WithoutCancel(t.Context())) })
	w.bucket = in.Buckets[0].Name
	w.cfg = worker.Config{
		Table: in.Ledger.Name, QueueURL: made.PurgeURL, DeadLetterURL: made.DeadLetterURL, Gate: "main",
		Concurrency: 8, DeadlineMargin: 10 * time.Second, Policy: policy.Default(),
	}
	w.ledger = ledgers.New(awsconf.DynamoDB(w.cloud), w.cfg.Table)
	w.store = s3.New(awsconf.S3(w.cloud))
	w.queue = sqs.New(awsconf.SQS(w.cloud), w.cfg.QueueURL, w.cfg.DeadLetterURL)
	w.gate = gates.New(awsconf.DynamoDB(w.cloud), w.cfg.Table, w.cfg.Gate, w.now)
	must(t, w.gate.SetRate(t.Context(), 5000, 5000))
	must(t, w.gate.SetMode(t.Context(), gate.Delete))
	return w
}

func (w *wire) now() time.Time { return time.Now().Add(w.ahead) }

// gateAhead shows the worker the store's Date as far ahead as its own clock.
type gateAhead struct{ w *wire }

func (g gateAhead) Reserve(ctx context.Context, slots int) (gate.Grant, error) {
	return g.w.gate.Reserve(ctx, slots)
}

func (g gateAhead) Throttled(ctx context.Context) (gate.State, error) { return g.w.gate.Throttled(ctx) }

func (g gateAhead) Read(ctx context.Context) (gate.State, error) {
	s, err := g.w.gate.Read(ctx)
	s.ServerTime = s.ServerTime.Add(g.w.ahead)
	return s, err
}

// app is the function as it is deployed, but for its clock.
func (w *wire) app() *worker.App {
	w.t.Helper()
	app, err := worker.NewFrom(w.cfg, worker.Deps{
		Records: w.ledger, Store: w.store, Parts: w.store, Gate: gateAhead{w}, Queue: w.queue,
		Log: slog.New(slog.DiscardHandler), Now: w.now,
		Sleep: smithytime.SleepWithContext,
	})
	must(w.t, err)
	return app
}

func (w *wire) apply(id upload.ID, e upload.Event) upload.Record {
	w.t.Helper()
	r, err := w.ledger.Load(w.t.Context(), id)
	must(w.t, err)
	change, err := upload.Step(w.cfg.Policy, r, e, w.now())
	must(w.t, err)
	must(w.t, w.ledger.Commit(w.t.Context(), change))
	return change.After
}

// cancelled is an upload of so many objects, all put, recorded up to known, and
// given up. It is due when the clock is past its grace.
func (w *wire) cancelled(name string, declared, known int) upload.Record {
	w.t.Helper()
	id := upload.ID{Tenant: "acme", Upload: name}
	r := w.apply(id, upload.Reserve{
		ID: id, Owner: "o", Holder: "w", Lease: time.Minute, Bucket: w.bucket, Prefix: "up", Declared: declared,
	})
	for seq := 1; seq <= declared; seq++ {
		stored := w.put(r.ObjectKey(upload.Key{Attempt: 1, Seq: seq}))
		if seq <= known {
			r = w.apply(id, upload.RecordObject{Fence: 1, Seq: seq, VersionID: stored.VersionID, Size: 4, ETag: stored.ETag})
		}
	}
	return w.apply(id, upload.Cancel{Fence: 1, Reason: "test"})
}

func (w *wire) put(key string) objects.Stored {
	w.t.Helper()
	sum := sha256.Sum256([]byte("data"))
	stored, err := w.store.Put(w.t.Context(), w.bucket, key, bytes.NewReader([]byte("data")), objects.Content{Size: 4, SHA256: sum[:]})
	must(w.t, err)
	return stored
}

func (w *wire) send(records ...upload.Record) {
	w.t.Helper()
	commands := make([]upload.Command, len(records))
	for i, r := range records {
		commands[i] = upload.Command{
			Run: "pass#1", Operation: upload.OpClaim, ID: r.ID, Version: r.Version,
			Cutoff: w.now().Add(-w.cfg.Policy.SafetyMargin - time.Second), Reason: "cancelled",
		}
	}
	accepted, err := w.queue.Send(w.t.Context(), commands)
	must(w.t, err)
	for i, ok := range accepted {
		if !ok {
			w.t.Fatalf("command %d was not accepted", i)
		}
	}
}

// receive takes so many messages from the queue.
func (w *wire) receive(n int) []command.Received {
	w.t.Helper()
	var batch []command.Received
	for range 50 {
		some, err := w.queue.Receive(w.t.Context(), 10, time.Second)
		must(w.t, err)
		if batch = append(batch, some...); len(batch) >= n {
			return batch
		}
	}
	w.t.Fatalf("received %d messages, want %d", len(batch), n)
	return nil
}

// handle hands messages to a function as Lambda does, acknowledges what its
// answer strikes off, and returns what is left.
func (w *wire) handle(app *worker.App, batch []command.Received) []string {
	w.t.Helper()
	receipts := map[string]string{}
	for _, m := range batch {
		receipts[m.MessageID] = m.Receipt
	}
	raw, err := lambdaevent.Messages(batch...)
	must(w.t, err)
	response, err := app.Handle(w.t.Context(), raw)
	must(w.t, err)
	left := make([]string, 0, len(response.BatchItemFailures))
	for _, f := range response.BatchItemFailures {
		left = append(left, f.ItemIdentifier)
		delete(receipts, f.ItemIdentifier)
	}
	for _, receipt := range receipts {
		must(w.t, w.queue.Acknowledge(w.t.Context(), receipt))
	}
	return left
}

func (w *wire) standing() []string {
	w.t.Helper()
	var keys []string
	for v, err := range w.store.Versions(w.t.Context(), w.bucket, "") {
		must(w.t, err)
		keys = append(keys, v.Key)
	}
	return keys
}

func (w *wire) wantState(id upload.ID, s upload.State) upload.Record {
	w.t.Helper()
	r, err := w.ledger.Load(w.t.Context(), id)
	must(w.t, err)
	if r.State != s {
		w.t.Fatalf("upload %s is %s, want %s", id.Upload, r.State, s)
	}
	return r
}
