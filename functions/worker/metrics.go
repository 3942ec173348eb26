package worker

import (
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// measured is a batch in numbers: what did not go as it should.
func measured(outcomes []cleanup.Outcome) map[telemetry.Name]float64 {
	numbers := map[telemetry.Name]float64{
		telemetry.FailedRemovals: 0, telemetry.Parked: 0, telemetry.Rejected: 0, telemetry.Throttled: 0,
	}
	for _, o := range outcomes {
		switch o.Kind {
		case cleanup.KindRetrying, cleanup.KindFailed:
			numbers[telemetry.FailedRemovals]++
		case cleanup.KindParked:
			numbers[telemetry.Parked]++
		case cleanup.KindRejected:
			numbers[telemetry.Rejected]++
		case cleanup.KindThrottled:
			numbers[telemetry.Throttled]++
		}
	}
	return numbers
}
