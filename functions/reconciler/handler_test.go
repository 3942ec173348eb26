package reconciler_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestInventoryIsReconciledWhoeverTellsOfIt(t *testing.T) {
	for _, name := range []string{"s3-event.json", "eventbridge.json", "schedule.json"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.list("daily")
			answer, err := w.handle(name)
			must(t, err)
			if len(answer.Runs) != 1 || answer.Runs[0].Opened != 1 || answer.Runs[0].Counts[reconcile.OK].Count != 1 {
				t.Fatalf("the answer is %+v", answer)
			}
			if got := keysOf(w.holds()); got != "imports/logo.png" {
				t.Errorf("held are %s", got)
			}
			if strings.Contains(w.log.String(), "logo") {
				t.Errorf("the log names a key: %s", w.log.String())
			}
			again, err := w.handle("s3-event.json") // the same inventory, told of once more
			must(t, err)
			if len(again.Runs) != 1 || !again.Runs[0].Repeated || again.Runs[0].Run != answer.Runs[0].Run {
				t.Errorf("then it is %+v", again)
			}
			if told := w.told.String(); strings.Count(told, `"Missing":0`) != 1 {
				t.Errorf("the metrics are %s", told)
			}
		})
	}
}

func TestForeignObjectsAreIgnoredWithALine(t *testing.T) {
	w := newWorld(t)
	w.list("daily")
	answer, err := w.handle("foreign.json")
	must(t, err)
	if answer.Ignored != 5 || len(answer.Runs) != 0 || len(w.holds()) != 0 {
		t.Errorf("the answer is %+v", answer)
	}
	if log := w.log.String(); strings.Count(log, "event ignored") != 5 || strings.Contains(log, "daily") {
		t.Errorf("the log is %s", log)
	}
	answer, err = w.handle("s3-test-event.json")
	if err != nil || len(answer.Runs) != 0 {
		t.Errorf("S3's own test event: %+v, %v", answer, err)
	}
}

func TestEventThatIsNoneIsNamedInOneLine(t *testing.T) {
	w := newWorld(t)
	for raw, says := range map[string]string{
		`[]`: "no JSON object", `{}`: "neither of S3",
		`{"Records":[{"eventSource":"aws:sqs"}]}`:                                                              "expected ObjectCreated",
		`{"Records":[{"eventSource":"aws:s3","eventName":"ObjectRemoved:Delete"}]}`:                            "expected ObjectCreated",
		`{"Records":[{"eventSource":"aws:s3","eventName":"ObjectCreated:Put","s3":{"object":{"key":"%zz"}}}]}`: "not URL-encoded",
		`{"Records":7}`: "Records", `{"detail-type":"Object Deleted","source":"aws.s3"}`: "expected Object Created",
		`{"task":"pass","time":"2026-03-01T00:00:00Z"}`: `task is "pass"`, `{"task":"sweep","time":"noon"}`: `time is "noon"`,
		`{"task":"sweep","time":7}`: "not strings",
	} {
		_, err := w.app.Handle(t.Context(), json.RawMessage(raw))
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", raw, err, says)
		}
	}
}

// An inventory without its checksum is still being delivered: reconciling it
// would call everything missing that is not there yet.
func TestScheduleChoosesTheNewestCompleteInventory(t *testing.T) {
	w := newWorld(t)
	w.now = noon.Add(-2 * day)
	w.list("daily")
	w.now = noon.Add(-day)
	w.list("weekly")
	w.now = noon
	w.list("daily")
	w.spoil("2026-03-01T12-00Z", "manifest.checksum")
	answer, err := w.handle("schedule.json")
	must(t, err)
	if len(answer.Runs) != 1 || !answer.Runs[0].Inventory.Equal(noon.Add(-day)) {
		t.Errorf("the answer is %+v", answer)
	}
}

