package cleanup

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// everything is one candidate of each kind, due now, by name.
func (s *passScene) everything() map[string]upload.ID {
	s.t.Helper()
	begin := s.now
	ids := map[string]upload.ID{
		"slow":      s.reserved(0, 1),                     // repaired by its age, but active again below
		"overdue":   s.reserved(1, 2),                     // repaired
		"hold over": s.reserved(2, 4, held(time.Hour, s)), // marked
		"given up":  s.cancelled(3, 8),                    // claimed
		"stuck":     s.reserved(4, 16),
		"purging":   s.cancelled(5, 32), // reclaimed
		"trimmed":   s.reserved(6, 3),   // one of them listed: the other two are at stake
	}
	s.do(ids["stuck"], upload.BeginAssembly{Fence: 1})
	s.do(ids["trimmed"],
		upload.RecordObject{Fence: 1, Seq: 1, VersionID: "v1", Size: 7},
		upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}})
	s.later(30 * time.Minute)
	dead := s.do(ids["purging"])
	s.do(dead.ID, upload.Claim{Version: dead.Version, Cutoff: s.now.Add(-4*time.Minute - time.Minute), Worker: "w", Token: "t"})
	s.now = begin.Add(24 * time.Hour)
	s.do(ids["slow"], upload.Heartbeat{Fence: 1})
	s.now = begin.Add(25 * time.Hour)
	s.census(map[string]int64{passBucket: 1_000_000})
	return ids
}

func TestEveryCandidateEndsInOneLineOfTheTally(t *testing.T) {
	s := newPassScene(t)
	ids := s.everything()
	r := s.run()
	s.wantState(r, RunDone)
	want := PassTally{
		Candidates: amount(7, 65, 0),
		Kept:       amount(1, 1, 0),
		Repaired:   amount(1, 2, 0),
		Marked:     amount(1, 4, 0),
		Stuck:      amount(1, 16, 0),
		Published:  amount(3, 42, 0),
	}
	if diff := cmp.Diff(want, r.Tally); diff != "" {
		t.Errorf("tally (-want +got):\n%s", diff)
	}
	for name, state := range map[string]upload.State{
		"slow": upload.StateReceiving, "overdue": upload.StateCancelled, "hold over": upload.StateExpired,
		"given up": upload.StateCancelled, "stuck": upload.StateAssembling, "purging": upload.StateDeleting,
	} {
		if got := s.record(ids[name]).State; got != state {
			t.Errorf("%s is %s, want %s", name, got, state)
		}
	}
	operations := map[upload.ID]upload.Operation{}
	for _, c := range s.sent() {
		operations[c.ID] = c.Operation
		if !c.Cutoff.Equal(r.Cutoff) || c.Run != r.Run || c.Version != s.record(c.ID).Version {
			t.Errorf("command %+v is not of run %s, cutoff %s", c, r.Run, r.Cutoff)
		}
	}
	wantOps := map[upload.ID]upload.Operation{
		ids["given up"]: upload.OpClaim, ids["purging"]: upload.OpReclaim, ids["trimmed"]: upload.OpTrim,
	}
	if diff := cmp.Diff(wantOps, operations); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
	for _, name := range []string{"slow", "stuck"} {
		if due := s.record(ids[name]).DueAt; !due.After(r.Cutoff) {
			t.Errorf("%s was not deferred: due %s", name, due)
		}
	}
}

// amount keeps the wanted tallies short.
func amount(uploads, objects, bytes int64) Amount { return Amount{uploads, objects, bytes} }

// Without the guard a new installation, or one that somebody paused, is marked,
// repaired and purged.
func TestClosedGateReportsAndWritesNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		shut   func(*passScene) error
		reason string
	}{
		"report-only": {func(s *passScene) error { return s.gate.SetMode(s.t.Context(), "report-only") }, SkipReportOnly},
		"paused":      {func(s *passScene) error { return s.gate.Pause(s.t.Context()) }, SkipPaused},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPassScene(t)
			ids := s.everything()
			s.must(c.shut(s))
			var before []upload.Record
			for _, id := range ids {
				before = append(before, s.record(id))
			}
			documents := s.revisions()
			r := s.run()
			s.wantState(r, RunReported)
			want := PassTally{
				Candidates: amount(7, 65, 0), Kept: amount(1, 1, 0), Stuck: amount(1, 16, 0),
				Skipped: map[string]Amount{c.reason: amount(5, 48, 0)},
			}
			if diff := cmp.Diff(want, r.Tally); diff != "" {
				t.Errorf("tally (-want +got):\n%s", diff)
			}
			s.must(r.Tally.Check())
			oldest := s.record(ids["given up"]).DueAt
			if !r.OldestDue.Equal(oldest) {
				t.Errorf("oldest due is %s, want %s", r.OldestDue, oldest)
			}
			s.nothingDone(documents, before...)
		})
	}
}

