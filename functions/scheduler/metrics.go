package scheduler

import (
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// measured is a pass in numbers. A pass that did not come to its end counts as
// none: that is what its alarm is about.
func measured(r cleanup.Report) map[telemetry.Name]float64 {
	numbers := map[telemetry.Name]float64{}
	switch r.State {
	case cleanup.RunDone, cleanup.RunReported, cleanup.RunPaused, cleanup.RunApproved:
		numbers[telemetry.PassRan] = 1
	default:
		return numbers
	}
	numbers[telemetry.PausedRuns] = 0
	if r.State == cleanup.RunPaused {
		numbers[telemetry.PausedRuns] = 1
	}
	numbers[telemetry.Stuck] = float64(r.Tally.Stuck.Uploads)
	numbers[telemetry.Unfinished] = float64(r.Unfinished)
	if r.Reason == cleanup.SkipReportOnly {
		return numbers // a backlog is meant to grow there
	}
	numbers[telemetry.BacklogAge] = 0
	if !r.OldestDue.IsZero() {
		numbers[telemetry.BacklogAge] = max(0, r.Started.Sub(r.OldestDue).Seconds())
	}
	return numbers
}
