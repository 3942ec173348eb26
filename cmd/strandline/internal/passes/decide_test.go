package passes

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// pausedRun is a run that waits for its approval.
func pausedRun(t *testing.T, s *scene) cleanup.Report {
	t.Helper()
	s.leftovers()
	s.recount()
	s.open()
	r, err := s.clerk.Pass.Run(t.Context(), cleanup.Trigger{Schedule: "every-15m", FireTime: s.now})
	must(t, err)
	if r.State != cleanup.RunPaused {
		t.Fatalf("the run is %s: %s", r.State, r.Reason)
	}
	return r
}

// Without the question a slip of the hand runs a pass, or lets go what nobody
// has looked at.
func TestWhoDoesNotSayYesHasDoneNothing(t *testing.T) {
	nobody := errors.New("nobody there")
	for name, c := range map[string]struct {
		change func(*scene)
		want   error
	}{
		"no":     {func(s *scene) { s.answer = false }, consent.ErrDeclined},
		"nobody": {func(s *scene) { s.nobody = nobody }, nobody},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			r := pausedRun(t, s)
			c.change(s)
			if err := s.clerk.Approve(t.Context(), r.Run, r.Digest); !errors.Is(err, c.want) {
				t.Errorf("approve: %v", err)
			}
			if err := s.clerk.Run(t.Context()); !errors.Is(err, c.want) {
				t.Errorf("run: %v", err)
			}
			all := s.runs()
			if len(all) != 1 || all[0].State != cleanup.RunPaused || s.queued() != 0 || s.asked != 2 {
				t.Errorf("%d runs, the first %s, %d queued, asked %d times", len(all), all[0].State, s.queued(), s.asked)
			}
		})
	}
}

// What is refused must be refused before the person is asked: a question says
// that a yes would do it.
func TestWhatIsRefusedIsNotAskedAbout(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*scene, *cleanup.Report)
		do     func(context.Context, Clerk, cleanup.Report) error
		says   string
	}{
		"another digest":    {func(_ *scene, r *cleanup.Report) { r.Digest = strings.Repeat("0", 64) }, approve, `the digest is not that of its plan; "strandline mode" shows the gate, and "strandline runs show `},
		"a part of it":      {func(_ *scene, r *cleanup.Report) { r.Digest = r.Digest[:12] }, approve, "the digest is not that of its plan"},
		"an unknown run":    {func(_ *scene, r *cleanup.Report) { r.Run = "2026-01-01T00:00:00.000Z#x" }, approve, "there is no run 2026-01-01"},
		"after a day":       {func(s *scene, _ *cleanup.Report) { s.now = s.now.Add(25 * time.Hour) }, approve, "more than 24h"},
		"a closed gate":     {func(s *scene, _ *cleanup.Report) { must(s.t, s.gate.Pause(s.t.Context())) }, approve, "the gate is closed: paused"},
		"nobody's approval": {func(s *scene, _ *cleanup.Report) { s.clerk.Who = "" }, approve, "--who id is empty"},
		"nobody's run":      {func(s *scene, _ *cleanup.Report) { s.clerk.Who = "" }, run, "--who id is empty"},
		"a clock that is wrong": {func(s *scene, _ *cleanup.Report) {
			s.clerk.Pass.Now = func() time.Time { return s.now.Add(-time.Hour) }
		}, run, "the clock differs from the store's by 1h"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			r := pausedRun(t, s)
			c.change(s, &r)
			err := c.do(t.Context(), s.clerk, r)
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, expected one line with %q", err, c.says)
			}
			if s.asked != 0 || s.queued() != 0 || len(s.runs()) > 1 {
				t.Errorf("asked %d times, %d queued, %d runs", s.asked, s.queued(), len(s.runs()))
			}
		})
	}
}

func approve(ctx context.Context, c Clerk, r cleanup.Report) error {
	return c.Approve(ctx, r.Run, r.Digest)
}

func run(ctx context.Context, c Clerk, _ cleanup.Report) error { return c.Run(ctx) }