// Without the guard a pass on a clock that runs ahead condemns what its owner
// was promised, and one that lags publishes cutoffs that nobody can trust.
func TestClockTenMinutesOffIsRefused(t *testing.T) {
	for name, off := range map[string]time.Duration{"ahead": 10 * time.Minute, "behind": -10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			s := newPassScene(t)
			s.condemnable(0, 3)
			before, trigger := s.revisions(), s.trigger()
			s.pass.Now = func() time.Time { return s.now.Add(off) }
			r, err := s.pass.Run(t.Context(), trigger)
			if !errors.Is(err, upload.ErrRefused) || !strings.Contains(r.Reason, "10m0s") {
				t.Fatalf("got %v, reason %q", err, r.Reason)
			}
			s.wantState(r, RunRefused)
			s.nothingDone(before)

			s.pass.Now = func() time.Time { return s.now }
			r, err = s.pass.Run(t.Context(), trigger)
			s.must(err)
			s.wantState(r, RunDone)
			if r.Tally.Published.Uploads != 3 {
				t.Errorf("the retried trigger published %d of 3", r.Tally.Published.Uploads)
			}
		})
	}
}

func TestClockWithinTheSkewIsTrusted(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 1)
	s.pass.Now = func() time.Time { return s.now.Add(4 * time.Minute) }
	s.wantState(s.run(), RunDone)
}

// Without the guard a record whose writer's clock, or whose reader's, is wrong
// is judged all the same, and so is everything beside it.
func TestActivityInTheFutureStopsTheRun(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 3)
	odd := s.reserved(1, 1, held(time.Minute, s))
	s.later(24 * time.Hour)
	s.do(odd, upload.Heartbeat{Fence: 1})
	s.later(-time.Hour) // the heartbeat lies ahead now
	before, record := s.revisions(), s.record(odd)
	trigger := s.trigger()
	r, err := s.pass.Run(t.Context(), trigger)
	s.must(err)
	s.wantState(r, RunStopped)
	if !strings.Contains(r.Reason, odd.Upload) {
		t.Errorf("reason %q does not name upload %s", r.Reason, odd.Upload)
	}
	s.nothingDone(before, record)
	again, err := s.pass.Run(t.Context(), trigger)
	s.must(err)
	if diff := cmp.Diff(r, again); diff != "" {
		t.Errorf("the same trigger ran a stopped run again (-first +second):\n%s", diff)
	}
}

// Without the guard a plan is executed of which nobody knows what it lacks.
func TestLookUpThatFailsLeavesNothingExecuted(t *testing.T) {
	lost := errors.New("the table does not answer")
	for name, fault := range map[string]func(*faultyCandidates){
		"the first page": func(f *faultyCandidates) {
			f.onPage = func(page, _ int) error { return errorAt(page, 1, lost) }
		},
		"the second page of a shard": func(f *faultyCandidates) {
			f.onPage = func(page, _ int) error { return errorAt(page, ledger.Shards+1, lost) }
		},
		"the records": func(f *faultyCandidates) {
			f.onLoad = func([]upload.ID, []upload.Record) ([]upload.Record, error) { return nil, lost }
		},
		"fewer records than asked": func(f *faultyCandidates) {
			f.onLoad = func(_ []upload.ID, r []upload.Record) ([]upload.Record, error) { return r[:len(r)-1], nil }
		},
		"another record than asked": func(f *faultyCandidates) {
			f.onLoad = func(_ []upload.ID, r []upload.Record) ([]upload.Record, error) {
				r[0].Tenant = "somebody-else"
				return r, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPassScene(t)
			s.condemnable(3, pageSize+1)
			faulty := &faultyCandidates{Candidates: s.store}
			fault(faulty)
			s.pass.Candidates = faulty
			before, trigger := s.revisions(), s.trigger()
			r, err := s.pass.Run(t.Context(), trigger)
			if err == nil {
				t.Fatal("the run did not fail")
			}
			s.wantState(r, RunFailed)
			s.nothingDone(before)

			s.pass.Candidates = s.store
			r, err = s.pass.Run(t.Context(), trigger)
			s.must(err)
			s.wantState(r, RunDone)
			if r.Attempt != 2 || r.Tally.Published.Uploads != pageSize+1 {
				t.Errorf("attempt %d published %d uploads", r.Attempt, r.Tally.Published.Uploads)
			}
		})
	}
}

