package cleanup

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// pausedRun is a run over its limit: n cancelled uploads of ten objects and one
// upload to mark.
func (s *passScene) pausedRun(n int) (r Report, purges []upload.ID, mark upload.ID) {
	s.t.Helper()
	for range n {
		purges = append(purges, s.cancelled(0, 10))
		s.later(time.Millisecond)
	}
	mark = s.reserved(0, 1, held(time.Minute, s))
	s.later(25 * time.Hour)
	s.pass.Policy.MaxDeletePercent, s.pass.Policy.MaxDeleteCount = 0, 0
	s.census(nil)
	r = s.run()
	s.wantState(r, RunPaused)
	return r, purges, mark
}

func TestApprovedPlanIsExecuted(t *testing.T) {
	s := newPassScene(t)
	r, purges, mark := s.pausedRun(3)
	s.later(23 * time.Hour)
	done, err := s.pass.Approve(t.Context(), r.Run, r.Digest, "ada")
	s.must(err)
	s.wantState(done, RunApproved)
	s.must(done.Tally.Check())
	if got := s.sentIDs(); len(got) != len(purges) || done.Tally.Published.Objects != 30 {
		t.Errorf("published %v, tally:\n%s", got, done.Tally)
	}
	if got := s.record(mark).State; got != upload.StateExpired {
		t.Errorf("what was to be marked is %s", got)
	}
	if done.Approval.By != "ada" || done.Approval.Published[passBucket] != 30 || len(done.Published) != 0 {
		t.Errorf("approval is %+v, counted against the limit %v", done.Approval, done.Published)
	}
}

// Without counting under the approval, what the queue did not take is said to
// have been published by it.
func TestAnApprovalCountsWhatTheQueueTook(t *testing.T) {
	s := newPassScene(t)
	r, purges, _ := s.pausedRun(3)
	s.pass.Queue = &refusingQueue{
		Queue: s.queue, err: errors.New("one entry was refused"),
		accept: func(_ int, c upload.Command) bool { return c.ID != purges[2] },
	}
	done, err := s.pass.Approve(t.Context(), r.Run, r.Digest, "ada")
	s.must(err)
	if done.Approval.Published[passBucket] != 20 || len(done.Published) != 0 {
		t.Errorf("approval is %+v, counted against the limit %v", done.Approval, done.Published)
	}
}

// Without these guards an approval is a standing permission: for another plan,
// for a second time, for a world that has changed.
func TestApprovalThatIsNotForThisPlanNowIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *passScene, r *Report)
		says   string
	}{
		"twice": {func(s *passScene, r *Report) {
			_, err := s.pass.Approve(s.t.Context(), r.Run, r.Digest, "ada")
			s.must(err)
			s.sent()
		}, "approved already, by ada"},
		"after a day":    {func(s *passScene, _ *Report) { s.later(24*time.Hour + time.Second) }, "more than 24h"},
		"another digest": {func(_ *passScene, r *Report) { r.Digest = strings.Repeat("0", 64) }, "digest"},
		"a run that is not paused": {func(s *passScene, r *Report) {
			s.pass.Policy.MaxDeleteCount = 1000
			s.later(time.Minute)
			*r = s.run()
			s.sent()
		}, "not paused"},
		"a run that is unknown":  {func(_ *passScene, r *Report) { r.Run = "2026-01-01T00:00:00.000Z#x" }, "not paused"},
		"a gate that was closed": {func(s *passScene, _ *Report) { s.must(s.gate.Pause(s.t.Context())) }, "gate is closed: paused"},
		"a clock that is wrong": {func(s *passScene, _ *Report) {
			s.pass.Now = func() time.Time { return s.now.Add(-time.Hour) }
		}, "clock differs"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPassScene(t)
			r, _, _ := s.pausedRun(2)
			c.change(s, &r)
			before := s.revisions()
			_, err := s.pass.Approve(t.Context(), r.Run, r.Digest, "bob")
			if !errors.Is(err, upload.ErrRefused) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want a refusal that says %s", err, c.says)
			}
			s.nothingDone(before)
		})
	}
}

// A person who is shown a run as approved looks no further; this one still waits
// for its approval, until it is too late.
func TestAnApprovalThatCouldNotBeStoredIsNotReportedAsOne(t *testing.T) {
	s := newPassScene(t)
	r, _, _ := s.pausedRun(1)
	denied := errors.New("access denied")
	s.pass.Documents = &faultyDocuments{Documents: s.store, beforePut: func(d ledger.Document) error {
		if d.Collection == runs {
			return denied
		}
		return nil
	}}
	got, err := s.pass.Approve(t.Context(), r.Run, r.Digest, "ada")
	if !errors.Is(err, denied) || got.State != RunPaused || got.Approval != nil || len(s.sentIDs()) > 0 {
		t.Errorf("%v: the run is %q, approved %+v", err, got.State, got.Approval)
	}
	s.pass.Documents = s.store
	if done, err := s.pass.Approve(t.Context(), r.Run, r.Digest, "ada"); err != nil || done.State != RunApproved {
		t.Errorf("approved once more: %q, %v", done.State, err)
	}
}

