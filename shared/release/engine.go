package release

import (
	"context"
	"iter"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Records is where upload records live.
type Records interface {
	// Load reads consistently; the zero Record if there is none.
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	Commit(ctx context.Context, change upload.Change) error
	// References yields every reference to an upload that was ever added.
	References(ctx context.Context, id upload.ID) iter.Seq2[ledger.ReferenceUse, error]
}

// Store looks at objects; it has no call that changes anything.
type Store interface {
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error]
}

// Rows tells whether a row of any source with an index names what a record
// holds. An error keeps.
type Rows interface {
	Named(ctx context.Context, r upload.Record) (bool, error)
}

// Engine turns what a database gave up into ledger records. It is safe for
// concurrent use.
type Engine struct {
	Sources []source.Source
	Policy  policy.Policy
	Records Records
	Store   Store
	// Rows may be nil where no source has an index.
	Rows Rows
	Now  func() time.Time
}

// Change is one change of a row, as a stream tells it.
type Change struct {
	// ID is the stream record's own: the same change has the same id.
	ID string
	// At is when it happened, in whole seconds.
	At time.Time
	// Keys are the row's key attributes; Old and New its images, nil where there
	// is none.
	Keys, Old, New source.Row
}

// Kind is what became of a release.
type Kind string

// What becomes of a release.
const (
	Adopted  Kind = "adopted"           // a record that is born cancelled waits for its day
	Released Kind = "released"          // an upload was given up
	Dropped  Kind = "reference dropped" // one of its references was
	Skipped  Kind = "skipped"           // nothing is to be done, for the reason
	Parked   Kind = "parked"            // nothing can be done, for the reason: a person has to look
	Failed   Kind = "failed"            // not done; again later
)

// Outcome is what became of one object of a change or message.
type Outcome struct {
	Kind   Kind
	Reason string // of Skipped, and of Parked
	// Upload is the record that it became, or that it is about.
	Upload upload.ID
	Err    error // of Failed
}

// Take takes a change of a row of a source with a table.
func (e *Engine) Take(ctx context.Context, s source.Source, c Change) []Outcome { return nil }

// Message takes a release that an outbox sent.
func (e *Engine) Message(ctx context.Context, m Message) []Outcome { return nil }
