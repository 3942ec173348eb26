package scheduler

import (
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// measured is a pass in numbers. A pass that did not come to its end has not
// run: that is what its alarm is about. What it did until then still counts.
func measured(r cleanup.Report) telemetry.Values {
	switch r.State {
	case cleanup.RunDone, cleanup.RunReported, cleanup.RunPaused, cleanup.RunApproved:
		v := counted(r.Tally)
		whole(r, v.Plain)
		return v
	case cleanup.RunFailed:
		if r.Tally.Candidates.Uploads > 0 {
			return counted(r.Tally)
		}
	}
	return telemetry.Values{}
}

// counted is what became of the candidates.
func counted(t cleanup.PassTally) telemetry.Values {
	v := telemetry.Values{Plain: map[telemetry.Name]float64{
		telemetry.Selected:  float64(t.Candidates.Uploads),
		telemetry.Published: float64(t.Published.Uploads),
		telemetry.Marked:    float64(t.Marked.Uploads),
		telemetry.Repaired:  float64(t.Repaired.Uploads),
		telemetry.Renewed:   float64(t.Kept.Uploads),
		telemetry.Stuck:     float64(t.Stuck.Uploads),
	}}
	for reason, a := range t.Skipped {
		v.Count(telemetry.Skipped, telemetry.ReasonOf(reason), float64(a.Uploads))
	}
	return v
}

// whole adds what only a pass that came to its end can tell.
func whole(r cleanup.Report, numbers map[telemetry.Name]float64) {
	numbers[telemetry.PassRan] = 1
	numbers[telemetry.PausedRuns] = 0
	if r.State == cleanup.RunPaused {
		numbers[telemetry.PausedRuns] = 1
	}
	numbers[telemetry.Unfinished] = float64(r.Unfinished)
	numbers[telemetry.GateRate] = float64(r.GateRate)
	census := r.CensusAt
	if census.IsZero() {
		census = time.Unix(0, 0) // no census is older than any
	}
	numbers[telemetry.CensusAge] = max(0, r.Started.Sub(census).Seconds())
	if r.Reason == cleanup.SkipReportOnly {
		return // a backlog is meant to grow there
	}
	numbers[telemetry.BacklogAge] = 0
	if !r.OldestDue.IsZero() {
		numbers[telemetry.BacklogAge] = max(0, r.Started.Sub(r.OldestDue).Seconds())
	}
}
