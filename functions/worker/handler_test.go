package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/functions/worker"
	queues "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload"
)

// stage is an installation in memory, at an instant at which the upload of
// testdata is due.
type stage struct {
	app    *worker.App
	ledger *ledgers.Store
	store  *stores.Store
	queue  *queues.Queue
	told   bytes.Buffer // metrics
	now    time.Time
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), ledger: ledgers.New()}
	now := func() time.Time { return s.now }
	s.store, s.queue = stores.New(now), queues.New(now, 12*time.Minute)
	s.store.CreateBucket("uploads", stores.BucketOptions{})
	g := gates.New(now)
	must(t, g.SetRate(t.Context(), 1000, 1000))
	must(t, g.SetMode(t.Context(), gate.Delete))
	var err error
	s.app, err = worker.NewFrom(worker.Config{Policy: policy.Default(), Concurrency: 2, DeadlineMargin: 10 * time.Second}, worker.Deps{
		Records: s.ledger, Store: s.store, Parts: s.store, Gate: g, Queue: s.queue,
		Log: slog.New(slog.DiscardHandler), Now: now, Metrics: telemetry.To(&s.told, "acme-ledger"),
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	must(t, err)
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *stage) step(t *testing.T, r upload.Record, e upload.Event) upload.Record {
	t.Helper()
	change, err := upload.Step(policy.Default(), r, e, s.now)
	must(t, err)
	must(t, s.ledger.Commit(t.Context(), change))
	return change.After
}

// cancelled is the upload of one object that testdata speaks of: version 4.
func (s *stage) cancelled(t *testing.T) upload.Record {
	t.Helper()
	r := s.step(t, upload.Record{}, upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: "u-1842"}, Owner: "o", Holder: "w", Lease: time.Minute, Bucket: "uploads", Prefix: "up", Declared: 1,
	})
	v := s.store.Write("uploads", r.ObjectKey(upload.Key{Attempt: 1, Seq: 1}), []byte("data"), time.Time{})
	r = s.step(t, r, upload.RecordObject{Fence: 1, Seq: 1, VersionID: v.VersionID, Size: v.Size, ETag: v.ETag})
	r = s.step(t, r, upload.Heartbeat{Fence: 1})
	return s.step(t, r, upload.Cancel{Fence: 1, Reason: "test"})
}

func event(t testing.TB, file string) json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	must(t, err)
	return raw
}

func TestDoneMessagesAreStruckOffAndTheOthersStay(t *testing.T) {
	s := newStage(t)
	r := s.cancelled(t)
	s.now = time.Date(2026, 11, 30, 18, 20, 0, 0, time.UTC)
	response, err := s.app.Handle(t.Context(), event(t, "sqs-three-messages.json"))
	must(t, err)
	// The first is deleted, the others are in the dead-letter queue.
	if len(response.BatchItemFailures) != 0 || response.BatchItemFailures == nil {
		t.Fatalf("failures %#v, want an empty list", response.BatchItemFailures)
	}
	encoded, err := json.Marshal(response)
	must(t, err)
	if string(encoded) != `{"batchItemFailures":[]}` {
		t.Fatalf("the answer is %s", encoded)
	}
	if left := s.store.All("uploads"); len(left) != 0 {
		t.Fatalf("%d versions stand", len(left))
	}
	if stored, err := s.ledger.Load(t.Context(), r.ID); err != nil || stored.State != upload.StateDeleted {
		t.Fatalf("the record is %v (%v)", stored.State, err)
	}
	if dead := s.queue.DeadLetters(); len(dead) != 2 {
		t.Fatalf("%d dead letters, want 2", len(dead))
	}
	for _, number := range []string{`"Started":1,`, `"Deleted":1,`, `"DeletedObjects":1,`, `"Parked":0,`, `"Rejected":2,`, `"AuditUndelivered":0,`} {
		if told := s.told.String(); !strings.Contains(told, number) {
			t.Errorf("the metrics lack %s: %s", number, told)
		}
	}
}

// Without beginning from "all failed", a message that nothing was done for
// would be acknowledged, and lost.
func TestMessagesThatAreNotDoneAreInTheAnswer(t *testing.T) {
	s := newStage(t)
	s.cancelled(t)
	s.now = time.Date(2026, 11, 30, 18, 17, 0, 0, time.UTC) // within the cutoff's margin
	response, err := s.app.Handle(t.Context(), event(t, "sqs-three-messages.json"))
	must(t, err)
	if len(response.BatchItemFailures) != 1 || !strings.HasSuffix(response.BatchItemFailures[0].ItemIdentifier, "0000001") {
		t.Fatalf("failures %+v, want the first message", response.BatchItemFailures)
	}
	if len(s.store.All("uploads")) != 1 {
		t.Fatal("the object is gone")
	}
}

func TestEventThatIsNotOfSQSIsAnError(t *testing.T) {
	s := newStage(t)
	for name, raw := range map[string]json.RawMessage{
		"an S3 event":   event(t, "s3-event.json"),
		"no records":    json.RawMessage(`{}`),
		"a string":      json.RawMessage(`"hello"`),
		"half an event": event(t, "sqs-three-messages.json")[:200],
		"no receipt":    json.RawMessage(`{"Records":[{"messageId":"m","eventSource":"aws:sqs","body":"{}"}]}`),
	} {
		if _, err := s.app.Handle(t.Context(), raw); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line", name, err)
		}
	}
}

func TestFunctionIsNotComposedOfHalves(t *testing.T) {
	if _, err := worker.NewFrom(worker.Config{}, worker.Deps{}); err == nil {
		t.Fatal("an empty configuration was composed")
	}
}
