package relay

import (
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// Tally counts what became of a batch: the objects that were released, by kind,
// and the records and messages that come again.
type Tally struct {
	Adopted  int `json:"adopted"`
	Released int `json:"released"`
	Dropped  int `json:"dropped"`
	Skipped  int `json:"skipped"`
	Parked   int `json:"parked"`
	Failed   int `json:"failed"`
}

// measured is a batch in numbers. What has to come again counts when it does.
func measured(results []result) (telemetry.Values, Tally) {
	var t Tally
	v := telemetry.Values{}
	for _, r := range results {
		switch {
		case !r.done:
			t.Failed++
			continue
		case r.parked != "":
			t.Parked++
		}
		for _, o := range r.outcomes {
			switch o.Kind {
			case release.KindAdopted:
				t.Adopted++
			case release.KindReleased:
				t.Released++
			case release.KindDropped:
				t.Dropped++
			case release.KindSkipped:
				t.Skipped++
				v.Count(telemetry.SkippedReleases, telemetry.ReasonOf(o.Reason), 1)
			}
		}
	}
	v.Plain = map[telemetry.Name]float64{
		telemetry.Adopted:        float64(t.Adopted),
		telemetry.Released:       float64(t.Released),
		telemetry.DroppedRefs:    float64(t.Dropped),
		telemetry.ParkedReleases: float64(t.Parked),
		telemetry.FailedReleases: float64(t.Failed),
	}
	return v, t
}