// Two passes at once are judged each without the other, and together can exceed
// the limit that each of them keeps.
func TestARunBesideAnotherIsRefusedAndSaysWhichAndUntilWhen(t *testing.T) {
	s := newScene(t)
	s.leftovers()
	s.recount()
	s.open()
	_, err := lease.Take(t.Context(), s.ledger, "pass", "2026-12-01T12:45:00.000Z#every-15m", s.now)
	must(t, err)
	err = s.clerk.Run(t.Context())
	if !errors.Is(err, upload.ErrRefused) || !strings.Contains(err.Error(), "2026-12-01T12:45:00.000Z#every-15m, until 2026-12-01T13:18:00Z") {
		t.Errorf("%v", err)
	}
	if !strings.Contains(s.out.String(), "running        2026-12-01T12:45:00.000Z#every-15m, until 2026-12-01 13:18 UTC") {
		t.Errorf("the plan does not say it:\n%s", s.out.String())
	}
	if s.queued() != 0 || len(s.runs()) != 0 {
		t.Errorf("%d queued, %d runs", s.queued(), len(s.runs()))
	}
}

// With the defaults of a machine that lacks the functions' variables, a run
// would mark after a day what the installation leaves alone for three.
func TestARunUnderAnotherPolicyThanTheSchedulesIsRefusedUntilThePersonInsists(t *testing.T) {
	s := newScene(t)
	s.leftovers()
	s.recount()
	s.open()
	deployed := s.clerk.Pass
	deployed.Policy.ActivityGrace = 72 * time.Hour
	deployed.Policy.MaxDeleteCount = 1_000
	r, err := deployed.Run(t.Context(), cleanup.Trigger{Schedule: "every-15m", FireTime: s.now})
	must(t, err)
	s.now = s.now.Add(15 * time.Minute)
	s.clerk.Ask = nil
	const says = "STRANDLINE_ACTIVITY_GRACE is default here and 72h0m0s in run 2026-12-01T13:00:00.000Z#every-15m"
	if err := s.clerk.Run(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%v", err)
	}
	if err := s.clerk.Approve(t.Context(), r.Run, r.Digest); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%v", err)
	}
	must(t, s.clerk.Plan(t.Context()))
	if !strings.Contains(s.out.String(), "policy         "+says+"\n") {
		t.Errorf("the plan does not say it:\n%s", s.out.String())
	}
	s.out.Reset()
	s.clerk.Pass.Policy = deployed.Policy
	must(t, s.clerk.Plan(t.Context()))
	if !strings.Contains(s.out.String(), "policy         that of run 2026-12-01T13:00:00.000Z#every-15m\n") {
		t.Errorf("with the installation's policy:\n%s", s.out.String())
	}
	s.clerk.Pass.Policy = policy.Default()
	s.clerk.OtherPolicy = true
	must(t, s.clerk.Run(t.Context()))
	// What was run with another policy is not what the next one is compared with.
	s.clerk.OtherPolicy, s.now = false, s.now.Add(15*time.Minute)
	if err := s.clerk.Run(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("after a run by hand: %v", err)
	}
}

// A run that is broken off must not look like one that came to its end.
func TestAnInterruptedRunEndsInGoodOrderAndSaysSo(t *testing.T) {
	for stage, queued := range map[string]int64{"plan": 0, "carry out": 1} {
		t.Run(stage, func(t *testing.T) {
			s := newScene(t)
			s.cancelled(1, "acme", "uploads-eu", 1)
			s.now = s.now.Add(25 * time.Hour)
			s.recount()
			s.open()
			ctx, cancel := context.WithCancel(t.Context())
			s.clerk.Ask = nil
			s.clerk.Progress = func(at string, _ int64, _ string) {
				if at == stage {
					cancel()
				}
			}
			if err := s.clerk.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			if s.queued() != queued {
				t.Errorf("%d are queued, expected %d", s.queued(), queued)
			}
			if all := s.runs(); len(all) != 1 || all[0].State == cleanup.RunRunning || all[0].Tally.Published.Uploads != queued {
				t.Errorf("runs: %+v", all)
			}
			holder, err := lease.Look(t.Context(), s.ledger, "pass", s.now)
			if must(t, err); holder.Run != "" {
				t.Errorf("%s still has the lease", holder.Run)
			}
		})
	}
}

