package cleanup

import (
	"context"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Uses tells whether anything outside the ledger still refers to what a record
// holds: rows of an application's own tables. It is asked after the wait for a
// slot and right before the claim. An error keeps.
type Uses interface {
	// Used returns one use that was found; the zero Use if there is none. Of an
	// adopted record it is asked for the explicit objects, of an upload that was
	// complete for what it lists.
	Used(ctx context.Context, r upload.Record) (Use, error)
}

// Use is a row that refers to an object. It names no object.
type Use struct {
	// Source is the name of the row's source, Entity an id of the row that may
	// be logged: a digest of its key. Together they are the reference that is
	// dropped when the row goes.
	Source, Entity string
}

// The reasons for which a worker leaves what a row still refers to.
const (
	// SkipReleaseDropped: what was released is withdrawn, and due never.
	SkipReleaseDropped = "release dropped"
	// SkipReferenceAdded: the upload is complete again, and the row a reference.
	SkipReferenceAdded = "reference added"
	// SkipReferenced: nothing is written, and the record stays due.
	SkipReferenced = "referenced"
)
