package recorder_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/functions/recorder"
	"github.com/strandline-dev/strandline/shared/confirm"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload"
)

// stage is the function over a ledger in memory with the upload of testdata,
// whose tenant's name needs an escape in its key, and a store that has the
// version of testdata.
type stage struct {
	app    *recorder.App
	ledger *ledgers.Store
	store  *store
	log    bytes.Buffer
	told   bytes.Buffer // metrics
	trail  bytes.Buffer
}

// store has one object, under the key and version of testdata.
type store struct{ fails error }

func (s *store) Stat(_ context.Context, bucket, key, versionID string) (objects.Facts, error) {
	switch {
	case s.fails != nil:
		return objects.Facts{}, s.fails
	case bucket != "uploads" || key != "up/ac%20me/u-1842/1/1" || versionID != "v-1":
		return objects.Facts{}, upload.ErrAbsent
	}
	return objects.Facts{Size: 5, ETag: "e", Checksum: "c"}, nil
}

func (s *store) Open(context.Context, string, string, string) (io.ReadCloser, error) {
	return nil, upload.ErrAbsent
}

var id = upload.ID{Tenant: "ac me", Upload: "u-1842"}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{ledger: ledgers.New(), store: &store{}}
	s.compose(t, s.store)
	c, err := upload.Step(policy.Default(), upload.Record{}, upload.Reserve{
		ID: id, Owner: "o", Holder: "w", Lease: time.Minute, Bucket: "uploads", Prefix: "up", Declared: 1, ByEvents: true,
	}, noon())
	must(t, err)
	must(t, s.ledger.Commit(t.Context(), c))
	return s
}

func noon() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

func (s *stage) compose(t *testing.T, objects confirm.Store) {
	t.Helper()
	log := slog.New(slog.NewJSONHandler(&s.log, nil))
	var err error
	s.app, err = recorder.NewFrom(recorder.Config{Concurrency: 2, Policy: policy.Default()}, recorder.Deps{
		Records: s.ledger, Store: objects, Log: log, Now: noon, Sleep: func(context.Context, time.Duration) error { return nil },
		Metrics: telemetry.To(&s.told, "acme-ledger"), Trail: telemetry.TrailTo(&s.trail, nil, log),
	})
	must(t, err)
}

func event(t testing.TB, name string) json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	return raw
}

// handle returns the answer as Lambda sends it.
func (s *stage) handle(t *testing.T, raw json.RawMessage) (string, error) {
	t.Helper()
	answer, err := s.app.Handle(t.Context(), raw)
	encoded, encodeErr := json.Marshal(answer)
	must(t, encodeErr)
	for _, out := range []string{s.log.String(), s.told.String(), s.trail.String()} {
		if strings.Contains(out, "up/") || strings.Contains(out, "logo") {
			t.Errorf("a key is told: %s", out)
		}
	}
	return string(encoded), err
}

func (s *stage) wantState(t *testing.T, want upload.State) {
	t.Helper()
	r, err := s.ledger.Load(t.Context(), id)
	must(t, err)
	if r.State != want {
		t.Errorf("the upload is %s, want %s", r.State, want)
	}
}

