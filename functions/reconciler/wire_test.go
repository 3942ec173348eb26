package reconciler_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/functions/reconciler"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/inventory"
	inventories "github.com/strandline-dev/strandline/shared/inventory/s3"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/objects/s3/markers"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/quarantine"
	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

// wire is an installation of its own over HTTP. Its clock is ahead of the
// emulator's, so that what is put now is old.
type wire struct {
	t           *testing.T
	cloud       aws.Config
	policy      policy.Policy
	config      reconciler.Config
	ledger      *ledgers.Store
	store       *s3.Store
	inventories *inventories.Bucket
	source      string
	ahead       time.Duration
}

func (w *wire) now() time.Time { return time.Now().Add(w.ahead) }

func newWire(t *testing.T) *wire {
	t.Helper()
	p := policy.Default()
	p.MaxOrphanPercent = 90
	cloud := localstacktest.Config(t)
	in, err := schema.New("rec-"+strings.ToLower(rand.Text()[:10]), p, "uploads", "inventories")
	must(t, err)
	made, err := create.Create(t.Context(), create.For(cloud), in)
	must(t, err)
	must(t, made.KeepExpired(t.Context()))
	source, lists := in.Buckets[0].Name, in.Buckets[1].Name
	client := awsconf.S3(cloud)
	return &wire{
		t: t, cloud: cloud, policy: p, source: source, ahead: 30 * day,
		ledger: ledgers.New(awsconf.DynamoDB(cloud), in.Ledger.Name), store: s3.New(client), inventories: inventories.New(client, lists),
		config: reconciler.Config{
			Table: in.Ledger.Name, InventoryBucket: lists, InventoryPrefix: prefix, SourceBuckets: []string{source},
			TempDir: t.TempDir(), Segments: 2, LogLevel: slog.LevelError, Policy: p,
		},
	}
}

func (w *wire) put(key, body string) string {
	w.t.Helper()
	sum := sha256.Sum256([]byte(body))
	v, err := w.store.Put(w.t.Context(), w.source, key, strings.NewReader(body), objects.Content{Size: int64(len(body)), SHA256: sum[:]})
	must(w.t, err)
	return v.VersionID
}

func (w *wire) published(id string) {
	w.t.Helper()
	r := upload.Record{}
	step := func(e upload.Event) {
		c, err := upload.Step(w.policy, r, e, time.Now())
		must(w.t, err)
		must(w.t, w.ledger.Commit(w.t.Context(), c))
		r = c.After
	}
	step(upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: id}, Owner: "o", Holder: "h", Lease: time.Minute, Bucket: w.source, Prefix: "up", Declared: 1,
	})
	k := upload.Key{Attempt: 1, Seq: 1}
	step(upload.RecordObject{Fence: 1, Seq: 1, VersionID: w.put(r.ObjectKey(k), id), Size: int64(len(id))})
	step(upload.Complete{Fence: 1, List: []upload.Key{k}})
}

// list writes an inventory into its bucket and returns the event of it.
func (w *wire) list(created time.Time) json.RawMessage {
	w.t.Helper()
	var failed error
	rows := func(yield func(*inventory.Row, error) bool) {
		for v, err := range w.store.Versions(w.t.Context(), w.source, "") {
			failed = err
			row := rowOf(v)
			row.Bucket = []byte(w.source)
			if err != nil || !yield(row, nil) {
				return
			}
		}
	}
	key, err := inventory.Write(w.t.Context(), w.inventories, inventory.Delivery{
		Bucket: w.source, Destination: w.config.InventoryBucket, Prefix: prefix, Config: "daily", Created: created,
		Format: inventory.Parquet, TempDir: w.t.TempDir(),
	}, rows)
	must(w.t, err)
	must(w.t, failed)
	raw, err := json.Marshal(map[string]any{"Records": []any{map[string]any{
		"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "eventTime": created.Add(time.Hour),
		"s3": map[string]any{
			"bucket": map[string]any{"name": w.config.InventoryBucket},
			"object": map[string]any{"key": url.QueryEscape(path.Dir(key) + "/manifest.checksum")},
		},
	}}})
	must(w.t, err)
	return raw
}

