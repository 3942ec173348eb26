package objects

import (
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// MaxPerDelete is how many versions one DeleteObjects call takes
// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html).
const MaxPerDelete = 1_000

// NullVersion is the id of a version that was written while versioning was off;
// it does not identify it.
const NullVersion = "null"

// Version is one object version, or delete marker, as a listing shows it.
type Version struct {
	Key          string
	VersionID    string // may be NullVersion
	Marker       bool
	Latest       bool
	Size         int64
	ETag         string // without quotes
	LastModified time.Time
}

// Facts is what a look at one version shows.
type Facts struct {
	// Marker: it is a delete marker, and has neither size nor ETag.
	Marker       bool
	Size         int64
	ETag         string // without quotes
	LastModified time.Time
	// Checksum is the SHA-256 that the store keeps beside the object, in the
	// form of upload.Expected: of a multipart object [Composite]. Empty where it
	// was put without one, or the store does not say: read it then.
	Checksum string
	// LockedUntil is the object lock's date, zero if there is none; LegalHold
	// has no date.
	LockedUntil time.Time
	LegalHold   bool
}

// Multipart is one unfinished multipart upload.
type Multipart struct {
	Key      string
	UploadID string
	Begun    time.Time
}

// Outcome is what became of one version that was to be deleted.
type Outcome uint8

const (
	// Unclear: it may or may not be gone. The zero value, so that what nobody
	// answered for is unclear.
	Unclear Outcome = iota
	// Gone: it does not stand any more; a version that was absent already is
	// gone too.
	Gone
	// Retained: object lock or legal hold keeps it.
	Retained
	// Throttled: nothing was done; slow down.
	Throttled
	// Denied: the rights are missing.
	Denied
	// Failed: nothing was done, for another reason.
	Failed
)

func (o Outcome) String() string {
	return [...]string{"unclear", "gone", "retained", "throttled", "denied", "failed"}[o]
}

// Result is what became of one condemned version.
type Result struct {
	Condemned upload.Condemned
	Outcome   Outcome
	// Retained says until when and why, where Outcome is Retained.
	Retained upload.Retained
	// Code is the service's error code, for logs.
	Code string
}

// Stored is what a put answers.
type Stored struct {
	VersionID string
	ETag      string
}
