package cleanup_test

import (
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestBackoffDoublesUpToAnHour(t *testing.T) {
	want := []time.Duration{30, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600}
	for attempts, seconds := range want {
		if got := cleanup.Backoff(attempts); got != seconds*time.Second {
			t.Errorf("after %d attempts: %v, want %v", attempts, got, seconds*time.Second)
		}
	}
	if got := cleanup.Backoff(1 << 30); got != time.Hour {
		t.Errorf("after very many attempts: %v", got)
	}
}

func TestPurgeTallyAddsUpInUploadsAndObjects(t *testing.T) {
	var tally cleanup.PurgeTally
	tally.Add(
		cleanup.Outcome{Kind: cleanup.KindDeleted, Objects: 3, Gone: 3, Bytes: 30},
		cleanup.Outcome{Kind: cleanup.KindTrimmed, Objects: 1, Gone: 1},
		cleanup.Outcome{Kind: cleanup.KindRetained, Objects: 10, Gone: 9, Retained: upload.Retained{Count: 1}},
		cleanup.Outcome{Kind: cleanup.KindContinued, Objects: 10, Gone: 4},
		cleanup.Outcome{Kind: cleanup.KindParked, Objects: 2},
		cleanup.Outcome{Kind: cleanup.KindRejected},
		cleanup.Outcome{Kind: cleanup.KindSkipped, Objects: 5},
	)
	if err := tally.Check(); err != nil {
		t.Fatal(err)
	}
	want := cleanup.PurgeTally{
		Taken:    cleanup.Amount{Uploads: 7, Objects: 31, Bytes: 30},
		Deleted:  cleanup.Amount{Uploads: 2, Objects: 17, Bytes: 30},
		Retained: cleanup.Amount{Uploads: 1, Objects: 1},
		Retrying: cleanup.Amount{Uploads: 1, Objects: 6},
		Parked:   cleanup.Amount{Uploads: 1, Objects: 2},
		Rejected: cleanup.Amount{Uploads: 1},
		Skipped:  cleanup.Amount{Uploads: 1, Objects: 5},
	}
	if tally != want {
		t.Fatalf("tally is\n%+v, want\n%+v", tally, want)
	}
	tally.Deleted.Objects++
	if tally.Check() == nil {
		t.Fatal("a tally that does not add up passes")
	}
}

func TestWorkerNamesTheFieldThatIsMissing(t *testing.T) {
	for name, spoil := range map[string]func(*cleanup.Worker){
		"Gate":           func(w *cleanup.Worker) { w.Gate = nil },
		"Name":           func(w *cleanup.Worker) { w.Name = "" },
		"Sleep":          func(w *cleanup.Worker) { w.Sleep = nil },
		"Concurrency":    func(w *cleanup.Worker) { w.Concurrency = 0 },
		"DeadlineMargin": func(w *cleanup.Worker) { w.DeadlineMargin = time.Second },
		"SecondGrace":    func(w *cleanup.Worker) { w.Policy.SecondGrace = 0 },
	} {
		worker := newPurgeWorld(t).worker
		spoil(worker)
		if err := worker.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v does not name %s", err, name)
		}
	}
}
