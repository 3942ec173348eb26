package checkup

import (
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/gate"
)

// gate judges the switch. Report-only is how a new installation begins, and no
// finding; a pause is meant to end.
func (j *judge) gate() {
	o := j.on(CheckGate, "gate")
	if !seen(o, j.facts.Gate, "dynamodb:GetItem", "look at the table's name and region") {
		return
	}
	g := j.facts.Gate.Got
	switch {
	case g.Paused:
		o.wrong("strandline resume, once its reason is gone", "it is paused: nothing is deleted, and the backlog grows")
	case g.Mode != gate.Delete:
		o.note("report-only: nothing is deleted until strandline mode delete")
	case g.Rate <= 0 || g.Burst <= 0:
		o.wrong("strandline rate set, with a rate and a burst", "its mode is delete and its rate is %d (burst %d): workers get no slot", g.Rate, g.Burst)
	case g.Slowed(j.facts.Now):
		o.note("delete, slowed to %d of %d versions a second, as the store or the ledger asked; whole again about %s",
			g.RateAt(j.facts.Now), g.Rate, show.Moment(g.RecoversAt(), j.facts.Now))
	default:
		o.ok("delete, %d versions a second, bursts of %d", g.Rate, g.Burst)
	}
}

func (j *judge) census() {
	o := j.on(CheckCensus, "census")
	if !seen(o, j.facts.Census, "dynamodb:Query", "look at the table's name and region") {
		return
	}
	c := j.facts.Census.Got
	if stale := c.Stale(j.policy, j.facts.Now); stale != "" {
		o.wrong("strandline census recount; then see why its schedule does not (see the schedules check)", "%s", stale)
		return
	}
	o.ok("%s old, %s in %s", show.Duration(j.facts.Now.Sub(c.All.AsOf).Truncate(time.Minute)), show.Counted(c.All.Objects, "object"), show.Counted(int64(len(c.Buckets)), "bucket"))
}
