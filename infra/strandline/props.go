//go:build infra

package strandline

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"

	"github.com/strandline-dev/strandline/shared/policy"
)

// Props say what to deploy. Buckets and Code are needed; every other zero value
// is a choice that docs/deploy.md explains.
type Props struct {
	// Prefix begins the names of table, queues, functions and schedules; of two
	// installations in one account and Region each needs its own. "strandline".
	Prefix string
	// Buckets are where uploads go, all in the stack's Region.
	Buckets []Bucket
	// Inventory says where S3 Inventory delivers to.
	Inventory Inventory
	// Sources are what refers to objects outside the ledger: tables of
	// applications, and outboxes. Without any there is no relay.
	Sources []Source
	// NoStorageEvents leaves out what tells the recorder of stored objects, for
	// installations without presigned URLs: S3's events are paid for one by one.
	NoStorageEvents bool
	// Origins are where pages come from whose browsers put into new buckets by
	// presigned URLs, such as https://app.example.com. Rules of buckets that
	// exist are their owner's.
	Origins []string
	// Policy is every delay and limit; nil is [DefaultPolicy].
	Policy *policy.Policy

	// Passes are the schedules of the cleanup, one or more; by default one that
	// fires every Policy.PassEvery.
	Passes []Schedule
	// Census, Reconcile and Sweep are schedule expressions, daily by default.
	Census, Reconcile, Sweep string
	// Flexible is the window within which a schedule may fire, 1 to 1440 minutes;
	// 5 minutes.
	Flexible time.Duration
	// PassOverdue is after how long without a finished pass the alarm rings; the
	// later of 1 h and 4 × Policy.PassEvery.
	PassOverdue time.Duration

	// Mail gets the alarms, once it has confirmed the subscription. Topic is one
	// of your own instead.
	Mail  string
	Topic awssns.ITopic

	// Code is the folder with one folder for each function and its bootstrap in
	// it, as [Build] writes it.
	Code string
	// Architecture is what Code was built for: [ARM64] (the default) or [X8664].
	Architecture string
	// Workers is how many workers may run at once, 2 to 1000; 5. Batch is how
	// many messages one of them takes, 1 to 10000, and Window how long it waits
	// for that many, at most 5 minutes; 100 and 5 s.
	Workers int
	Batch   int
	Window  time.Duration
	// ReconcilerMemory is in MB, 1769 (one processor) to 10240; 3538 (two).
	// ReconcilerDisk is in MB, 512 to 10240; 10240.
	ReconcilerMemory int
	ReconcilerDisk   int
	// Environment has variables for all functions beside their own, such as
	// AWS_USE_FIPS_ENDPOINT or STRANDLINE_LOG_LEVEL.
	Environment map[string]string

	// Key encrypts table, queues, new buckets and inventories, and not the logs:
	// they hold no names of objects. Nil for keys that AWS owns.
	Key awskms.IKey
	// LogDays is how long logs are kept, of the values CloudWatch takes; 90.
	LogDays int
	// AuditDays is how long the audit trail is kept, of the same values; 731.
	AuditDays int
	// NoncurrentDays is when the lifecycle rule of new buckets clears versions
	// that are not current any more: later than every grace. 90; -1 for never.
	NoncurrentDays int
}

// Bucket is one bucket of uploads.
type Bucket struct {
	// Name is the bucket's full name.
	Name string
	// New has the stack create it. Otherwise it exists, in this Region, with
	// versioning enabled and without MFA delete.
	New bool
	// Construct is a bucket of your own app instead of Name; it must be
	// versioned.
	Construct awss3.IBucket
	// Prefix narrows the functions' rights to keys that begin with it; empty for
	// the whole bucket. It is what your application gives shared/intake; nothing
	// that the ledger owns may lie elsewhere in the bucket, and its inventory must
	// list the same prefix only.
	Prefix string
	// ObjectLock creates a new bucket with object lock enabled.
	ObjectLock bool
}

// Inventory says where S3 Inventory delivers to. The zero value has the stack
// create a bucket of its own.
type Inventory struct {
	// Bucket is one that exists, by name. Account is its owner's, if another:
	// then no event of it arrives here, and the schedule alone starts a
	// reconciliation.
	Bucket  string
	Account string
	// Prefix is the destination prefix of the inventories; "inventory".
	Prefix string
	// Config is the id of the configuration whose inventories are compared;
	// "strandline". Others may list a part of a bucket, and do not say so.
	Config string
}

// Schedule is one schedule of the cleanup.
type Schedule struct {
	// Name is part of every run's id: 1 to 32 letters, digits, "." "_" or "-".
	Name string
	// Expression is EventBridge Scheduler's: rate(15 minutes), cron(0/15 1-5 * * ? *).
	Expression string
	// Zone is the expression's time zone; UTC.
	Zone string
}

// The architectures that Lambda runs.
const (
	ARM64 = "arm64"
	X8664 = "x86_64"
)

// DefaultPolicy is the policy of a new installation. The queue hides a batch
// for six times the worker's timeout and the window in which it is gathered.
func DefaultPolicy() policy.Policy {
	p := policy.Default()
	p.VisibilityTimeout = 15 * time.Minute
	return p
}

// withDefaults fills in what was left zero.
func (p Props) withDefaults() Props {
	def(&p.Prefix, "strandline")
	def(&p.Architecture, ARM64)
	if p.Policy == nil {
		own := DefaultPolicy()
		p.Policy = &own
	}
	def(&p.Workers, 5)
	if p.Batch == 0 {
		p.Batch = 100
		def(&p.Window, 5*time.Second)
	}
	def(&p.Flexible, 5*time.Minute)
	def(&p.PassOverdue, max(time.Hour, 4*p.Policy.PassEvery))
	def(&p.Census, "rate(1 day)")
	def(&p.Reconcile, "rate(1 day)")
	def(&p.Sweep, "rate(1 day)")
	if p.Passes == nil {
		p.Passes = []Schedule{{Name: "pass", Expression: rate(p.Policy.PassEvery)}}
	}
	def(&p.ReconcilerMemory, 3538)
	def(&p.ReconcilerDisk, 10240)
	def(&p.LogDays, 90)
	def(&p.AuditDays, 731)
	def(&p.NoncurrentDays, 90)
	def(&p.Inventory.Prefix, "inventory")
	def(&p.Inventory.Config, "strandline")
	return p
}

func def[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
