package schema

import (
	"fmt"
	"regexp"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// The ledger table's attributes that DynamoDB itself must know.
const (
	PartitionKey = "pk" // string
	SortKey      = "sk" // string

	// DueIndex is sparse: only items with both of its attributes are in it.
	DueIndex = "due"
	DueShard = "due_shard" // string, "00" to "15"
	DueAt    = "due_at"    // string, ascending by instant

	// TTL holds epoch seconds, on what may be forgotten.
	TTL = "ttl"
)

// Settings of the queues.
const (
	// MessageRetention is the longest SQS keeps a message: a schedule or a
	// worker that rests for days finds its commands again.
	MessageRetention = 14 * 24 * time.Hour
	// MaxReceives is a backstop only: throttles and waits are receives too, and
	// the ledger counts the attempts.
	MaxReceives = 1_000
	// RecorderTimeout is how long the recorder may read what it has to hash
	// itself. A notice of a stored object that it could not deal with comes back
	// after six times that, StoredReceives times: for longer than any default
	// deadline of an upload, after which the notice is of no use.
	RecorderTimeout = 5 * time.Minute
	StoredReceives  = 50
)

// Table describes the ledger's table: on demand, with point-in-time recovery
// and a stream of new and old images.
type Table struct {
	Name               string
	PointInTime        bool
	Stream             string // the stream's view type
	DeletionProtection bool
}

// Queue describes one queue. DeadLetter names the queue that takes a message
// after MaxReceives; empty for the dead-letter queue itself.
type Queue struct {
	Name        string
	Visibility  time.Duration
	Retention   time.Duration
	MaxReceives int
	DeadLetter  string
}

// Bucket describes one bucket. Versioning is always on: only an exact version
// is ever deleted. ObjectLock creates it with object lock enabled, which can
// only be done at creation; what a lock or a legal hold keeps is retained.
type Bucket struct {
	Name       string
	ObjectLock bool
}

// Installation is everything one installation has, under names that begin with
// its prefix.
type Installation struct {
	Prefix     string
	Ledger     Table
	Purge      Queue
	DeadLetter Queue
	// Events takes what a schedule or a rule could not deliver to a function, and
	// what a function failed on to the end.
	Events Queue
	// Stored takes the notices of objects that were stored, for the recorder.
	Stored Queue
	// Releases takes what outboxes release, for the relay; ReleasesDead what it
	// could not read, of tables too, with its reason and source.
	Releases     Queue
	ReleasesDead Queue
	Buckets      []Bucket
}

// Queues are all of them, each after the one that takes its dead letters.
func (in Installation) Queues() []Queue {
	return []Queue{in.DeadLetter, in.Events, in.ReleasesDead, in.Purge, in.Stored, in.Releases}
}

// maxPrefix leaves room for the longest suffix in a bucket's 63 characters.
const maxPrefix = 40

var (
	prefixes = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	buckets  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// New describes an installation: <prefix>-ledger, <prefix>-purge,
// <prefix>-purge-dead, <prefix>-events-dead, <prefix>-stored, <prefix>-releases,
// <prefix>-releases-dead, and one bucket <prefix>-<name> for each name. It
// refuses names that a service would not take, and a policy that does not
// validate: the queue's visibility timeout must be at least six times the
// worker's own, which is the relay's too.
func New(prefix string, p policy.Policy, names ...string) (Installation, error) {
	if !prefixes.MatchString(prefix) || len(prefix) > maxPrefix {
		return Installation{}, fmt.Errorf(
			"installation prefix is %q: expected at most %d lower-case letters, digits and single hyphens, a letter first",
			prefix, maxPrefix)
	}
	if err := p.Validate(); err != nil {
		return Installation{}, fmt.Errorf("describe installation %s: %w", prefix, err)
	}
	in := Installation{
		Prefix: prefix,
		Ledger: Table{Name: prefix + "-ledger", PointInTime: true, Stream: "NEW_AND_OLD_IMAGES"},
		Purge: Queue{
			Name: prefix + "-purge", Visibility: p.VisibilityTimeout, Retention: MessageRetention,
			MaxReceives: MaxReceives, DeadLetter: prefix + "-purge-dead",
		},
		DeadLetter: Queue{Name: prefix + "-purge-dead", Visibility: p.VisibilityTimeout, Retention: MessageRetention},
		Events:     Queue{Name: prefix + "-events-dead", Visibility: p.VisibilityTimeout, Retention: MessageRetention},
		Stored: Queue{
			Name: prefix + "-stored", Visibility: 6 * RecorderTimeout, Retention: MessageRetention,
			MaxReceives: StoredReceives, DeadLetter: prefix + "-events-dead",
		},
		Releases: Queue{
			Name: prefix + "-releases", Visibility: p.VisibilityTimeout, Retention: MessageRetention,
			MaxReceives: MaxReceives, DeadLetter: prefix + "-releases-dead",
		},
		ReleasesDead: Queue{Name: prefix + "-releases-dead", Visibility: p.VisibilityTimeout, Retention: MessageRetention},
	}
	for _, name := range names {
		full := prefix + "-" + name
		if !buckets.MatchString(name) || len(full) > 63 {
			return Installation{}, fmt.Errorf(
				"bucket name is %q: expected lower-case letters, digits and single hyphens, at most 63 with the prefix", name)
		}
		in.Buckets = append(in.Buckets, Bucket{Name: full})
	}
	return in, nil
}
