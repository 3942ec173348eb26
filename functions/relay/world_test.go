package relay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/functions/relay"
	"github.com/strandline-dev/strandline/shared/command"
	queues "github.com/strandline-dev/strandline/shared/command/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	objects "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload"
)

const bucket = "uploads"

// noon is when the events of testdata begin.
var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

var sources = []source.Source{
	{Name: "albums", Table: "app-albums", Bucket: bucket, Tenant: "acme", Paths: source.Paths{Key: "images[].key", Version: "images[].version"}},
	{Name: "orders", Bucket: bucket},
}

// world is the function over memory.
type world struct {
	*testing.T
	app     *relay.App
	ledger  *counted
	objects *objects.Store
	dead    *dead
	log     *bytes.Buffer
	metrics *bytes.Buffer
	mu      sync.Mutex
	now     time.Time
}

// dead is a queue of dead letters that may fail.
type dead struct {
	*queues.Queue
	err error
}

func (d *dead) Park(ctx context.Context, m command.Received, source, reason string) error {
	if d.err != nil {
		return d.err
	}
	return d.Queue.Park(ctx, m, source, reason)
}

// counted is a ledger that counts how many commits are under way at once, and
// which documents are written.
type counted struct {
	*ledgers.Store
	mu        sync.Mutex
	now, most int
	commit    error
}

func (c *counted) Commit(ctx context.Context, change upload.Change) error {
	c.mu.Lock()
	c.now++
	c.most = max(c.most, c.now)
	err := c.commit
	c.mu.Unlock()
	defer func() { c.mu.Lock(); c.now--; c.mu.Unlock() }()
	if err != nil {
		return err
	}
	return c.Store.Commit(ctx, change)
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, now: noon.Add(-time.Hour), ledger: &counted{Store: ledgers.New()}, log: &bytes.Buffer{}, metrics: &bytes.Buffer{}}
	w.objects = objects.New(w.clock)
	w.objects.CreateBucket(bucket, objects.BucketOptions{})
	w.dead = &dead{Queue: queues.New(w.clock, time.Minute)}
	w.compose(4)
	return w
}

func (w *world) compose(concurrency int) {
	w.Helper()
	var err error
	w.app, err = relay.NewFrom(
		relay.Config{Concurrency: concurrency, DeadlineMargin: 10 * time.Second, Policy: policy.Default(), Sources: sources},
		relay.Deps{
			Ledger: w.ledger, Store: w.objects, Dead: w.dead, Now: w.clock,
			Log: slog.New(slog.NewJSONHandler(w.log, nil)), Metrics: telemetry.To(w.metrics, "ledger"),
		})
	must(w.T, err)
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// write puts objects an hour before the events, and lets two hours pass.
func (w *world) write(keys ...string) {
	for _, key := range keys {
		w.objects.Write(bucket, key, []byte(key), time.Time{})
	}
	w.advance(2 * time.Hour)
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	must(t, err)
	return raw
}

// handle gives the function an event, and returns what it names as not done.
func (w *world) handle(ctx context.Context, raw []byte) []string {
	w.Helper()
	answer, err := w.app.Handle(ctx, raw)
	must(w.T, err)
	text, err := json.Marshal(answer)
	must(w.T, err)
	var shape struct {
		Failures []struct {
			Item string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	must(w.T, json.Unmarshal(text, &shape))
	if shape.Failures == nil {
		w.Errorf("the answer is %s: a list that is missing is malformed to some", text)
	}
	var again []string
	for _, f := range shape.Failures {
		again = append(again, f.Item)
	}
	return again
}

// adopted is the record of a release; the zero Record if there is none.
func (w *world) adopted(of, id, key string) upload.Record {
	w.Helper()
	r, err := w.ledger.Load(w.Context(), release.RecordID("acme", of, id, source.Object{Bucket: bucket, Key: key}))
	must(w.T, err)
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
