package scheduler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/functions/scheduler"
	"github.com/strandline-dev/strandline/shared/cleanup"
	queues "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload"
)

// stage is an installation in memory, at the instant of the event in testdata.
type stage struct {
	app    *scheduler.App
	ledger *ledgers.Store
	gate   *gates.Gate
	queue  *queues.Queue
	told   bytes.Buffer // metrics
	now    time.Time
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{now: time.Date(2026, 11, 30, 12, 15, 1, 0, time.UTC), ledger: ledgers.New()}
	now := func() time.Time { return s.now }
	s.queue, s.gate = queues.New(now, 12*time.Minute), gates.New(now)
	must(t, s.gate.SetMode(t.Context(), gate.Delete))
	app, err := scheduler.NewFrom(scheduler.Config{Policy: policy.Default()}, scheduler.Deps{
		Ledger: s.ledger, Gate: s.gate, Queue: s.queue, Now: now, Log: slog.New(slog.DiscardHandler),
		Metrics: telemetry.To(&s.told, "acme-ledger"),
	})
	must(t, err)
	s.app = app
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// cancelled puts n uploads into the ledger that were given up two hours ago.
func (s *stage) cancelled(t *testing.T, n int) {
	t.Helper()
	at := s.now.Add(-2 * time.Hour)
	for i := range n {
		r := upload.Record{}
		for _, e := range []upload.Event{
			upload.Reserve{
				ID: upload.ID{Tenant: "acme", Upload: fmt.Sprintf("u-%d", i)}, Owner: "o", Holder: "w",
				Lease: time.Minute, Deadline: time.Minute, Bucket: "uploads", Declared: 1,
			},
			upload.Cancel{Fence: 1, Reason: "test"},
		} {
			change, err := upload.Step(policy.Default(), r, e, at)
			must(t, err)
			must(t, s.ledger.Commit(t.Context(), change))
			r = change.After
		}
	}
}

func input(t testing.TB, file string) json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	must(t, err)
	return raw
}

func TestCensusAndPassAreAnsweredInJSON(t *testing.T) {
	s := newStage(t)
	s.cancelled(t, 3)
	counted, err := s.app.Handle(t.Context(), input(t, "census.json"))
	must(t, err)
	if counted.Pass != nil || counted.Census["uploads"].Objects != 3 {
		t.Errorf("census answered %+v", counted)
	}
	answer, err := s.app.Handle(t.Context(), input(t, "pass.json"))
	must(t, err)
	raw, err := json.Marshal(answer)
	must(t, err)
	for _, want := range []string{
		`"run":"2026-11-30T12:15:00.000Z#every-15m"`, `"state":"done"`, `"published":{"uploads":3,"objects":3,"bytes":0}`,
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s is not in %s", want, raw)
		}
	}
	if strings.Contains(string(raw), "acme/") {
		t.Errorf("the answer holds a key: %s", raw)
	}
	if depth, err := s.queue.Depth(t.Context()); err != nil || depth != 3 {
		t.Errorf("%d messages, %v", depth, err)
	}
	if told := s.told.String(); strings.Count(told, `"PassRan":1`) != 1 {
		t.Errorf("the metrics are %s", told)
	}
}

func TestRetriedInvocationIsTheSameRun(t *testing.T) {
	s := newStage(t)
	s.cancelled(t, 3)
	_, err := s.app.Handle(t.Context(), input(t, "census.json"))
	must(t, err)
	for range 3 {
		_, err := s.app.Handle(t.Context(), input(t, "pass.json"))
		must(t, err)
		s.now = s.now.Add(time.Minute)
	}
	if depth, _ := s.queue.Depth(t.Context()); depth != 3 {
		t.Errorf("three invocations of one fire time published %d messages, want 3", depth)
	}
	// Without the look at when the run was, its numbers would be counted once more
	// with every retry.
	if told := s.told.String(); strings.Count(told, `"PassRan":1`) != 1 || strings.Count(told, `"Published":3`) != 1 {
		t.Errorf("the run is measured more than once: %s", told)
	}
}