func TestApprovalNeedsAName(t *testing.T) {
	s := newPassScene(t)
	r, _, _ := s.pausedRun(1)
	if _, err := s.pass.Approve(t.Context(), r.Run, r.Digest, ""); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

// Without the re-check what changed while the plan waited is published as it
// was: the worker would still drop it, but it would count, and cost.
func TestWhatChangedWhileThePlanWaitedIsSkipped(t *testing.T) {
	s := newPassScene(t)
	r, purges, mark := s.pausedRun(3)
	s.do(mark, upload.Heartbeat{Fence: 1})
	claimed := s.record(purges[1])
	s.do(claimed.ID, upload.Claim{Version: claimed.Version, Cutoff: r.Cutoff, Worker: "w", Token: "t"})
	done, err := s.pass.Approve(t.Context(), r.Run, r.Digest, "ada")
	s.must(err)
	s.must(done.Tally.Check())
	if got := done.Tally.Skipped[SkipLostCondition].Uploads; got != 2 {
		t.Errorf("%d lost their condition, want 2:\n%s", got, done.Tally)
	}
	if got := s.sentIDs(); len(got) != 2 || got[purges[1]] != 0 {
		t.Errorf("published %v", got)
	}
	if s.record(mark).State != upload.StateReceiving {
		t.Error("an upload whose writer came back was marked")
	}
}

// Counting what a person has judged would stop every later pass of the day.
func TestApprovedObjectsDoNotCountAgainstLaterPasses(t *testing.T) {
	s := newPassScene(t)
	r, _, _ := s.pausedRun(20)
	_, err := s.pass.Approve(t.Context(), r.Run, r.Digest, "ada")
	s.must(err)
	s.sent()
	s.pass.Policy.MaxDeleteCount = 100
	s.cancelled(1, 100)
	s.later(time.Hour)
	s.census(nil)
	again := s.run()
	s.wantState(again, RunDone)
	if got := s.sentIDs(); len(got) != 1 {
		t.Errorf("published %v: the approved plan's were not passed by the cursor", got)
	}
}

func TestApprovedPlanLeavesACursorThatHasMovedSince(t *testing.T) {
	s := newPassScene(t)
	r, _, _ := s.pausedRun(2)
	s.pass.Policy.MaxDeleteCount = 1000
	s.later(time.Minute)
	s.wantState(s.run(), RunDone)
	before := s.revisions()
	done, err := s.pass.Approve(t.Context(), r.Run, r.Digest, "ada")
	s.must(err)
	if len(done.Notes) != 1 || before["CURSOR/00"] != s.revisions()["CURSOR/00"] {
		t.Errorf("notes %q, cursors before %v, after %v", done.Notes, before, s.revisions())
	}
}

// Without the digest over what was really read, a plan with a page of another
// one is executed.
func TestStoredPlanThatIsNotWholeIsNotExecuted(t *testing.T) {
	s := newPassScene(t)
	r, _, _ := s.pausedRun(2)
	other := newPassScene(t)
	o, _, _ := other.pausedRun(3)
	doc, err := other.store.Get(t.Context(), planOf(o.Run), planPage(0))
	s.must(err)
	mine, err := s.store.Get(t.Context(), planOf(r.Run), planPage(0))
	s.must(err)
	for name, data := range map[string][]byte{"another plan": doc.Data, "half of it": mine.Data[:len(mine.Data)/2]} {
		now, err := s.store.Get(t.Context(), planOf(r.Run), planPage(0))
		s.must(err)
		s.must(s.store.Put(t.Context(), ledger.Document{
			Collection: planOf(r.Run), ID: planPage(0), Data: data, Revision: now.Revision,
		}))
		before := s.revisions()
		if _, err := s.pass.Approve(t.Context(), r.Run, r.Digest, "ada"); err == nil {
			t.Errorf("%s: executed", name)
		}
		s.nothingDone(before)
	}
}

func TestStoredPlanOfManyPagesIsReadBackAsItWas(t *testing.T) {
	s := newPassScene(t)
	plan := manyCandidates(t, 80_000)
	pages, err := s.pass.storePlan(t.Context(), plan, s.now)
	s.must(err)
	if pages < 2 {
		t.Fatalf("%d pages: the test needs more than one", pages)
	}
	back, err := s.pass.loadPlan(t.Context(), Report{Run: plan.run, Pages: pages, Digest: plan.digest})
	s.must(err)
	if back.String() != plan.String() {
		t.Errorf("read back\n%s\nstored\n%s", back, plan)
	}
}

// Without the guard a plan is carried out again, on cursors of the first time.
func TestPlanIsExecutedOnce(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 2)
	plan, err := s.pass.plan(t.Context(), "run", s.now.Add(-time.Hour/2), s.now)
	s.must(err)
	r, err := s.pass.openRun(t.Context(), "run")
	s.must(err)
	l, err := lease.Take(t.Context(), s.store, leaseKind, "run", s.now)
	s.must(err)
	w := work{pass: s.pass, run: r, lease: l}
	_, err = w.execute(context.Background(), plan)
	s.must(err)
	s.sent()
	if _, err = w.execute(context.Background(), plan); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("second execution: %v", err)
	}
	if n := len(s.sent()); n != 0 {
		t.Errorf("second execution published %d", n)
	}
}
