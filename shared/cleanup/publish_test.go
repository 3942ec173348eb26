package cleanup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	commandmemory "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Without the guard the cursor passes what the queue never had, and nobody
// looks at it for hours.
func TestQueueThatAcceptsEightOfTenIsAskedAgainLater(t *testing.T) {
	s := newPassScene(t)
	ids := s.condemnable(0, 10)
	slices.SortFunc(ids, func(a, b upload.ID) int { return s.record(a).DueAt.Compare(s.record(b).DueAt) })
	refused := ids[4:6]
	queue := &refusingQueue{
		Queue: s.queue, err: errors.New("two entries were refused"),
		accept: func(_ int, c upload.Command) bool { return !slices.Contains(refused, c.ID) },
	}
	s.pass.Queue = queue
	r := s.run()
	s.wantState(r, RunDone)
	s.must(r.Tally.Check())
	if !slices.Contains(r.Notes, SkipQueueRefused) || r.Tally.Skipped[SkipQueueRefused].Uploads != 2 || r.Tally.Published.Uploads != 8 {
		t.Errorf("notes %q, tally:\n%s", r.Notes, r.Tally)
	}
	if r.Published[passBucket] != 8 {
		t.Errorf("counted %d as published, want 8", r.Published[passBucket])
	}
	first := s.sentIDs()
	queue.accept = nil
	s.later(15 * time.Minute)
	s.wantState(s.run(), RunDone)
	second := s.sentIDs()
	for _, id := range ids {
		if first[id]+second[id] == 0 {
			t.Errorf("upload %s was passed over", id)
		}
	}
	if len(second) != 6 { // from the first refused one on; duplicates cost money, never data
		t.Errorf("the second pass published %d, want 6", len(second))
	}
}

// shortQueue takes all but the last two, and answers for those only.
type shortQueue struct{ *commandmemory.Queue }

func (q shortQueue) Send(ctx context.Context, commands []upload.Command) ([]bool, error) {
	return q.Queue.Send(ctx, commands[:len(commands)-2])
}

// Without the guard what the queue does not answer for counts as published, and
// the cursor passes it.
func TestQueueThatAnswersForEightOfTenHasEight(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 10)
	s.pass.Queue = shortQueue{s.queue}
	r := s.run()
	s.must(r.Tally.Check())
	if r.Tally.Skipped[SkipQueueRefused].Uploads != 2 || r.Tally.Published.Uploads != 8 {
		t.Errorf("tally:\n%s", r.Tally)
	}
}

// Without the guard the day's limit counts too little: the queue may have what
// it did not answer about.
func TestWhatTheQueueMayHaveStaysCounted(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 10)
	s.pass.Queue = &refusingQueue{
		Queue: s.queue, err: fmt.Errorf("the answer is lost: %w", upload.ErrUnclear),
		accept: func(int, upload.Command) bool { return false },
	}
	r, err := s.pass.Run(t.Context(), s.trigger())
	if !errors.Is(err, upload.ErrUnclear) || r.Tally.Published.Uploads != 0 {
		t.Fatalf("error %v, published:\n%s", err, r.Tally)
	}
	if r.Published[passBucket] != 10 {
		t.Errorf("counted %d as published, want 10", r.Published[passBucket])
	}
}

func TestQueueThatIsDownFailsTheRunAndLosesNothing(t *testing.T) {
	s := newPassScene(t)
	for shard := range ledger.Shards {
		s.condemnable(shard, 3)
	}
	down := errors.New("no route to the queue")
	queue := &refusingQueue{Queue: s.queue, accept: func(int, upload.Command) bool { return false }, err: down}
	s.pass.Queue = queue
	trigger := s.trigger()
	r, err := s.pass.Run(t.Context(), trigger)
	if !errors.Is(err, down) {
		t.Fatalf("got %v", err)
	}
	s.wantState(r, RunFailed)
	s.must(r.Tally.Check())
	if len(s.sent()) != 0 || !slices.Contains(r.Notes, SkipQueueRefused) {
		t.Errorf("notes %q", r.Notes)
	}
	s.pass.Queue = s.queue
	r, err = s.pass.Run(t.Context(), trigger)
	s.must(err)
	if r.Tally.Published.Uploads != 3*ledger.Shards {
		t.Errorf("the retried trigger published:\n%s", r.Tally)
	}
}

// Without the guard a pass fills a queue that nobody empties, until its
// messages are older than the queue keeps them.
func TestQueueAboveItsHighWaterEndsThePassEarly(t *testing.T) {
	s := newPassScene(t)
	s.pass.Policy.QueueHighWater = 150
	s.condemnable(0, 450)
	r := s.run()
	s.wantState(r, RunDone)
	s.must(r.Tally.Check())
	if !slices.Contains(r.Notes, SkipHighWater) || r.Tally.Published.Uploads != 200 || r.Tally.Skipped[SkipHighWater].Uploads != 250 {
		t.Errorf("notes %q, tally:\n%s", r.Notes, r.Tally)
	}
	if n := len(s.sentIDs()); n != 200 {
		t.Errorf("published %d", n)
	}
	s.later(15 * time.Minute)
	if r = s.run(); r.Tally.Published.Uploads != 200 || len(s.sentIDs()) != 200 {
		t.Errorf("the next pass goes on where this one stopped:\n%s", r.Tally)
	}
}

