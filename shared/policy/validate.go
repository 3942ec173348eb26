package policy

import (
	"fmt"
	"time"
)

// floor is the least value of a duration, and why.
type floor struct {
	name  string
	value time.Duration
	least time.Duration
}

// maxSQSDelay is the longest visibility timeout SQS accepts
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html).
const maxSQSDelay = 12 * time.Hour

// Validate reports the first value below its floor, or the first pair of
// values that contradict each other, as one line that names the field.
func (p Policy) Validate() error {
	for _, f := range p.floors() {
		if f.value < f.least {
			return fmt.Errorf("policy %s is %v: the floor is %v", f.name, f.value, f.least)
		}
	}
	if err := p.checkCounts(); err != nil {
		return err
	}
	return p.checkRelations()
}

func (p Policy) floors() []floor {
	const (
		day      = 24 * time.Hour
		positive = time.Nanosecond
	)
	return []floor{
		{"SafetyMargin", p.SafetyMargin, time.Minute},
		{"ActivityGrace", p.ActivityGrace, time.Hour},
		{"SecondGrace", p.SecondGrace, time.Hour},
		{"ReleaseGrace", p.ReleaseGrace, time.Minute},
		{"StuckAfter", p.StuckAfter, time.Hour},
		{"MaxLease", p.MaxLease, time.Minute},
		{"OrphanGrace", p.OrphanGrace, day},
		{"QuarantineFor", p.QuarantineFor, day},
		{"MaxInventoryAge", p.MaxInventoryAge, positive},
		{"PassEvery", p.PassEvery, time.Minute},
		{"UploadDeadline", p.UploadDeadline, 5 * time.Minute},
		{"CensusMaxAge", p.CensusMaxAge, positive},
		{"WorkerTimeout", p.WorkerTimeout, time.Second},
		{"VisibilityTimeout", p.VisibilityTimeout, 6 * p.WorkerTimeout},
		{"ClaimLease", p.ClaimLease, 2 * p.WorkerTimeout},
		{"RepublishAfter", p.RepublishAfter, 2 * p.ClaimLease},
		{"MaxClockSkew", p.MaxClockSkew, positive},
		{"ClientTimeout", p.ClientTimeout, positive},
		{"URLLife", p.URLLife, positive},
		{"TombstoneTTL", p.TombstoneTTL, max(14*day, p.MaxInventoryAge+p.OrphanGrace)},
	}
}

func (p Policy) checkCounts() error {
	for _, c := range []struct {
		name         string
		value, least int64
		most         int64
	}{
		{"MaxOrphanPercent", int64(p.MaxOrphanPercent), 0, 100},
		{"MaxDeletePercent", int64(p.MaxDeletePercent), 0, 100},
		{"MaxDeleteCount", p.MaxDeleteCount, 0, 1 << 50},
		{"MaxPerPass", int64(p.MaxPerPass), 1, 100_000_000},
		{"DeleteRate", int64(p.DeleteRate), 1, 100_000},
		{"Burst", int64(p.Burst), 1, 1_000_000},
		{"MaxAttempts", int64(p.MaxAttempts), 3, 1_000},
		{"QueueHighWater", p.QueueHighWater, 1, 1 << 50},
	} {
		if c.value < c.least || c.value > c.most {
			return fmt.Errorf("policy %s is %d: it must be between %d and %d", c.name, c.value, c.least, c.most)
		}
	}
	return nil
}

func (p Policy) checkRelations() error {
	for _, r := range []struct {
		holds bool
		says  string
	}{
		{p.ClientTimeout <= p.UploadDeadline, "ClientTimeout must not exceed UploadDeadline"},
		{p.URLLife <= p.UploadDeadline, "URLLife must not exceed UploadDeadline"},
		{p.MaxLease < p.ActivityGrace, "MaxLease must be less than ActivityGrace"},
		{p.ClaimLease < 2*p.VisibilityTimeout, "ClaimLease must be less than twice VisibilityTimeout"},
		{p.VisibilityTimeout <= maxSQSDelay, "VisibilityTimeout must not exceed the 12h that SQS accepts"},
	} {
		if !r.holds {
			return fmt.Errorf("policy: %s", r.says)
		}
	}
	return nil
}

// Safe reports whether the delays that stand between an upload and its
// deletion are at or above their floors. The core asks it on every condemning
// event, so that a policy nobody validated, the zero value first of all,
// deletes nothing.
func (p Policy) Safe() bool {
	return p.SafetyMargin >= time.Minute &&
		p.ActivityGrace >= time.Hour &&
		p.SecondGrace >= time.Hour &&
		p.ReleaseGrace >= time.Minute &&
		p.ClaimLease > 0
}
