package policy

import (
	"fmt"
	"time"
)

// floor is the least value of a duration. says names what a floor that is not
// a constant is made of.
type floor struct {
	name  string
	value time.Duration
	least time.Duration
	says  string
}

// count is a number with the range that it may be in.
type count struct {
	name        string
	value       int64
	least, most int64
}

// longest bounds every duration, so that no sum or multiple of two overflows
// and passes for a small one.
const longest = 10 * 365 * 24 * time.Hour

// The most that a policy may ask of the gate, in object versions per second and
// at once.
const (
	MaxDeleteRate = 100_000
	MaxBurst      = 1_000_000
)

// The floors of what stands between an upload and its deletion; [Policy.Safe]
// asks for these, on every condemning event.
const (
	leastSafetyMargin  = time.Minute
	leastActivityGrace = time.Hour
	leastSecondGrace   = time.Hour
	leastReleaseGrace  = time.Minute
)

// maxSQSDelay is the longest visibility timeout SQS accepts
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html).
const maxSQSDelay = 12 * time.Hour

// Validate reports the first value below its floor, or the first pair of
// values that contradict each other, as one line that names the field and the
// variable that sets it.
func (p Policy) Validate() error {
	for _, f := range p.floors() {
		if f.value > longest {
			return fmt.Errorf("policy %s is %v: it must be at most %v", label(f.name), f.value, longest)
		}
	}
	for _, f := range p.floors() {
		if f.value < f.least {
			return fmt.Errorf("policy %s is %v: the floor is %s", label(f.name), f.value, f)
		}
	}
	for _, c := range p.counts() {
		if c.value < c.least || c.value > c.most {
			return fmt.Errorf("policy %s is %d: it must be between %d and %d", label(c.name), c.value, c.least, c.most)
		}
	}
	return p.checkRelations()
}

// LeastOrphanGrace is the floor of OrphanGrace, also where it is given without a
// policy: an upload may take a day.
const LeastOrphanGrace = 24 * time.Hour

func (p Policy) floors() []floor {
	const (
		day      = 24 * time.Hour
		positive = time.Nanosecond
	)
	return []floor{
		{"SafetyMargin", p.SafetyMargin, leastSafetyMargin, ""},
		{"ActivityGrace", p.ActivityGrace, leastActivityGrace, ""},
		{"SecondGrace", p.SecondGrace, leastSecondGrace, ""},
		{"ReleaseGrace", p.ReleaseGrace, leastReleaseGrace, ""},
		{"StuckAfter", p.StuckAfter, time.Hour, ""},
		{"MaxLease", p.MaxLease, time.Minute, ""},
		{"OrphanGrace", p.OrphanGrace, LeastOrphanGrace, ""},
		{"QuarantineFor", p.QuarantineFor, day, ""},
		{"MaxInventoryAge", p.MaxInventoryAge, positive, ""},
		{"PassEvery", p.PassEvery, time.Minute, ""},
		{"UploadDeadline", p.UploadDeadline, 5 * time.Minute, ""},
		{"CensusMaxAge", p.CensusMaxAge, positive, ""},
		{"WorkerTimeout", p.WorkerTimeout, time.Second, ""},
		{"VisibilityTimeout", p.VisibilityTimeout, 6 * p.WorkerTimeout, "6 × WorkerTimeout"},
		{"ClaimLease", p.ClaimLease, 2 * p.WorkerTimeout, "2 × WorkerTimeout"},
		{"RepublishAfter", p.RepublishAfter, 2 * p.ClaimLease, "2 × ClaimLease"},
		{"MaxClockSkew", p.MaxClockSkew, positive, ""},
		{"ClientTimeout", p.ClientTimeout, positive, ""},
		{"URLLife", p.URLLife, positive, ""},
		{"TombstoneTTL", p.TombstoneTTL, max(14*day, p.MaxInventoryAge+p.OrphanGrace), "MaxInventoryAge + OrphanGrace, and 14d"},
	}
}

// String is the floor, and what it is made of where that can change.
func (f floor) String() string {
	if f.says == "" {
		return f.least.String()
	}
	return fmt.Sprintf("%v (%s)", f.least, f.says)
}

func (p Policy) counts() []count {
	return []count{
		{"MaxOrphanPercent", int64(p.MaxOrphanPercent), 0, 100},
		{"MaxDeletePercent", int64(p.MaxDeletePercent), 0, 100},
		{"MaxDeleteCount", p.MaxDeleteCount, 0, 1 << 50},
		{"MaxPerPass", int64(p.MaxPerPass), 1, 100_000_000},
		{"DeleteRate", int64(p.DeleteRate), 1, MaxDeleteRate},
		{"Burst", int64(p.Burst), 1, MaxBurst},
		{"MaxAttempts", int64(p.MaxAttempts), 3, 1_000},
		{"QueueHighWater", p.QueueHighWater, 1, 1 << 50},
	}
}

func (p Policy) checkRelations() error {
	for _, r := range []struct {
		name  string
		value time.Duration
		holds bool
		says  string
		other time.Duration
	}{
		{"ClientTimeout", p.ClientTimeout, p.ClientTimeout <= p.UploadDeadline, "at most UploadDeadline", p.UploadDeadline},
		{"URLLife", p.URLLife, p.URLLife <= p.UploadDeadline, "at most UploadDeadline", p.UploadDeadline},
		{"MaxLease", p.MaxLease, p.MaxLease < p.ActivityGrace, "less than ActivityGrace", p.ActivityGrace},
		{"ClaimLease", p.ClaimLease, p.ClaimLease < 2*p.VisibilityTimeout, "less than 2 × VisibilityTimeout", 2 * p.VisibilityTimeout},
		{"MaxClockSkew", p.MaxClockSkew, p.MaxClockSkew <= p.SafetyMargin, "at most SafetyMargin", p.SafetyMargin},
		{"VisibilityTimeout", p.VisibilityTimeout, p.VisibilityTimeout <= maxSQSDelay, "at most what SQS accepts", maxSQSDelay},
	} {
		if !r.holds {
			return fmt.Errorf("policy %s is %v: it must be %s (%v)", label(r.name), r.value, r.says, r.other)
		}
	}
	return nil
}

// Safe reports whether the delays that stand between an upload and its
// deletion are at or above their floors. The core asks it on every condemning
// event, so that a policy nobody validated, the zero value first of all,
// deletes nothing.
func (p Policy) Safe() bool {
	return p.SafetyMargin >= leastSafetyMargin &&
		p.ActivityGrace >= leastActivityGrace &&
		p.SecondGrace >= leastSecondGrace &&
		p.ReleaseGrace >= leastReleaseGrace &&
		p.ClaimLease > 0
}