// Without the look an operator who pauses waits for the pass to end. One look is
// good for as many commands as the shards send at once, and for ten seconds.
func TestGateThatClosesDuringThePassEndsPublishing(t *testing.T) {
	for name, c := range map[string]struct {
		takes time.Duration // one call of Send
		want  int64
	}{
		"after the commands of one look": {0, admitted},
		"after ten seconds":              {admittedFor / 2, 2 * batchSize},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPassScene(t)
			s.condemnable(0, admitted+3*batchSize)
			s.pass.Queue = &refusingQueue{Queue: s.queue, accept: func(send int, _ upload.Command) bool {
				if send == 2 {
					s.must(s.gate.Pause(t.Context()))
				}
				return true
			}}
			s.pass.Queue = &slowQueue{Publisher: s.pass.Queue, took: func() { s.later(c.takes) }}
			r := s.run()
			s.wantState(r, RunDone)
			s.must(r.Tally.Check())
			if r.Tally.Published.Uploads != c.want || r.Tally.Skipped[SkipPaused].Uploads != admitted+3*batchSize-c.want {
				t.Errorf("want %d published, tally:\n%s", c.want, r.Tally)
			}
		})
	}
}

// slowQueue lets time pass with every call of Send.
type slowQueue struct {
	Publisher
	took func()
}

func (q *slowQueue) Send(ctx context.Context, commands []upload.Command) ([]bool, error) {
	defer q.took()
	return q.Publisher.Send(ctx, commands)
}

// Without the count before the send a crash publishes what no later pass
// counts. Without the bound by the plan it counts so much more that the limit
// of a day is used up by what was never published; without the end's correction
// a pass does so although it has not crashed.
func TestWhatIsPublishedIsCountedBeforeInAFewWrites(t *testing.T) {
	const uploads = 1_950
	s := newPassScene(t)
	s.condemnable(0, uploads)
	writes := 0
	s.pass.Documents = &faultyDocuments{Documents: s.store, beforePut: func(d ledger.Document) error {
		if d.Collection == runs {
			writes++
		}
		return nil
	}}
	trigger, sent := s.trigger(), int64(0)
	refuse := upload.ID{}
	s.pass.Queue = &refusingQueue{Queue: s.queue, err: errors.New("one was refused"), accept: func(_ int, c upload.Command) bool {
		sent++
		r, err := s.pass.openRun(t.Context(), RunID(trigger.Schedule, trigger.FireTime))
		s.must(err)
		if n := r.report.Published[passBucket]; n < sent || n > uploads {
			t.Fatalf("%d are counted when command %d is sent", n, sent)
		}
		if sent == 1_900 {
			refuse = c.ID
		}
		return c.ID != refuse
	}}
	r, err := s.pass.Run(t.Context(), trigger)
	s.must(err)
	if got, want := r.Published[passBucket], r.Tally.Published.Objects; got != want || want != 1_899 {
		t.Errorf("%d are counted, %d were published: want 1899", got, want)
	}
	if most := 2 + uploads/admitted + 1; writes > most {
		t.Errorf("the run was written %d times, want at most %d", writes, most)
	}
}

func TestPassThatIsOutOfTimeStopsInGoodOrder(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 300)
	asked := 0
	trigger := s.trigger()
	trigger.Enough = func() bool { asked++; return asked > 2 }
	s.pass.Policy.MaxPerPass = 16 * 300
	r, err := s.pass.Run(t.Context(), trigger)
	s.must(err)
	s.wantState(r, RunDone)
	s.must(r.Tally.Check())
	sum := r.Tally.Published.Uploads + r.Tally.Skipped[SkipOutOfTime].Uploads
	if sum != 300 || r.Tally.Skipped[SkipOutOfTime].Uploads == 0 || !slices.Contains(r.Notes, SkipOutOfTime) {
		t.Errorf("notes %q, tally:\n%s", r.Notes, r.Tally)
	}
	first := s.sentIDs()
	s.later(15 * time.Minute)
	s.run()
	second := s.sentIDs()
	if len(first)+len(second) != 300 {
		t.Errorf("published %d, then %d of 300", len(first), len(second))
	}
}

