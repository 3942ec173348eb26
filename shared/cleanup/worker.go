package cleanup

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Records is the worker's view of the ledger. Reads are consistent; a record
// that does not exist is the zero Record. LoadMany answers in the order of the
// ids, or with an error.
type Records interface {
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error)
	Commit(ctx context.Context, change upload.Change) error
}

// Store holds the objects. Delete takes at most [objects.MaxPerDelete] versions
// of one bucket and answers for each, in order; CheckBucket is ErrRefused for a
// bucket in which a version id does not mean what it must.
type Store interface {
	Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error]
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
	CheckBucket(ctx context.Context, bucket string) error
}

// Parts holds unfinished multipart uploads. Aborting an absent one succeeds.
type Parts interface {
	Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error]
	Abort(ctx context.Context, bucket, key, uploadID string) error
}

// Gate gives the slots. Read is only asked for the burst, and to leave early
// while it is closed; what protects is Reserve. Throttled lowers the rate for
// everybody, and returns the state as it is then.
type Gate interface {
	Read(ctx context.Context) (gate.State, error)
	Reserve(ctx context.Context, slots int) (gate.Grant, error)
	Throttled(ctx context.Context) (gate.State, error)
}

// Receipts is what the worker does with a message that it does not acknowledge.
type Receipts interface {
	Hide(ctx context.Context, receipt string, d time.Duration) error
	DeadLetter(ctx context.Context, message command.Received, reason string) error
}

// Worker carries out the pass's commands: the protocol's §5. Every field but
// Uses and Audit is required. A Worker may be used for one batch after another,
// and for several at once; it remembers which buckets it has checked, and keeps
// the slots that a batch did not use for those that begin soon after.
type Worker struct {
	Records Records
	Store   Store
	Parts   Parts
	Gate    Gate
	Queue   Receipts
	// Uses is asked before a claim whether rows of applications still refer to
	// what would be deleted; nil where there are no sources to ask.
	Uses   Uses
	Policy policy.Policy
	// Name is the holder that its claims show.
	Name string
	Now  func() time.Time
	// Sleep waits that long, or until the context is done (its error then).
	Sleep func(ctx context.Context, d time.Duration) error
	// NewToken returns a random token that was never returned before.
	NewToken func() string
	// Concurrency is how many uploads are claimed, looked up and finished at
	// once, and, up to eight, how many groups of them are on their way. It is
	// not the rate; that is the gate's.
	Concurrency int
	// DeadlineMargin is how long before the invocation's deadline nothing is
	// claimed any more. In the last half of it nothing is deleted either.
	DeadlineMargin time.Duration
	Log            *slog.Logger
	// Audit takes a line for each decision that changed something; nil for none.
	Audit audit.To

	buckets bucketChecks
	spare   spareSlots
}

// MinDeadlineMargin is the least DeadlineMargin: a delete call that began just
// before it, and the write that closes it, must fit.
const MinDeadlineMargin = 2 * time.Second

// Validate reports the first field that is missing or cannot be.
func (w *Worker) Validate() error {
	err := missing("worker",
		required{w.Records != nil, "Records"}, required{w.Store != nil, "Store"}, required{w.Parts != nil, "Parts"},
		required{w.Gate != nil, "Gate"}, required{w.Queue != nil, "Queue"}, required{w.Name != "", "Name"},
		required{w.Now != nil, "Now"}, required{w.Sleep != nil, "Sleep"}, required{w.NewToken != nil, "NewToken"},
		required{w.Log != nil, "Log"}, required{w.Concurrency > 0, "Concurrency"})
	if err != nil {
		return err
	}
	if w.DeadlineMargin < MinDeadlineMargin || w.DeadlineMargin > w.Policy.WorkerTimeout/2 {
		return errors.New("worker DeadlineMargin must lie between 2s and half of the policy's WorkerTimeout")
	}
	return w.Policy.Validate()
}