func errorAt(call, fails int, err error) error {
	if call == fails {
		return err
	}
	return nil
}

// Without the guard an upload is judged that is not due any more, or gone.
func TestStaleIndexEntryIsSkipped(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 3)
	faulty := &faultyCandidates{Candidates: s.store}
	faulty.onLoad = func(ids []upload.ID, r []upload.Record) ([]upload.Record, error) {
		r[0] = upload.Record{}               // forgotten
		r[1].DueAt = time.Time{}             // completed since
		r[2].DueAt = s.now.Add(-time.Minute) // deferred since, to within the margin
		return r, nil
	}
	s.pass.Candidates = faulty
	r := s.run()
	s.wantState(r, RunDone)
	if got := r.Tally.Skipped[SkipIndexStale].Uploads; got != 3 || len(s.sent()) != 0 {
		t.Errorf("%d skipped as stale, tally:\n%s", got, r.Tally)
	}
	s.must(r.Tally.Check())
}

func TestEmptyLedgerIsAnOrdinaryRun(t *testing.T) {
	s := newEmptyScene(t)
	_, err := Census{Ledger: s.store, Now: s.pass.Now, Log: s.pass.Log}.Recount(t.Context())
	s.must(err)
	r := s.run()
	s.wantState(r, RunDone)
	if r.Tally.Candidates != (Amount{}) || len(r.Notes) != 0 || r.More {
		t.Errorf("report of nothing: %+v", r)
	}
}

// Without the margin a cutoff could be "equal to the firing time", and a
// trigger that comes days late would look at the world of then.
func TestScheduleThatSleptForFiveDaysFindsMore(t *testing.T) {
	s := newPassScene(t)
	fired := s.now
	s.condemnable(0, 3)
	s.later(5*24*time.Hour - 2*time.Hour)
	within := s.cancelled(1, 1)
	s.later(16*time.Minute + s.pass.Policy.SafetyMargin - time.Second) // due, but within the margin
	s.census(map[string]int64{passBucket: 1_000_000})
	r, err := s.pass.Run(t.Context(), Trigger{Schedule: "every-15m", FireTime: fired})
	s.must(err)
	if want := s.now.Add(-s.pass.Policy.SafetyMargin); !r.Cutoff.Equal(want) {
		t.Errorf("cutoff is %s, want %s", r.Cutoff, want)
	}
	if got := s.sentIDs(); len(got) != 3 || got[within] != 0 {
		t.Errorf("published %v", got)
	}
}

func TestTriggerThatCannotBeIsNamed(t *testing.T) {
	s := newPassScene(t)
	for name, c := range map[string]struct {
		trigger Trigger
		says    string
	}{
		"no schedule":          {Trigger{Schedule: "", FireTime: s.now}, `schedule is ""`},
		"schedule with a #":    {Trigger{Schedule: "a#b", FireTime: s.now}, `schedule is "a#b"`},
		"no fire time":         {Trigger{Schedule: "s", FireTime: time.Time{}}, "no fire time"},
		"fired last month":     {Trigger{Schedule: "s", FireTime: s.now.AddDate(0, -1, 0)}, "at most 168h"},
		"fires in an hour":     {Trigger{Schedule: "s", FireTime: s.now.Add(time.Hour)}, "lies in the future"},
		"a very long schedule": {Trigger{Schedule: strings.Repeat("s", 65), FireTime: s.now}, "expected 1 to 64"},
		// Looked up as part of an id, it would come whole into the look-up's error.
		"one longer than an id": {Trigger{Schedule: strings.Repeat("s\n", 300), FireTime: s.now}, "expected 1 to 64"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.pass.Run(t.Context(), c.trigger)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want one that says %s", err, c.says)
			}
		})
	}
}

func TestPassThatLacksSomethingDoesNotRun(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 1)
	p := s.pass
	p.Queue = nil
	if _, err := p.Run(t.Context(), s.trigger()); err == nil || !strings.Contains(err.Error(), "Queue") {
		t.Errorf("without a queue: %v", err)
	}
	p = s.pass
	p.Policy.SafetyMargin = 0
	if _, err := p.Run(t.Context(), s.trigger()); err == nil {
		t.Error("ran under a policy below its floors")
	}
}
