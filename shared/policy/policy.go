package policy

import "time"

// Policy is the table of the protocol's §8. Durations are wall-clock; counts
// are object versions unless the name says otherwise. Every field can be set
// by the environment variable that its tag names, with the prefix STRANDLINE_.
type Policy struct {
	// SafetyMargin is subtracted from a pass's start to give its cutoff: the
	// index lags and clocks differ.
	SafetyMargin time.Duration `env:"SAFETY_MARGIN"`
	// ActivityGrace is how long after its writer's last activity an upload is
	// left alone: a slow upload is not a dead one.
	ActivityGrace time.Duration `env:"ACTIVITY_GRACE"`
	// SecondGrace is the least time between the mark and the claim, so that
	// late activity is seen between the passes.
	SecondGrace time.Duration `env:"SECOND_GRACE"`
	// ReleaseGrace is the least time between a release and the claim: a row
	// that is deleted and created again keeps its object.
	ReleaseGrace time.Duration `env:"RELEASE_GRACE"`
	// StuckAfter is how long an upload may be assembling before it is flagged.
	StuckAfter time.Duration `env:"STUCK_AFTER"`
	// MaxLease bounds a writer's lease: a dead writer lets go.
	MaxLease time.Duration `env:"MAX_LEASE"`
	// OrphanGrace is how much older than both lists an unowned version must be
	// before it is called an orphan.
	OrphanGrace time.Duration `env:"ORPHAN_GRACE"`
	// MaxOrphanPercent of orphans is where holds are blocked: a broken list of
	// keys looks like many orphans.
	MaxOrphanPercent int `env:"MAX_ORPHAN_PERCENT"`
	// QuarantineFor is how long an approved orphan waits: people notice late.
	QuarantineFor time.Duration `env:"QUARANTINE_FOR"`
	// MaxInventoryAge is the oldest inventory that is believed.
	MaxInventoryAge time.Duration `env:"MAX_INVENTORY_AGE"`
	// MaxDeletePercent of the census, or MaxDeleteCount if that is more, may be
	// published in 24 hours without a person's approval.
	MaxDeletePercent int   `env:"MAX_DELETE_PERCENT"`
	MaxDeleteCount   int64 `env:"MAX_DELETE_COUNT"`
	// MaxPerPass bounds the candidates of one pass, in uploads, split evenly
	// over the index shards.
	MaxPerPass int `env:"MAX_PER_PASS"`
	// PassEvery is the schedule's period; a stuck upload is flagged as often.
	PassEvery time.Duration `env:"PASS_EVERY"`
	// DeleteRate is the shared rate of all workers in object versions per
	// second, Burst how many may start at once.
	DeleteRate int `env:"DELETE_RATE"`
	Burst      int `env:"BURST"`
	// UploadDeadline is the longest a transfer may take, set per reservation.
	UploadDeadline time.Duration `env:"UPLOAD_DEADLINE"`
	// CensusMaxAge is the oldest census that MaxDeletePercent is taken of.
	CensusMaxAge time.Duration `env:"CENSUS_MAX_AGE"`
	// ClaimLease is how long a worker holds a claim: recovery after its death.
	ClaimLease time.Duration `env:"CLAIM_LEASE"`
	// MaxAttempts is how often a purge is tried before it is parked.
	MaxAttempts int `env:"MAX_ATTEMPTS"`
	// RepublishAfter is how long after a candidate was published it may be
	// published again: lost messages come back.
	RepublishAfter time.Duration `env:"REPUBLISH_AFTER"`
	// QueueHighWater is the number of queued messages above which a pass stops
	// publishing.
	QueueHighWater int64 `env:"QUEUE_HIGH_WATER"`
	// MaxClockSkew is the difference to the stores' clock above which a pass
	// refuses to judge time.
	MaxClockSkew time.Duration `env:"MAX_CLOCK_SKEW"`
	// TombstoneTTL is how long a deleted upload's record stays, so that late
	// messages and inventories still find it.
	TombstoneTTL time.Duration `env:"TOMBSTONE_TTL"`

	// WorkerTimeout is the worker function's own timeout, and
	// VisibilityTimeout the queue's: what the relations are checked against.
	WorkerTimeout     time.Duration `env:"WORKER_TIMEOUT"`
	VisibilityTimeout time.Duration `env:"VISIBILITY_TIMEOUT"`
	// ClientTimeout bounds one put of an application, URLLife a presigned URL.
	ClientTimeout time.Duration `env:"CLIENT_TIMEOUT"`
	URLLife       time.Duration `env:"URL_LIFE"`
	// DeleteNullVersions allows versions called "null" to be deleted where
	// versioning is enabled. They were written while it was not, so their id
	// does not identify them; kept unless allowed.
	DeleteNullVersions bool `env:"DELETE_NULL_VERSIONS"`
}

// Default returns the values of a new installation.
func Default() Policy {
	const day = 24 * time.Hour
	return Policy{
		SafetyMargin:      5 * time.Minute,
		ActivityGrace:     day,
		SecondGrace:       day,
		ReleaseGrace:      15 * time.Minute,
		StuckAfter:        day,
		MaxLease:          15 * time.Minute,
		OrphanGrace:       7 * day,
		MaxOrphanPercent:  25,
		QuarantineFor:     14 * day,
		MaxInventoryAge:   4 * day,
		MaxDeletePercent:  5,
		MaxDeleteCount:    100,
		MaxPerPass:        250_000,
		PassEvery:         15 * time.Minute,
		DeleteRate:        500,
		Burst:             1_500,
		UploadDeadline:    6 * time.Hour,
		CensusMaxAge:      26 * time.Hour,
		ClaimLease:        15 * time.Minute,
		MaxAttempts:       8,
		RepublishAfter:    6 * time.Hour,
		QueueHighWater:    100_000,
		MaxClockSkew:      5 * time.Minute,
		TombstoneTTL:      30 * day,
		WorkerTimeout:     2 * time.Minute,
		VisibilityTimeout: 12 * time.Minute,
		ClientTimeout:     15 * time.Minute,
		URLLife:           time.Hour,
	}
}
