package reconcile

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/manifest"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Records is the ledger's uploads: read again before anybody is alarmed, and
// taken back into cleanup where something stands that should not.
type Records interface {
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	Commit(ctx context.Context, change upload.Change) error
}

// Store shows what stands in the bucket. There is nothing in it that deletes.
type Store interface {
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error]
}

// Parts lists unfinished multipart uploads.
type Parts interface {
	Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error]
}

// Runner reconciles one bucket's inventory after the other with what their
// owner says, and acts on what differs. It deletes nothing: it opens holds,
// and lets the worker look again at what was deleted and stands. Both may be
// done while the gate is report-only, because the worker obeys the gate.
type Runner struct {
	Policy    policy.Policy
	Records   Records
	Documents hold.Documents
	Store     Store
	Parts     Parts
	// Threads and TempDir bound a comparison; see [Options].
	Threads int
	TempDir string
	Now     func() time.Time
	Log     *slog.Logger
	// Audit takes a line for each decision that changed something; nil for none.
	Audit audit.To
}

// Validate refuses a Runner that lacks something.
func (r Runner) Validate() error {
	switch {
	case r.Records == nil || r.Documents == nil || r.Store == nil || r.Parts == nil:
		return fmt.Errorf("reconciler: a store is missing: %w", upload.ErrRefused)
	case r.Now == nil || r.Log == nil:
		return fmt.Errorf("reconciler: the clock or the log is missing: %w", upload.ErrRefused)
	case !r.Policy.Safe():
		return fmt.Errorf("reconciler: the policy is below its floors: %w", upload.ErrRefused)
	}
	return nil
}

func (r Runner) book() hold.Book {
	return hold.Book{Documents: r.Documents, Forget: r.Policy.TombstoneTTL}
}

// Task is one inventory, and what it is compared with.
type Task struct {
	Inventory inventory.Reader
	Manifest  manifest.Reader
	// ManifestAt is when the manifest was taken: of the ledger, the instant at
	// which reading it begins.
	ManifestAt time.Time
	// Against is what the inventory's age is measured from: the instant of the
	// event that started the run.
	Against time.Time
}

// Settle is how long before the inventory an entry must have been recorded to
// be judged: S3 inventories are eventually consistent.
const Settle = 48 * time.Hour

func (r Runner) options(t Task) Options {
	return Options{
		ManifestAt: t.ManifestAt, Against: t.Against,
		OrphanGrace: r.Policy.OrphanGrace, Settle: Settle, MaxInventoryAge: r.Policy.MaxInventoryAge,
		MaxOrphanPercent: float64(r.Policy.MaxOrphanPercent),
		Threads:          r.Threads, TempDir: r.TempDir,
	}
}

// RunID names the run over one inventory: bucket, configuration and the instant
// at which it was begun. The same inventory delivered twice is one run.
func RunID(m inventory.Manifest) string {
	return m.SourceBucket + "/" + m.Config + "/" + m.Created.UTC().Format("2006-01-02T15-04-05.000Z")
}

// Report is what a run found and did. It holds no object key.
type Report struct {
	Run       string    `json:"run"`
	Bucket    string    `json:"bucket"`
	Inventory time.Time `json:"inventory_created"`
	// Repeated: this inventory was reconciled before, and nothing was done now;
	// Superseded: a later one was.
	Repeated   bool `json:"repeated,omitempty"`
	Superseded bool `json:"superseded,omitempty"`
	// Counts are by verdict, after every look-up.
	Counts  map[Verdict]Count `json:"counts"`
	Rows    int64             `json:"rows"`
	Entries int64             `json:"entries"`
	// HoldsBlocked: too many orphans to be true. None was held.
	HoldsBlocked bool `json:"holds_blocked"`
	// Opened, Again and Closed are holds; Reopened and Resuperseded uploads.
	Opened       int64 `json:"holds_opened"`
	Again        int64 `json:"holds_seen_again"`
	Closed       int64 `json:"holds_closed"`
	Reopened     int64 `json:"uploads_reopened"`
	Resuperseded int64 `json:"uploads_resuperseded"`
}

// Run reconciles one inventory from beginning to end: plan, then execute. An
// inventory that was reconciled before is not read again. An error leaves
// nothing that the next attempt could not take up.
func (r Runner) Run(ctx context.Context, t Task) (Report, error) {
	id := RunID(t.Inventory.Manifest())
	done, err := r.settled(ctx, t.Inventory.Manifest())
	if err != nil || done.Run != "" {
		return done, err
	}
	l, err := lease.Take(ctx, r.Documents, leaseKind, id, r.Now())
	if err != nil {
		return Report{}, err
	}
	defer l.Release(ctx)
	// Whoever had the lease before may have finished this very run.
	if done, err := r.settled(ctx, t.Inventory.Manifest()); err != nil || done.Run != "" {
		return done, err
	}
	p, err := r.Plan(ctx, t)
	if err != nil {
		return Report{}, fmt.Errorf("run %s: %w", id, err)
	}
	defer func() { _ = p.Close() }() // an unlinked file
	if l.Ending(r.Now()) {
		return Report{}, fmt.Errorf("run %s: the comparison took as long as the lease: %w", id, upload.ErrRefused)
	}
	report, err := p.Execute(ctx)
	if err != nil {
		return report, fmt.Errorf("run %s: %w", id, err)
	}
	return report, nil
}
