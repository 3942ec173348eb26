package release

import (
	"context"
	"errors"
	"fmt"
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
	// Used returns one row that does; the zero Use if there is none.
	Used(ctx context.Context, r upload.Record) (source.Use, error)
}

// Engine turns what a database gave up into ledger records. It is safe for
// concurrent use.
type Engine struct {
	Sources []source.Source
	Policy  policy.Policy
	Records Records
	Store   Store
	// Rows may be nil where nobody is to be asked.
	Rows Rows
	Now  func() time.Time
}

// Validate says in one line what of the engine is missing.
func (e *Engine) Validate() error {
	for _, part := range []struct {
		name    string
		missing bool
	}{{"Records", e.Records == nil}, {"Store", e.Store == nil}, {"Now", e.Now == nil}, {"Sources", len(e.Sources) == 0}} {
		if part.missing {
			return fmt.Errorf("release engine: %s is missing", part.name)
		}
	}
	return e.Policy.Validate()
}

// What happened to a row, in DynamoDB's words.
const (
	Insert = "INSERT"
	Modify = "MODIFY"
	Remove = "REMOVE"
)

// Change is one change of a row, as a stream tells it.
type Change struct {
	// ID is the stream record's own: the same change has the same id.
	ID string
	// Event is Insert, Modify or Remove.
	Event string
	// At is when it happened.
	At time.Time
	// Keys are the row's key attributes; Old and New its images, nil where there
	// is none.
	Keys, Old, New source.Row
}

// validate refuses images that are not there: without the new one everything
// that a changed row still names would be released.
func (c Change) validate() error {
	switch {
	case c.ID == "" || c.At.IsZero():
		return unreadable("record", "it has no id or no instant")
	case c.Event != Insert && c.Event != Modify && c.Event != Remove:
		return unreadable("record", "its event is unknown")
	case c.Event != Insert && c.Old == nil, c.Event == Modify && c.New == nil:
		return unreadable("record", "an image is missing: the stream's view has to be NEW_AND_OLD_IMAGES")
	}
	return nil
}

// gone is one object that a row named and names no more.
type gone struct {
	source source.Source
	id     string // of the change, or of the message
	at     time.Time
	ahead  time.Duration // how far at may be ahead of the store's clock
	entity string        // what the row is called in references
	named  source.Named
	still  []source.Named // what the row names now
}

// Take takes a change of a row of a source with a table: what the old image
// names and the new one does not is released. One outcome for each such object,
// and at least one.
func (e *Engine) Take(ctx context.Context, s source.Source, c Change) []Outcome {
	if err := c.validate(); err != nil {
		return []Outcome{parked(err)}
	}
	if c.Event == Insert {
		return []Outcome{skipped(SkipNothingReleased)}
	}
	before, foreign, err := s.Names(c.Old)
	if err != nil {
		return []Outcome{parked(err)}
	}
	still, _, err := s.Names(c.New)
	if err != nil {
		return []Outcome{parked(err)} // it may name what the old image does
	}
	entity, err := s.Entity(c.Old, c.Keys)
	if err != nil {
		return []Outcome{parked(err)}
	}
	list := released(before, still)
	if err := elsewhere(s, list, c.New); err != nil {
		return []Outcome{parked(err)}
	}
	all := e.takeEach(ctx, gone{source: s, id: c.ID, at: c.At, entity: entity, still: still}, list)
	if foreign > 0 {
		all = append(all, skipped(SkipForeignURL))
	}
	if len(all) == 0 {
		all = append(all, skipped(SkipNothingReleased))
	}
	return all
}

// apply decides the event from the record and commits it; it reads again
// whenever the record moved, or the answer was lost. It returns the newest
// record that it has seen.
func (e *Engine) apply(ctx context.Context, id upload.ID, r upload.Record, event upload.Event) (upload.Record, error) {
	for range maxTries {
		change, err := upload.Step(e.Policy, r, event, e.Now())
		if err != nil || change.Nothing() {
			return r, err
		}
		err = e.Records.Commit(ctx, change)
		if err == nil {
			return change.After, nil
		}
		if !errors.Is(err, upload.ErrChanged) && !errors.Is(err, upload.ErrUnclear) {
			return r, err
		}
		if r, err = e.Records.Load(ctx, id); err != nil {
			return r, fmt.Errorf("%s upload %s: %w", event.Kind(), id.Upload, err)
		}
	}
	return r, fmt.Errorf("%s upload %s: moved %d times meanwhile: %w", event.Kind(), id.Upload, maxTries, upload.ErrChanged)
}

// maxTries bounds how often one call decides again because the record moved.
const maxTries = 16