func (w *wire) app() *reconciler.App {
	w.t.Helper()
	app, err := reconciler.NewFrom(w.config, reconciler.Deps{
		Ledger: w.ledger, Objects: w.store, Inventories: w.inventories, Now: w.now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	must(w.t, err)
	return app
}

func TestOrphanOnTheWireIsHeldApprovedHiddenAndRestored(t *testing.T) {
	w := newWire(t)
	w.published("u-1")
	version := w.put("imports/a b+c.png", "stranded")
	answer, err := w.app().Handle(t.Context(), w.list(w.now().Add(-2*time.Hour)))
	must(t, err)
	if len(answer.Runs) != 1 || answer.Runs[0].Opened != 1 || answer.Runs[0].Counts[reconcile.OK].Count != 1 {
		t.Fatalf("the answer is %+v", answer)
	}
	desk := quarantine.Desk{
		Policy: w.policy, Book: hold.Book{Documents: w.ledger}, Records: w.ledger, Store: w.store,
		Markers: markers.New(awsconf.S3(w.cloud)), Parts: w.store, Now: w.now,
	}
	page, err := desk.Book.List(t.Context(), w.source, "", 10, hold.Open)
	must(t, err)
	if len(page.Holds) != 1 || page.Holds[0].VersionID != version {
		t.Fatalf("held are %+v", page.Holds)
	}
	plan, err := desk.Plan(t.Context(), w.source, page.Holds[0].ID())
	must(t, err)
	h, err := desk.Execute(t.Context(), plan, "ann")
	must(t, err)
	if h.Marker.VersionID == "" || w.current("imports/a b+c.png") != h.Marker.VersionID {
		t.Errorf("it is not hidden: %+v", h)
	}
	h, err = desk.Restore(t.Context(), w.source, h.ID(), "ann")
	must(t, err)
	r, err := w.ledger.Load(t.Context(), plan.Adopts)
	must(t, err)
	if h.State != hold.Open || w.current("imports/a b+c.png") != version || !r.Withdrawn() {
		t.Errorf("it is not restored: %+v, the record is %s", h, r.State)
	}
}

// current is the version on top of a key.
func (w *wire) current(key string) string {
	w.t.Helper()
	for v, err := range w.store.Versions(w.t.Context(), w.source, key) {
		must(w.t, err)
		if v.Latest {
			return v.VersionID
		}
	}
	return ""
}

// The function as it is deployed, on the machine's own clock: what was put just
// now is too fresh to be held; and an unfinished multipart upload too.
func TestFunctionOnTheMachinesClockHoldsNothingThatIsFresh(t *testing.T) {
	w := newWire(t)
	w.ahead = 0
	w.published("u-1")
	w.put("imports/logo.png", "stranded")
	_, err := w.store.BeginMultipart(t.Context(), w.source, "imports/video.mp4", "")
	must(t, err)
	w.list(time.Now().Add(-time.Minute))
	app, err := reconciler.New(w.config, w.cloud)
	must(t, err)
	at := time.Now().UTC().Format(time.RFC3339)
	answer, err := app.Handle(t.Context(), json.RawMessage(`{"task":"reconcile","schedule":"daily","time":"`+at+`"}`))
	must(t, err)
	if len(answer.Runs) != 1 || answer.Runs[0].Counts[reconcile.TooFresh].Count != 1 || answer.Runs[0].Opened != 0 {
		t.Errorf("the answer is %+v", answer)
	}
	answer, err = app.Handle(t.Context(), json.RawMessage(`{"task":"sweep","schedule":"daily","time":"`+at+`"}`))
	must(t, err)
	if len(answer.Swept) != 1 || answer.Swept[0].Fresh != 1 || answer.Swept[0].Opened != 0 {
		t.Errorf("the answer is %+v", answer)
	}
}

func TestMultipartUploadOnTheWireIsHeldAndAbortedOnApproval(t *testing.T) {
	w := newWire(t)
	_, err := w.store.BeginMultipart(t.Context(), w.source, "imports/video.mp4", "")
	must(t, err)
	at := w.now().UTC().Format(time.RFC3339)
	answer, err := w.app().Handle(t.Context(), json.RawMessage(`{"task":"sweep","schedule":"daily","time":"`+at+`"}`))
	must(t, err)
	if len(answer.Swept) != 1 || answer.Swept[0].Opened != 1 {
		t.Fatalf("the answer is %+v", answer)
	}
	desk := quarantine.Desk{
		Policy: w.policy, Book: hold.Book{Documents: w.ledger}, Records: w.ledger, Store: w.store,
		Markers: markers.New(awsconf.S3(w.cloud)), Parts: w.store, Now: w.now,
	}
	page, err := desk.Book.List(t.Context(), w.source, "", 10)
	must(t, err)
	plan, err := desk.Plan(t.Context(), w.source, page.Holds[0].ID())
	must(t, err)
	h, err := desk.Execute(t.Context(), plan, "ann")
	must(t, err)
	for m, err := range w.store.Multiparts(t.Context(), w.source, "") {
		t.Errorf("it stands: %+v, %v", m, err)
	}
	if h.State != hold.Closed {
		t.Errorf("the hold is %+v", h)
	}
}