// Without the write before the send, a crash in between publishes what no
// later pass counts: the limit of a day could be exceeded crash by crash.
func TestCrashBetweenSendAndItsRecordCountsTooMuchNeverTooLittle(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 60)
	s.pass.Policy.MaxDeletePercent = 0 // the count of 100 alone
	crash := errors.New("crash")
	var stored []string
	s.pass.Documents = &faultyDocuments{Documents: s.store, beforePut: func(d ledger.Document) error {
		if d.Collection == cursors || (d.Collection == runs && len(stored) > 1) {
			return crash // the process is gone: neither cursor nor end of run
		}
		if d.Collection == runs {
			stored = append(stored, string(d.Data))
		}
		return nil
	}}
	trigger := s.trigger()
	s.pass.Queue = &refusingQueue{Queue: s.queue, accept: func(int, upload.Command) bool {
		r, err := s.pass.openRun(t.Context(), RunID(trigger.Schedule, trigger.FireTime))
		s.must(err)
		if r.report.Published[passBucket] != 60 {
			t.Errorf("sent before it was counted: %v", r.report.Published)
		}
		return true
	}}
	_, err := s.pass.Run(t.Context(), trigger)
	if !errors.Is(err, crash) {
		t.Fatalf("got %v", err)
	}
	if len(s.sent()) != 60 || !strings.Contains(stored[1], `"published":{"bucket-a":60}`) {
		t.Fatalf("stored before the crash: %s", stored)
	}
	s.pass.Documents = s.store
	s.later(lease.Span)
	r, err := s.pass.Run(t.Context(), trigger)
	s.must(err)
	// 60 planned again and 60 published before: over the count of 100.
	s.wantState(r, RunPaused)
	if r.Buckets[0].Recent != 60 || r.Attempt != 2 {
		t.Errorf("verdict %+v in attempt %d", r.Buckets[0], r.Attempt)
	}
	s.pass.Policy.MaxDeleteCount = 120
	s.later(15 * time.Minute)
	again := s.run()
	s.wantState(again, RunDone)
	if again.Buckets[0].Recent != 60 {
		t.Errorf("another run sees %d published", again.Buckets[0].Recent)
	}
}

func TestResumedRunGoesOnWithItsCounters(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 60)
	broken := true
	s.pass.Documents = &faultyDocuments{Documents: s.store, beforePut: func(d ledger.Document) error {
		if broken && d.Collection == cursors {
			return errors.New("throttled")
		}
		return nil
	}}
	trigger := s.trigger()
	r, err := s.pass.Run(t.Context(), trigger)
	if err == nil || r.State != RunFailed {
		t.Fatalf("got %v, run %q", err, r.State)
	}
	broken = false
	r, err = s.pass.Run(t.Context(), trigger)
	s.must(err)
	s.wantState(r, RunDone)
	if r.Published[passBucket] != 120 || r.Tally.Published.Objects != 60 || r.Attempt != 2 {
		t.Errorf("published %v in %d attempts, the last:\n%s", r.Published, r.Attempt, r.Tally)
	}
}

func TestWriteThatLosesItsConditionIsSkipped(t *testing.T) {
	s := newPassScene(t)
	ids := []upload.ID{s.reserved(0, 1, held(time.Minute, s)), s.reserved(0, 1, held(time.Minute, s))}
	s.later(25 * time.Hour)
	s.census(nil)
	faulty := &faultyCandidates{Candidates: s.store}
	faulty.before = func(c upload.Change) error {
		if c.After.ID == ids[0] {
			s.do(ids[0], upload.Heartbeat{Fence: 1}) // just before the mark
		}
		return nil
	}
	s.pass.Candidates = faulty
	r := s.run()
	s.wantState(r, RunDone)
	s.must(r.Tally.Check())
	if r.Tally.Marked.Uploads != 1 || r.Tally.Skipped[SkipLostCondition].Uploads != 1 {
		t.Errorf("tally:\n%s", r.Tally)
	}
	if got := s.record(ids[0]).State; got != upload.StateReceiving {
		t.Errorf("an upload that became active is %s", got)
	}
}

func TestWriteThatFailsFailsTheRunAndStaysBehindTheCursor(t *testing.T) {
	s := newPassScene(t)
	for range 5 {
		s.reserved(0, 1, held(time.Minute, s))
	}
	s.later(25 * time.Hour)
	s.census(nil)
	calls := 0
	faulty := &faultyCandidates{Candidates: s.store, before: func(upload.Change) error {
		calls++
		return errorAt(calls, 3, upload.ErrThrottled)
	}}
	s.pass.Candidates = faulty
	trigger := s.trigger()
	r, err := s.pass.Run(t.Context(), trigger)
	if !errors.Is(err, upload.ErrThrottled) || r.State != RunFailed {
		t.Fatalf("got %v, run %q", err, r.State)
	}
	s.must(r.Tally.Check())
	r, err = s.pass.Run(t.Context(), trigger)
	s.must(err)
	if r.Tally.Marked.Uploads != 3 {
		t.Errorf("the retried trigger marks the other three:\n%s", r.Tally)
	}
}

func TestModeThatIsReportOnlyAgainIsSeenByTheNextPass(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 1)
	s.must(s.gate.SetMode(t.Context(), gate.ReportOnly))
	s.wantState(s.run(), RunReported)
	s.must(s.gate.SetMode(t.Context(), gate.Delete))
	s.later(time.Minute)
	s.wantState(s.run(), RunDone)
	if len(s.sent()) != 1 {
		t.Error("what was reported is not published after the switch")
	}
}
