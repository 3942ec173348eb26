package cleanup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Uses tells whether anything outside the ledger still refers to what a record
// holds: rows of an application's own tables. It is asked after the wait for a
// slot and right before the claim. An error keeps.
type Uses interface {
	// Used returns one row that was found; the zero Use if there is none. Of an
	// adopted record it is asked for the explicit objects, of an upload that was
	// complete for what it lists.
	Used(ctx context.Context, r upload.Record) (source.Use, error)
}

// digestOf stands for a row in a log: what an application uses as a key may be
// anything.
func digestOf(u source.Use) string {
	sum := sha256.Sum256([]byte(u.Source + "/" + u.Entity))
	return hex.EncodeToString(sum[:8])
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
