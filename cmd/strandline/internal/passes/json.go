package passes

import (
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
)

// previewPage is a preview for programs. What is unknown is absent.
type previewPage struct {
	At     time.Time        `json:"at"`
	Would  cleanup.RunState `json:"would"`
	Reason string           `json:"reason,omitempty"`
	Notes  []string         `json:"notes,omitempty"`
	Gate   gatePage         `json:"gate"`
	Census *censusPage      `json:"census,omitempty"`
	// Running is the run that keeps another from beginning.
	Running *runningPage `json:"running,omitempty"`
	Queued  *int64       `json:"queued,omitempty"`
	// Policy says what the policy here was compared with.
	Policy likeness `json:"policy"`
	*planPage
	More       bool  `json:"more,omitempty"`
	Unfinished int64 `json:"unfinished,omitempty"`
}

type gatePage struct {
	Mode   gate.Mode `json:"mode"`
	Paused bool      `json:"paused"`
}

type censusPage struct {
	AsOf    time.Time `json:"as_of"`
	Objects int64     `json:"objects"`
	Bytes   int64     `json:"bytes"`
}

type runningPage struct {
	Run   string    `json:"run"`
	Until time.Time `json:"until"`
}

// planPage is a plan for programs.
type planPage struct {
	Cutoff     time.Time               `json:"cutoff"`
	OldestDue  time.Time               `json:"oldest_due,omitzero"`
	Candidates cleanup.Amount          `json:"candidates"`
	Actions    []actionLine            `json:"actions"`
	Tenants    []tenantLine            `json:"tenants"`
	Buckets    []cleanup.BucketVerdict `json:"buckets"`
	// Shares divide the plan by action, reason, tenant and bucket at once.
	Shares []cleanup.Share `json:"shares"`
}

func planPageOf(p *cleanup.Plan, buckets []cleanup.BucketVerdict) *planPage {
	shares, stats := p.Shares(), p.Stats()
	return &planPage{
		Cutoff: p.Cutoff(), OldestDue: stats.OldestDue, Candidates: stats.Candidates,
		Actions: byAction(shares), Tenants: byTenant(shares), Buckets: buckets, Shares: shares,
	}
}

func pageOf(v cleanup.Preview, like likeness) previewPage {
	page := previewPage{
		At: v.At, Would: v.Would, Reason: v.Reason, Notes: v.Notes,
		Gate: gatePage{v.Gate.Mode, v.Gate.Paused}, Policy: like,
	}
	if v.Queued >= 0 {
		page.Queued = &v.Queued
	}
	if all := v.Census.All; !all.AsOf.IsZero() {
		page.Census = &censusPage{all.AsOf, all.Objects, all.Bytes}
	}
	if v.Busy.Run != "" {
		page.Running = &runningPage{v.Busy.Run, v.Busy.Until}
	}
	if v.Plan != nil {
		page.planPage = planPageOf(v.Plan, v.Buckets)
		page.More, page.Unfinished = v.Stats.More, v.Stats.Unfinished
	}
	return page
}
