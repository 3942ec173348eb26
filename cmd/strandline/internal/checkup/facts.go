package checkup

import (
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/policy"
)

// Facts are what was seen of an installation.
type Facts struct {
	Region string
	// Prefix begins the names of functions and schedules.
	Prefix string
	// Policy is what this command was told.
	Policy policy.Policy

	Caller      Look[Caller]
	Services    []Service
	Table       Look[Table]
	Gate        Look[gate.State]
	Census      Look[cleanup.Counted]
	Queue       Look[Queue]
	DeadLetters Look[Queue]
	// Stored is where notices of stored objects come, Releases what outboxes
	// send, ReleasesDead what of that, and of streams, was not read.
	Stored, Releases, ReleasesDead Look[Queue]
	// Tables are the applications' tables among the sources.
	Tables    []SourceTable
	Buckets   []Bucket
	Functions []Function
	Schedules []Schedule
	// Asked is what somebody may do, right by right.
	Asked []Asked
	// Now is the machine's clock when everything had been looked at.
	Now time.Time
}

// Look is one look at something. The zero Look was never made.
type Look[T any] struct {
	Got T
	// Seen: Got is what is there. Otherwise Failed says why not.
	Seen   bool
	Failed Failure
}

// Saw is a look that succeeded.
func Saw[T any](got T) Look[T] { return Look[T]{Got: got, Seen: true} }

// Failure is why a look, or a trial, saw nothing. Says is one line without
// names of objects.
type Failure struct {
	Kind FailureKind
	Says string
}

// FailureKind is what a person can do about a failure.
type FailureKind string

// The kinds of failure; the zero kind is a look that nobody made.
const (
	NotGiven FailureKind = "not given" // the command was not told where it is
	Denied   FailureKind = "denied"
	Absent   FailureKind = "absent"
	Silent   FailureKind = "silent" // no answer came
	Other    FailureKind = "other"
)

// Caller is who runs the command.
type Caller struct{ ARN string }

// Service is one of the cloud's services, at the endpoint that the command
// uses.
type Service struct {
	Name     string
	Answered bool
	// Date is the service's clock by its answer, Heard the machine's when it
	// came. Zero if the answers had none.
	Date, Heard time.Time
	// Says is why it did not answer.
	Says string
}

// Table is the ledger's table.
type Table struct {
	Name, ARN, Status string
	// Key and Index are written as "pk and sk".
	Key, Index string
	// IndexStatus is empty where there is no index of its name; Projection is
	// what it carries.
	IndexStatus, Projection string
	Stream                  string // the view type, empty for none
	Protected               bool   // from deletion
	// CustomerKey is the ARN of the key that encrypts it, empty for one that AWS
	// owns. The deployment gives queues and buckets the same.
	CustomerKey string
	PointInTime Look[bool]
	// TimeToLive is the attribute's name, empty where it is off.
	TimeToLive Look[string]
}

// Queue is one of the queues.
type Queue struct {
	Name, ARN             string
	Visibility, Retention time.Duration
	// Redrive is the ARN of its dead letters' queue, empty for none; Receives
	// after how many a message goes there.
	Redrive  string
	Receives int
	// Depth counts what waits, what is being worked on, and what is delayed.
	Depth int64
}

// SourceTable is an application's table, whose stream is read.
type SourceTable struct {
	Name string
	Look Look[TableARNs]
}

// TableARNs of a table; Stream is empty where it is off.
type TableARNs struct{ Table, Stream string }

// Bucket is one bucket that uploads go to.
type Bucket struct {
	// Name, and the prefix that the installation's keys begin with.
	Name, Prefix string
	Versioning   Look[Versioning]
	Lock         Look[Lock]
	Rules        Look[[]Rule]
}

// Versioning of a bucket.
type Versioning struct {
	Status    string // Enabled, Suspended, or empty for never
	MFADelete bool
	Region    string // empty where the answer did not say
}

// Lock is a bucket's object lock.
type Lock struct {
	Enabled bool
	// Mode and Retention are what every new version gets; zero for nothing.
	Mode      string
	Retention time.Duration
}

// Rule is a lifecycle rule of a bucket.
type Rule struct {
	ID, Prefix string
	Enabled    bool
	// Narrowed: by tags or sizes, beside the prefix.
	Narrowed bool
	// CurrentDays after its creation, or on a date, a current version is hidden
	// by a delete marker. Zero days and OnDate false for never.
	CurrentDays int
	OnDate      bool
	// NoncurrentDays after it was hidden or replaced, a version is deleted.
	NoncurrentDays int
	// AbortDays after it began, an unfinished multipart upload is aborted.
	AbortDays int
}

// Function is one of the installation's functions.
type Function struct {
	Name string // one of [FunctionNames]
	Look Look[Deployed]
}

// Deployed is a function as it is deployed.
type Deployed struct {
	ARN, Role, State string
	Timeout          time.Duration
	// Variables are those that begin with STRANDLINE_.
	Variables map[string]string
	// LogGroup and DeadLetters (an ARN) may be empty.
	LogGroup, DeadLetters string
}

// Schedule is one of EventBridge Scheduler's.
type Schedule struct {
	Name string
	// Task is what it is to trigger.
	Task string
	Look Look[Timer]
}

// Timer is a schedule as it is deployed.
type Timer struct {
	Enabled    bool
	Expression string
	Target     string // an ARN
	Input      string
	// DeadLetters says whether what it cannot deliver is kept.
	DeadLetters bool
	Ends        time.Time // zero for never
}
