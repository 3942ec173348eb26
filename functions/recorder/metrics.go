package recorder

import (
	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// measured is a batch in numbers.
func measured(t confirm.Tally) telemetry.Values {
	v := telemetry.Values{Plain: map[telemetry.Name]float64{
		telemetry.Recorded:     float64(t.Recorded),
		telemetry.Confirmed:    float64(t.Completed),
		telemetry.Mismatched:   float64(t.Cancelled),
		telemetry.FailedEvents: float64(t.Failed),
	}}
	for reason, n := range t.Skipped {
		v.Count(telemetry.SkippedEvents, telemetry.ReasonOf(reason), float64(n))
	}
	return v
}
