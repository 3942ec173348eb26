package cleanup

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Without the guard one wrong setting, or one broken client, empties a bucket
// within a pass.
func TestPlanOverTheLimitPausesTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		census  int64
		objects int
		want    RunState
	}{
		"small installation, all of it, within the count": {100, 100, RunDone},
		"small installation, one over the count":          {100, 101, RunPaused},
		"large installation, exactly five percent":        {4_000, 200, RunDone},
		"large installation, one over five percent":       {4_000, 201, RunPaused},
		"huge installation, far over the count":           {10_000_000, 9_000, RunDone},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPassScene(t)
			id := s.cancelled(0, c.objects)
			marked := s.reserved(1, 1, held(time.Minute, s))
			s.later(25 * time.Hour)
			s.census(map[string]int64{passBucket: c.census})
			before, record := s.revisions(), s.record(marked)
			r := s.run()
			s.wantState(r, c.want)
			s.must(r.Tally.Check())
			if c.want == RunPaused {
				// Nothing at all is executed, the mark of another upload neither.
				s.nothingDone(before, record, s.record(id))
				if r.Digest == "" || r.Pages == 0 || !strings.Contains(r.Reason, passBucket) {
					t.Errorf("paused without a plan to approve: %+v", r)
				}
				return
			}
			if got := len(s.sent()); got != 1 {
				t.Errorf("published %d uploads, want 1", got)
			}
		})
	}
}

// Without the sum a limit per pass is a limit per quarter of an hour.
func TestWhatWasPublishedInTheLastDayCounts(t *testing.T) {
	s := newPassScene(t)
	s.pass.Policy.MaxDeletePercent = 0 // the count of 100 alone
	publish := func(objects int) Report {
		s.cancelled(0, objects)
		s.later(30 * time.Minute)
		s.census(nil)
		return s.run()
	}
	s.wantState(publish(60), RunDone)
	s.wantState(publish(40), RunDone)
	s.wantState(publish(1), RunPaused)
	s.later(24 * time.Hour)
	s.census(nil)
	r := s.run()
	s.wantState(r, RunDone) // a day later: the one, and in a round the sixty that no worker took
	if r.Tally.Published.Objects != 61 {
		t.Errorf("tally:\n%s", r.Tally)
	}
}

func TestBucketsAreJudgedEachOnItsOwn(t *testing.T) {
	s := newPassScene(t)
	s.cancelled(0, 90)
	s.cancelled(1, 90, inBucket("bucket-unknown"))
	s.later(time.Hour)
	r := s.run()
	s.wantState(r, RunDone)
	if len(r.Buckets) != 2 || r.Buckets[0].Limit != 50_000 || r.Buckets[1].Limit != 100 || r.Buckets[1].Census != 0 {
		t.Errorf("verdicts: %+v", r.Buckets)
	}
	s.cancelled(1, 11, inBucket("bucket-unknown"))
	s.later(time.Hour)
	s.wantState(s.run(), RunPaused)
}

func TestPercentageOfAnyCensusFits(t *testing.T) {
	for _, c := range []struct {
		percent  int
		of, want int64
	}{{5, 0, 0}, {5, 19, 0}, {5, 20, 1}, {5, 101, 5}, {100, 7, 7}, {100, math.MaxInt64, math.MaxInt64}} {
		if got := percentOf(c.percent, c.of); got != c.want {
			t.Errorf("%d%% of %d is %d, want %d", c.percent, c.of, got, c.want)
		}
	}
}

func TestReportSaysThatTheRunWouldBePaused(t *testing.T) {
	s := newPassScene(t)
	s.cancelled(0, 200, inBucket("bucket-unknown"))
	s.later(time.Hour)
	s.must(s.gate.Pause(t.Context()))
	r := s.run()
	s.wantState(r, RunReported)
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "would be paused") {
		t.Errorf("notes are %q", r.Notes)
	}
}
