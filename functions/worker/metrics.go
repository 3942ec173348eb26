package worker

import (
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// measured is a batch in numbers.
func measured(outcomes []cleanup.Outcome, t cleanup.PurgeTally) telemetry.Values {
	numbers := map[telemetry.Name]float64{
		telemetry.Started: 0, telemetry.Unclear: 0, telemetry.FailedRemovals: 0, telemetry.Throttled: 0,
		telemetry.Deleted:        float64(t.Deleted.Uploads),
		telemetry.DeletedObjects: float64(t.Deleted.Objects),
		telemetry.DeletedBytes:   float64(t.Deleted.Bytes),
		telemetry.Retained:       float64(t.Retained.Uploads),
		telemetry.Retrying:       float64(t.Retrying.Uploads),
		telemetry.Parked:         float64(t.Parked.Uploads),
		telemetry.Rejected:       float64(t.Rejected.Uploads),
	}
	v := telemetry.Values{Plain: numbers}
	for _, o := range outcomes {
		switch o.Kind {
		case cleanup.KindRetrying, cleanup.KindFailed:
			numbers[telemetry.FailedRemovals]++
		case cleanup.KindThrottled:
			numbers[telemetry.Throttled]++
		case cleanup.KindSkipped:
			v.Count(telemetry.SkippedMessages, telemetry.ReasonOf(o.Reason), 1)
		}
		if o.Started {
			numbers[telemetry.Started]++
		}
		if o.Unclear {
			numbers[telemetry.Unclear]++
		}
	}
	return v
}
