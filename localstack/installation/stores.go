package installation

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/deadletter"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/source/rows"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Stores are the four stores of an installation, as its adapters give them, and
// the rows of its sources. Tests and the demo put scripted faults in front.
type Stores struct {
	Ledger  Ledger
	Objects Objects
	Gate    Gate
	Queue   Queue
	Rows    rows.Tables
	// Releases is where outboxes send to, ReleasesDead what the relay has parked.
	Releases     Releases
	ReleasesDead deadletter.Letters
}

// Ledger is what both ledger adapters are.
type Ledger interface {
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	References(ctx context.Context, id upload.ID) iter.Seq2[ledger.ReferenceUse, error]
	LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error)
	Commit(ctx context.Context, change upload.Change) error
	Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error)
	Reference(ctx context.Context, id upload.ID, ref upload.Reference) (ledger.ReferenceState, error)
	KeyUse(ctx context.Context, tenant, owner, key string) (ledger.KeyUse, error)
	QuotaUsed(ctx context.Context, tenant, owner string) (int64, error)
	Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error]
	Owned(ctx context.Context, segment, segments int) iter.Seq2[upload.Record, error]
	Get(ctx context.Context, collection, id string) (ledger.Document, error)
	Put(ctx context.Context, doc ledger.Document) error
	List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error]
}

// Objects is what both object-store adapters are.
type Objects interface {
	Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error]
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
	Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error]
	Abort(ctx context.Context, bucket, key, uploadID string) error
	CheckBucket(ctx context.Context, bucket string) error
	Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error)
	PresignPut(ctx context.Context, bucket, key string, c objects.Content, life time.Duration) (objects.Presigned, error)
	Open(ctx context.Context, bucket, key, versionID string) (io.ReadCloser, error)
	objects.PartStore
}

// Gate is what both gate adapters are.
type Gate interface {
	Read(ctx context.Context) (gate.State, error)
	Reserve(ctx context.Context, slots int) (gate.Grant, error)
	Throttled(ctx context.Context) (gate.State, error)
	SetMode(ctx context.Context, mode gate.Mode) error
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	SetRate(ctx context.Context, rate, burst int) error
}

// Queue is what both queue adapters are.
type Queue interface {
	Send(ctx context.Context, commands []upload.Command) (accepted []bool, err error)
	Depth(ctx context.Context) (int64, error)
	Receive(ctx context.Context, most int, wait time.Duration) ([]command.Received, error)
	Acknowledge(ctx context.Context, receipt string) error
	Hide(ctx context.Context, receipt string, d time.Duration) error
	DeadLetter(ctx context.Context, m command.Received, reason string) error
}

// shifted shows a clock's world the store's time as that clock would see it:
// who moves his own clock moves the Date he is shown by as much, and the check
// of the two still runs.
type shifted struct {
	Gate
	clock *Clock
}

func (s shifted) Read(ctx context.Context) (gate.State, error) {
	state, err := s.Gate.Read(ctx)
	if !state.ServerTime.IsZero() {
		state.ServerTime = state.ServerTime.Add(s.clock.Offset())
	}
	return state, err
}