// Without the strictness a broken schedule runs something, every fifteen
// minutes, under a name and an instant that nobody chose.
func TestEventThatIsNotOursIsNamedInOneLineAndDoesNothing(t *testing.T) {
	for name, c := range map[string]struct{ raw, says string }{
		"a schedule without input":   {string(input(t, "schedule-without-input.json")), `unknown field "version"`},
		"a time not substituted":     {string(input(t, "not-substituted.json")), `time is "<aws.scheduler.scheduled-time>": expected`},
		"no JSON":                    {`pass`, "invalid character"},
		"an empty event":             {``, "EOF"},
		"another shape":              {`["pass"]`, "it is a JSON array, not an object"},
		"a number for a text":        {`{"task":"pass","schedule":7,"time":"2026-11-30T12:15:00Z"}`, "schedule is a JSON number, not a string"},
		"no task":                    {`{"schedule":"s","time":"2026-11-30T12:15:00Z"}`, "task is missing"},
		"an unknown task":            {`{"task":"purge","schedule":"s","time":"2026-11-30T12:15:00Z"}`, `task is "purge": expected "pass" or "census"`},
		"a schedule that cannot be":  {`{"task":"pass","schedule":"","time":"2026-11-30T12:15:00Z"}`, `trigger schedule is ""`},
		"two objects":                {`{"task":"pass","schedule":"s","time":"2026-11-30T12:15:00Z"}{}`, "something follows"},
		"a fire time in the future":  {`{"task":"pass","schedule":"s","time":"2027-11-30T12:15:00Z"}`, "lies in the future"},
		"a fire time of last winter": {`{"task":"pass","schedule":"s","time":"2026-01-30T12:15:00Z"}`, "expected at most"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.cancelled(t, 1)
			answer, err := s.app.Handle(t.Context(), json.RawMessage(c.raw))
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %s", err, c.says)
			}
			if answer.Pass != nil || answer.Census != nil {
				t.Errorf("answered %+v", answer)
			}
			if depth, _ := s.queue.Depth(t.Context()); depth != 0 {
				t.Errorf("%d messages", depth)
			}
		})
	}
}

// deadlineAt shows a deadline on the stage's clock; the context itself never
// ends.
type deadlineAt struct {
	context.Context
	at time.Time
}

func (d deadlineAt) Deadline() (time.Time, bool) { return d.at, true }

// Without the guard a pass is killed in the middle of a batch, and its lease
// blocks the next one.
func TestInvocationNearItsDeadlineBeginsNothing(t *testing.T) {
	s := newStage(t)
	s.cancelled(t, 3)
	_, err := s.app.Handle(t.Context(), input(t, "census.json"))
	must(t, err)
	answer, err := s.app.Handle(deadlineAt{t.Context(), s.now.Add(20 * time.Second)}, input(t, "pass.json"))
	must(t, err)
	if got := answer.Pass.Tally.Skipped[cleanup.SkipOutOfTime].Uploads; got != 3 {
		t.Errorf("skipped for want of time: %d\n%s", got, answer.Pass.Tally)
	}
}

func TestPausedRunIsNoErrorAndCanBeApproved(t *testing.T) {
	s := newStage(t)
	s.cancelled(t, 101) // the count is 100, the census a hundred and one
	_, err := s.app.Handle(t.Context(), input(t, "census.json"))
	must(t, err)
	answer, err := s.app.Handle(t.Context(), input(t, "pass.json"))
	must(t, err)
	if answer.Pass.State != cleanup.RunPaused {
		t.Fatalf("run is %q", answer.Pass.State)
	}
	report, err := s.app.Approve(t.Context(), answer.Pass.Run, answer.Pass.Digest, "ada")
	must(t, err)
	if report.Tally.Published.Uploads != 101 {
		t.Errorf("approved:\n%s", report.Tally)
	}
	if _, err := s.app.Approve(t.Context(), answer.Pass.Run, answer.Pass.Digest, "ada"); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("approved twice: %v", err)
	}
}

func TestFunctionThatLacksSomethingIsNotComposed(t *testing.T) {
	if _, err := scheduler.NewFrom(scheduler.Config{Policy: policy.Default()}, scheduler.Deps{}); err == nil {
		t.Error("composed of nothing")
	}
}
