package scheduler

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

func TestAPassInNumbers(t *testing.T) {
	started := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	report := func(s cleanup.RunState, reason string) cleanup.Report {
		return cleanup.Report{
			State: s, Reason: reason, Started: started, OldestDue: started.Add(-time.Hour), Unfinished: 3,
			Tally: cleanup.PassTally{Stuck: cleanup.Amount{Uploads: 2}},
		}
	}
	whole := func(paused float64) map[telemetry.Name]float64 {
		return map[telemetry.Name]float64{
			telemetry.PassRan: 1, telemetry.PausedRuns: paused, telemetry.Stuck: 2, telemetry.Unfinished: 3, telemetry.BacklogAge: 3600,
		}
	}
	reportOnly := whole(0)
	delete(reportOnly, telemetry.BacklogAge)
	nothingDue := report(cleanup.RunDone, "")
	nothingDue.OldestDue = time.Time{}
	none := whole(0)
	none[telemetry.BacklogAge] = 0
	for name, c := range map[string]struct {
		report cleanup.Report
		want   map[telemetry.Name]float64
	}{
		"done":                                 {report(cleanup.RunDone, ""), whole(0)},
		"paused over its limit":                {report(cleanup.RunPaused, "over"), whole(1)},
		"the gate is paused: the backlog ages": {report(cleanup.RunReported, cleanup.SkipPaused), whole(0)},
		"report-only: no age, it is meant":     {report(cleanup.RunReported, cleanup.SkipReportOnly), reportOnly},
		"nothing is due":                       {nothingDue, none},
		// A refused or failed pass that counted as one would keep the alarm of a
		// pass that did not run from ever ringing.
		"refused": {report(cleanup.RunRefused, "clock"), map[telemetry.Name]float64{}},
		"failed":  {report(cleanup.RunFailed, "no"), map[telemetry.Name]float64{}},
		"stopped": {report(cleanup.RunStopped, "future"), map[telemetry.Name]float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, measured(c.report)); d != "" {
				t.Error(d)
			}
		})
	}
}