func TestScheduleRefusesWhatIsTooOldOrNotThere(t *testing.T) {
	w := newWorld(t)
	if _, err := w.handle("schedule.json"); err == nil || !strings.Contains(err.Error(), "no complete inventory") {
		t.Errorf("without any: %v", err)
	}
	w.now = noon.Add(-4 * day)
	w.list("daily")
	if _, err := w.handle("schedule.json"); err == nil || !strings.Contains(err.Error(), "take a newer one") {
		t.Errorf("of four days ago: %v", err)
	}
	if len(w.holds()) != 0 {
		t.Error("something is held")
	}
}

// A configuration may list a part of its bucket. Were its inventories taken,
// holds of all the rest would be closed as if their owners had appeared.
func TestInventoriesOfAnotherConfigurationAreNotTaken(t *testing.T) {
	w := newWorldOf(t, "weekly", "uploads")
	w.now = noon.Add(-day)
	w.list("weekly")
	w.now = noon
	w.list("daily")
	answer, err := w.handle("s3-event.json")
	must(t, err)
	if answer.Ignored != 1 || len(answer.Runs) != 0 {
		t.Errorf("delivered: %+v", answer)
	}
	answer, err = w.handle("schedule.json")
	must(t, err)
	if len(answer.Runs) != 1 || !answer.Runs[0].Inventory.Equal(noon.Add(-day)) {
		t.Errorf("by schedule: %+v", answer)
	}
}

// Inventories of one bucket may stop for good. Were that the end of the
// schedule's run, no bucket behind it would be looked at any more.
func TestBucketThatFailsDoesNotKeepTheOthersFromTheirRuns(t *testing.T) {
	w := newWorldOf(t, "", "silent", "uploads", "lost")
	w.list("daily")
	answer, err := w.handle("schedule.json")
	if err == nil || strings.Contains(err.Error(), "\n") ||
		!strings.Contains(err.Error(), "silent") || !strings.Contains(err.Error(), "lost") {
		t.Errorf("error is %v", err)
	}
	if len(answer.Runs) != 1 || answer.Runs[0].Bucket != "uploads" || len(w.holds()) != 1 {
		t.Errorf("the answer is %+v", answer)
	}
	w.now = noon.Add(-8 * day)
	_, err = w.store.BeginMultipart(t.Context(), "uploads", "imports/video.mp4", "")
	must(t, err)
	if answer, err := w.handle("sweep.json"); err == nil || len(answer.Swept) != 1 || answer.Swept[0].Opened != 1 {
		t.Errorf("the sweep's is %+v, %v", answer, err)
	}
}

func TestInventoryThatCannotBeFinishedInTimeIsRefusedBeforehand(t *testing.T) {
	w := newWorld(t)
	w.list("daily")
	w.now = noon.Add(20 * time.Hour)
	ctx := untilContext{t.Context(), w.now.Add(30 * time.Second)}
	_, err := w.app.Handle(ctx, event(t, "s3-event.json"))
	if !errors.Is(err, upload.ErrRefused) || !strings.Contains(err.Error(), "docs/scale.md") {
		t.Errorf("error is %v", err)
	}
	if len(w.holds()) != 0 {
		t.Error("something is held")
	}
}

// untilContext says when it ends by the test's clock, and does not end.
type untilContext struct {
	context.Context
	at time.Time
}

func (u untilContext) Deadline() (time.Time, bool) { return u.at, true }

func TestSweepHoldsMultipartUploadsThatNobodyKnows(t *testing.T) {
	w := newWorld(t)
	w.now = noon.Add(-8 * day)
	_, err := w.store.BeginMultipart(t.Context(), "uploads", "imports/video.mp4", "")
	must(t, err)
	answer, err := w.handle("sweep.json")
	must(t, err)
	if len(answer.Swept) != 1 || answer.Swept[0].Opened != 1 || keysOf(w.holds()) != "imports/video.mp4" {
		t.Errorf("the answer is %+v", answer)
	}
}
