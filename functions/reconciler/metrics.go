package reconciler

import (
	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// measured is a comparison in numbers; nothing of one that was made before.
func measured(r reconcile.Report) telemetry.Values {
	if r.Repeated || r.Superseded {
		return telemetry.Values{}
	}
	numbers := map[telemetry.Name]float64{
		telemetry.Missing:      float64(r.Counts[reconcile.Missing].Count),
		telemetry.Changed:      float64(r.Counts[reconcile.Changed].Count),
		telemetry.Corrupt:      float64(r.Counts[reconcile.Corrupt].Count),
		telemetry.HoldsBlocked: 0,
	}
	if r.HoldsBlocked {
		numbers[telemetry.HoldsBlocked] = 1
	}
	return telemetry.Values{Plain: numbers}
}