// Who runs a pass answers for what it marks; the trail must not say that the
// scheduler did.
func TestWhatARunByHandDecidesIsInTheTrailUnderThePersonsName(t *testing.T) {
	s := newScene(t)
	s.put("globex", "uploads-eu", 1, time.Hour)
	s.now = s.now.Add(25 * time.Hour)
	s.recount()
	s.open()
	s.clerk.Ask = nil
	var lines []audit.Line
	s.clerk.Pass.Audit = func(_ context.Context, l audit.Line) { lines = append(lines, l) }
	must(t, s.clerk.Run(t.Context()))
	if len(lines) != 1 || lines[0].Who != "ann" || lines[0].What != "expire" || lines[0].Run != s.runs()[0].Run {
		t.Errorf("%+v", lines)
	}
}

// A report says why a run was paused, also when nobody can approve it any more.
func TestARunWhosePlanIsLostIsStillShownAndItIsAnError(t *testing.T) {
	s := newScene(t)
	r := pausedRun(t, s)
	page, err := s.ledger.Get(t.Context(), "PLAN#"+r.Run, "000000")
	must(t, err)
	page.Data = page.Data[:len(page.Data)/2]
	must(t, s.ledger.Put(t.Context(), page))
	if err := s.clerk.Show(t.Context(), r.Run); err == nil || !strings.Contains(err.Error(), "plan of run "+r.Run) {
		t.Errorf("%v", err)
	}
	if !strings.Contains(s.out.String(), "state          paused: bucket uploads-eu") {
		t.Errorf("shown:\n%s", s.out.String())
	}
	if err := s.clerk.Approve(t.Context(), r.Run, r.Digest); err == nil || s.asked != 0 || s.queued() != 0 {
		t.Errorf("approved: %v, asked %d times, %d queued", err, s.asked, s.queued())
	}
}

// A failed run has a report that says how far it came; the error comes after.
func TestARunThatFailsIsShownAndIsAnError(t *testing.T) {
	s := newScene(t)
	s.cancelled(3, "acme", "uploads-eu", 1)
	s.now = s.now.Add(25 * time.Hour)
	s.recount()
	s.open()
	s.clerk.Ask = nil
	s.clerk.Pass.Queue = refusing{s.queue}
	err := s.clerk.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "throttled") {
		t.Errorf("%v", err)
	}
	for _, part := range []string{"state          failed: ", "throttled", "skipped: queue refused"} {
		if !strings.Contains(s.out.String(), part) {
			t.Errorf("no %q in\n%s", part, s.out.String())
		}
	}
}

// refusing is a queue that accepts nothing.
type refusing struct{ cleanup.Publisher }

func (refusing) Send(_ context.Context, commands []upload.Command) ([]bool, error) {
	return make([]bool, len(commands)), errors.New("throttled")
}

func TestProgressCountsWhatIsLookedAtAndThenWhatIsCarriedOut(t *testing.T) {
	s := newScene(t)
	s.cancelled(5, "acme", "uploads-eu", 1)
	s.put("globex", "uploads-eu", 1, time.Hour)
	s.now = s.now.Add(25 * time.Hour)
	s.recount()
	s.open()
	s.clerk.Ask = nil
	var mu sync.Mutex
	last, order := map[string]int64{}, []string{}
	s.clerk.Progress = func(stage string, n int64, _ string) {
		mu.Lock()
		defer mu.Unlock()
		if last[stage] == 0 {
			order = append(order, stage)
		}
		last[stage] = max(last[stage], n)
	}
	cleared := false
	s.clerk.Clear = func() { cleared = true }
	s.clerk.Pass.Policy.MaxPerPass = 1_600
	must(t, s.clerk.Run(t.Context()))
	if last["plan"] != 6 || last["carry out"] != 6 || strings.Join(order, ", ") != "plan, carry out" || !cleared {
		t.Errorf("%v in the order %v, cleared %v", last, order, cleared)
	}
}

func TestStatesAreReadByTheirNames(t *testing.T) {
	if got, err := ParseStates(nil); err != nil || len(got) != len(states) {
		t.Errorf("none: %v, %v", got, err)
	}
	if _, err := ParseStates([]string{"pausd"}); err == nil || !strings.Contains(err.Error(), `--state is "pausd": expected running, done,`) {
		t.Errorf("%v", err)
	}
}
