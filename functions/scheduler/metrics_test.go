package scheduler

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

func uploads(n int64) cleanup.Amount {
	return cleanup.Amount{Uploads: n, Objects: 10 * n, Bytes: 1000 * n}
}

func TestAPassInNumbers(t *testing.T) {
	started := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	report := func(s cleanup.RunState, reason string) cleanup.Report {
		return cleanup.Report{
			State: s, Reason: reason, Started: started, OldestDue: started.Add(-time.Hour), Unfinished: 3,
			CensusAt: started.Add(-2 * time.Hour), GateRate: 500,
			Tally: cleanup.PassTally{
				Candidates: uploads(33), Kept: uploads(9), Marked: uploads(8), Repaired: uploads(7), Stuck: uploads(2), Published: uploads(4),
				Skipped: map[string]cleanup.Amount{cleanup.SkipHighWater: uploads(2), "never heard of": uploads(1)},
			},
		}
	}
	counts := func() telemetry.Values {
		return telemetry.Values{
			Plain: map[telemetry.Name]float64{
				telemetry.Selected: 33, telemetry.Renewed: 9, telemetry.Marked: 8, telemetry.Repaired: 7, telemetry.Stuck: 2, telemetry.Published: 4,
			},
			ByReason: map[telemetry.Name]map[telemetry.Reason]float64{telemetry.Skipped: {"queue high-water": 2, telemetry.Other: 1}},
		}
	}
	whole := func(paused float64) telemetry.Values {
		v := counts()
		v.Plain[telemetry.PassRan], v.Plain[telemetry.PausedRuns], v.Plain[telemetry.Unfinished] = 1, paused, 3
		v.Plain[telemetry.BacklogAge], v.Plain[telemetry.CensusAge], v.Plain[telemetry.GateRate] = 3600, 7200, 500
		return v
	}
	but := func(v telemetry.Values, name telemetry.Name, n float64) telemetry.Values {
		v.Plain[name] = n
		return v
	}
	reportOnly := whole(0)
	delete(reportOnly.Plain, telemetry.BacklogAge)
	nothingDue := report(cleanup.RunDone, "")
	nothingDue.OldestDue = time.Time{}
	neverCounted := report(cleanup.RunDone, "")
	neverCounted.CensusAt = time.Time{}
	early := report(cleanup.RunFailed, "no")
	early.Tally = cleanup.PassTally{}
	for name, c := range map[string]struct {
		report cleanup.Report
		want   telemetry.Values
	}{
		"done":                                 {report(cleanup.RunDone, ""), whole(0)},
		"paused over its limit":                {report(cleanup.RunPaused, "over"), whole(1)},
		"the gate is paused: the backlog ages": {report(cleanup.RunReported, cleanup.SkipPaused), whole(0)},
		"report-only: no age, it is meant":     {report(cleanup.RunReported, cleanup.SkipReportOnly), reportOnly},
		"nothing is due":                       {nothingDue, but(whole(0), telemetry.BacklogAge, 0)},
		// A missing number keeps an alarm still: no census must be older than any.
		"never counted": {neverCounted, but(whole(0), telemetry.CensusAge, float64(started.Unix()))},
		// A refused or failed pass that counted as one would keep the alarm of a
		// pass that did not run from ever ringing.
		"refused":                         {report(cleanup.RunRefused, "clock"), telemetry.Values{}},
		"stopped":                         {report(cleanup.RunStopped, "future"), telemetry.Values{}},
		"failed before it had a plan":     {early, telemetry.Values{}},
		"failed on the way: what it did":  {report(cleanup.RunFailed, "no"), counts()},
		"running, another has it in hand": {report(cleanup.RunRunning, ""), telemetry.Values{}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, measured(c.report)); d != "" {
				t.Error(d)
			}
		})
	}
}
