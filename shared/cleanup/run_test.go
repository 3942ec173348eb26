package cleanup

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestRetriedTriggerOfAFinishedRunIsAnsweredAsItEnded(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 3)
	trigger := s.trigger()
	first, err := s.pass.Run(t.Context(), trigger)
	s.must(err)
	s.sent()
	s.cancelled(1, 1)
	s.later(time.Hour)
	before := s.revisions()
	// Also while another pass is running: there is nothing to wait for.
	_, err = lease.Take(t.Context(), s.store, leaseKind, "another", s.now)
	s.must(err)
	again, err := s.pass.Run(t.Context(), trigger)
	s.must(err)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("answers differ (-first +second):\n%s", diff)
	}
	s.nothingDone(before)
}

// Without the second look an invocation that waited between its first look and
// the lease runs a finished run again.
func TestRunThatEndedJustBeforeTheLeaseIsNotRunAgain(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 3)
	trigger := s.trigger()
	var first Report
	outer := s.pass
	outer.Documents = &faultyDocuments{Documents: s.store, beforeGet: func(collection string) {
		if collection == lease.Collection && first.Run == "" {
			var err error
			first, err = s.pass.Run(t.Context(), trigger)
			s.must(err)
			s.sent()
			s.cancelled(1, 1)
			s.later(time.Hour)
		}
	}}
	before := s.revisions()
	again, err := outer.Run(t.Context(), trigger)
	s.must(err)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("answers differ (-first +second):\n%s", diff)
	}
	before["CURSOR/00"] = 1 // the first run's
	s.nothingDone(before)
}

// Without the lease two passes are judged each on its own, and together exceed
// the limit.
func TestSecondPassAtOnceIsRefused(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 3)
	var inner error
	faulty := &faultyCandidates{Candidates: s.store, onPage: func(page, _ int) error {
		if page == 1 {
			_, inner = s.pass.Run(t.Context(), Trigger{Schedule: "another", FireTime: s.now})
		}
		return nil
	}}
	outer := s.pass
	outer.Candidates = faulty
	r, err := outer.Run(t.Context(), s.trigger())
	s.must(err)
	s.wantState(r, RunDone)
	if !errors.Is(inner, upload.ErrRefused) || !strings.Contains(inner.Error(), "another pass is running") {
		t.Errorf("the second pass: %v", inner)
	}
	if n := len(s.sent()); n != 3 {
		t.Errorf("published %d", n)
	}
	if _, err := s.pass.Run(t.Context(), Trigger{Schedule: "another", FireTime: s.now}); err != nil {
		t.Errorf("after the first has ended: %v", err)
	}
}

// EventBridge Scheduler invokes at least once: the same trigger, twice at once.
func TestSameTriggerTwiceAtOnceIsOneRun(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 3)
	trigger := s.trigger()
	var inner error
	outer := s.pass
	outer.Candidates = &faultyCandidates{Candidates: s.store, onPage: func(page, _ int) error {
		if page == 1 {
			_, inner = s.pass.Run(t.Context(), trigger)
		}
		return nil
	}}
	_, err := outer.Run(t.Context(), trigger)
	s.must(err)
	if !errors.Is(inner, upload.ErrRefused) || len(s.sent()) != 3 {
		t.Errorf("the second invocation: %v", inner)
	}
}

func TestLeaseOfADeadPassEndsByItself(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 1)
	_, err := lease.Take(t.Context(), s.store, leaseKind, "dead", s.now)
	s.must(err)
	trigger := s.trigger()
	if _, err := s.pass.Run(t.Context(), trigger); !errors.Is(err, upload.ErrRefused) {
		t.Fatalf("got %v", err)
	}
	s.later(lease.Span)
	r, err := s.pass.Run(t.Context(), trigger)
	s.must(err)
	s.wantState(r, RunDone)
}

// Without the guard a pass that outlived its lease goes on beside the next.
func TestPassWhoseLeaseEndsBeginsNothingNew(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 300)
	s.pass.Queue = &refusingQueue{Queue: s.queue, accept: func(int, upload.Command) bool {
		s.later(20 * time.Second) // a hundred take longer than the lease
		return true
	}}
	r := s.run()
	s.wantState(r, RunDone)
	if r.Tally.Published.Uploads != 100 || r.Tally.Skipped[SkipOutOfTime].Uploads != 200 {
		t.Errorf("tally:\n%s", r.Tally)
	}
}

func TestRunOfANewerSchemaIsNotJudgedBy(t *testing.T) {
	s := newPassScene(t)
	trigger := s.trigger()
	r, err := s.pass.openRun(t.Context(), RunID(trigger.Schedule, trigger.FireTime))
	s.must(err)
	r.report.Schema = runSchema + 1
	s.must(r.save(t.Context()))
	if _, err := s.pass.Run(t.Context(), trigger); err == nil || !strings.Contains(err.Error(), "schema 2") {
		t.Errorf("got %v", err)
	}
}

func TestRunIDsSortByFireTime(t *testing.T) {
	early := time.Date(2026, 11, 30, 23, 59, 59, 999e6, time.FixedZone("east", 3600))
	late := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	if a, b := RunID("z", early), RunID("a", late); a >= b || a != "2026-11-30T22:59:59.999Z#z" {
		t.Errorf("%s does not sort before %s", a, b)
	}
}
