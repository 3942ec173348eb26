package quarantine

import (
	"context"
	"iter"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Records is where an approved version becomes a record.
type Records interface {
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	Commit(ctx context.Context, change upload.Change) error
}

// Store shows what stands.
type Store interface {
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error]
}

// Markers places and removes delete markers.
type Markers interface {
	// PlaceMarker hides the current version of a key, if its ETag is this one
	// (where the store can tell), and returns the marker's version id.
	PlaceMarker(ctx context.Context, bucket, key, etag string) (versionID string, err error)
	// RemoveMarker removes exactly that delete marker, never an object;
	// upload.ErrAbsent if it does not stand.
	RemoveMarker(ctx context.Context, bucket, key, versionID string) error
}

// Parts lists and aborts unfinished multipart uploads.
type Parts interface {
	Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error]
	Abort(ctx context.Context, bucket, key, uploadID string) error
}

// Desk is where a person decides. All fields are required.
type Desk struct {
	Policy  policy.Policy
	Book    hold.Book
	Records Records
	Store   Store
	Markers Markers
	Parts   Parts
	Now     func() time.Time
	// Audit takes a line for each decision that changed something; nil, unlike
	// the other fields, for none.
	Audit audit.To
}

// Approval is what an approval would do, for a person to read before it is
// executed.
type Approval struct {
	Hold hold.Hold
	// Adopts is the record that it becomes, DueAt when that may be claimed. Of
	// a multipart upload there is none: it is aborted at once.
	Adopts upload.ID
	DueAt  time.Time
	// Hides: a delete marker is placed over it. Otherwise Visible says why not.
	Hides   bool
	Visible string
	// Repeats: it was approved before, and what is not done yet will be.
	Repeats bool
}