func TestAnUploadIsCompletedWhoeverTellsOfIt(t *testing.T) {
	for name, want := range map[string]string{
		"s3-event.json":          `{"recorded":1,"completed":1,"cancelled":0,"failed":0,"skipped":{"unknown key":1}}`,
		"eventbridge.json":       `{"recorded":1,"completed":1,"cancelled":0,"failed":0}`,
		"sqs-four-messages.json": `{"batchItemFailures":[{"itemIdentifier":"059f36b4-87a3-44ab-83d2-661970000004"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			answer, err := s.handle(t, event(t, name))
			must(t, err)
			if answer != want {
				t.Errorf("the answer is %s, want %s", answer, want)
			}
			s.wantState(t, upload.StateComplete)
			if line := s.trail.String(); strings.Count(line, "\n") != 1 || !strings.Contains(line, `"who":"recorder","what":"complete"`) {
				t.Errorf("the trail is %s", line)
			}
		})
	}
}

func TestABatchIsToldInNumbers(t *testing.T) {
	s := newStage(t)
	_, err := s.handle(t, event(t, "sqs-four-messages.json"))
	must(t, err)
	for _, number := range []string{
		`"Recorded":1,`, `"Confirmed":1,`, `"Mismatched":0,`, `"FailedEvents":1,`, `"AuditUndelivered":0,`,
		`"Reason":"recorded already","SkippedEvents":1,`, `"Reason":"unknown key","SkippedEvents":1,`,
	} {
		if told := s.told.String(); !strings.Contains(told, number) {
			t.Errorf("the metrics lack %s: %s", number, told)
		}
	}
}

// The answer begins with every message as failed. Without that, one that nothing
// was done for is acknowledged, and its upload is never recorded.
func TestWhatCouldNotBeDoneStaysOnTheQueueAndFailsAnEventByItself(t *testing.T) {
	s := newStage(t)
	s.store.fails = upload.ErrThrottled
	answer, err := s.handle(t, event(t, "sqs-four-messages.json"))
	must(t, err)
	for _, n := range []string{"1", "2", "4"} { // the third tells of nothing
		if !strings.Contains(answer, "66197000000"+n) {
			t.Errorf("message %s is taken as done: %s", n, answer)
		}
	}
	if strings.Contains(answer, "661970000003") {
		t.Errorf("S3's own test event comes again: %s", answer)
	}
	for _, name := range []string{"s3-event.json", "eventbridge.json"} {
		if _, err := s.handle(t, event(t, name)); !errors.Is(err, upload.ErrThrottled) || strings.ContainsAny(err.Error(), "\n/") {
			t.Errorf("%s: %v, want one line without a key", name, err)
		}
	}
	s.wantState(t, upload.StateReceiving)
}

// endless is a store whose objects have to be read, and never end.
type endless struct{ *store }

func (e endless) Stat(context.Context, string, string, string) (objects.Facts, error) {
	return objects.Facts{Size: 5}, nil
}

func (e endless) Open(ctx context.Context, _, _, _ string) (io.ReadCloser, error) {
	return io.NopCloser(waiting{ctx}), nil
}

type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

// An invocation that runs into its deadline answers for nothing: all messages
// come again, and what it has done is done once more.
func TestAnObjectThatTakesTooLongIsLeftInTimeToAnswerForTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		r, err := s.ledger.Load(t.Context(), id)
		must(t, err)
		c, err := upload.Step(policy.Default(), r, upload.Declare{Fence: 1, Declared: 1, Expect: []upload.ExpectedObject{
			{Seq: 1, Expected: upload.Expected{Stated: true, Size: 5, Checksum: "c"}},
		}}, noon())
		must(t, err)
		must(t, s.ledger.Commit(t.Context(), c))
		s.compose(t, endless{s.store})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		answer, err := s.app.Handle(ctx, event(t, "sqs-four-messages.json"))
		must(t, err)
		left := answer.(events.SQSEventResponse).BatchItemFailures
		if len(left) != 3 || ctx.Err() != nil { // the third tells of nothing
			t.Errorf("left are %v, and the deadline is over: %v", left, ctx.Err())
		}
	})
}

// A list that is missing is a malformed answer to some, and all comes again.
func TestOfABatchThatIsDoneTheListIsEmptyAndNotMissing(t *testing.T) {
	s := newStage(t)
	answer, err := s.handle(t, json.RawMessage(`{"Records":[{"eventSource":"aws:sqs","messageId":"1","body":"{\"Event\":\"s3:TestEvent\"}"}]}`))
	must(t, err)
	if answer != `{"batchItemFailures":[]}` {
		t.Errorf("the answer is %s", answer)
	}
}

func TestEventThatIsNoneIsNamedInOneLine(t *testing.T) {
	s := newStage(t)
	for raw, says := range map[string]string{
		`[1]`:                  "no JSON object",
		`{"task":"reconcile"}`: "neither of S3 nor of EventBridge",
		`{"Records":[{"eventSource":"aws:sqs","messageId":"1"},{"eventSource":"aws:s3"}]}`: "record 2 of 2 is not an SQS message",
		`{"Records":[{"eventSource":"aws:sqs"}]}`:                                          "record 1 of 1 is not an SQS message",
		`{"Records":[{"eventSource":"aws:s3","eventName":"ObjectRemoved:Delete"}]}`:        "expected ObjectCreated",
	} {
		_, err := s.handle(t, json.RawMessage(raw))
		if err == nil || !strings.HasPrefix(err.Error(), "recorder event: ") || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", raw, err, says)
		}
	}
	if _, err := s.handle(t, json.RawMessage(`{"Event":"s3:TestEvent"}`)); err != nil {
		t.Errorf("S3's own test event: %v", err)
	}
}

// A recorder of which a part is missing does not begin.
func TestAFunctionWithoutAPartIsRefused(t *testing.T) {
	_, err := recorder.NewFrom(recorder.Config{Concurrency: 1, Policy: policy.Default()}, recorder.Deps{Records: ledgers.New()})
	if err == nil || !strings.Contains(err.Error(), "required") {
		t.Errorf("got %v", err)
	}
	if err := (&confirm.Recorder{}).Validate(); err == nil {
		t.Error("an empty one is valid")
	}
}
