package hold

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Kind is what a hold names.
type Kind string

const (
	// Version: one object version.
	Version Kind = "version"
	// Multipart: one unfinished multipart upload; it is in no inventory.
	Multipart Kind = "multipart"
)

// State is where a hold is in its life.
type State string

const (
	// Open: a person has to decide.
	Open State = "open"
	// Kept: a person said that it stays. It is never asked about again.
	Kept State = "kept"
	// Approved: a person said that it may go.
	Approved State = "approved"
	// Closed: it is owned, or gone. A run that finds it unowned again opens it
	// again.
	Closed State = "closed"
)

// States lists every state.
func States() []State { return []State{Open, Kept, Approved, Closed} }

// Subject is the one thing that a hold names.
type Subject struct {
	Kind   Kind
	Bucket string
	Key    string // any bytes
	// VersionID is the object version, or the multipart upload's id.
	VersionID string
}

// ID names the hold in its bucket: 64 hexadecimal digits, the SHA-256 of key
// and version. A NUL separates them, since no version id holds one; a multipart
// upload has a second one behind its id, where no version id is empty.
func (s Subject) ID() string {
	h := sha256.New()
	h.Write([]byte(s.Key))
	h.Write([]byte{0})
	h.Write([]byte(s.VersionID))
	if s.Kind == Multipart {
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Hold is one entry of the list.
type Hold struct {
	Subject
	State State

	// Size, ETag and LastModified are what a look at the version showed when
	// the hold was opened; an approval needs them unchanged. Of a multipart
	// upload only LastModified is set: when it was begun.
	Size         int64
	ETag         string
	LastModified time.Time
	// Tenant and Upload are whom the key names, if it names anybody.
	Tenant string
	Upload string
	// KeyKnown: the owner knows the key, under another version.
	KeyKnown bool
	// Latest: it was the current version when it was last seen.
	Latest bool

	// FirstSeen and LastSeen are of runs that found it unowned; only the latest
	// run's word is enough for an approval. Met is the last run that met it and
	// could not judge it: that keeps the hold, and says nothing for it.
	FirstSeen Sighting
	LastSeen  Sighting
	Met       Sighting

	// Who decided last, when and why; empty while only runs have.
	Who  string
	When time.Time
	Why  string
	// WasKept: a person kept it once. If it comes back, it is kept.
	WasKept bool

	// Adopted is the record that an approval made of it; the zero ID if none.
	Adopted upload.ID
	// Restored counts the restores: each approval after one makes a record of
	// its own.
	Restored int
	// Marker is the delete marker that hides it in quarantine.
	Marker Marker

	// Revision is the ledger's: a write names the one it was made from.
	Revision int64
}

// Sighting is one run that saw it.
type Sighting struct {
	Run string
	// Inventory is the inventory's creation; of a multipart upload, when it was
	// listed.
	Inventory time.Time
}

// Marker is the delete marker of a quarantine. It is intended before it is
// placed: after a crash in between, the marker is looked for.
type Marker struct {
	// Intended is when it was about to be placed; zero if there is to be none.
	Intended time.Time
	// VersionID is the marker's, empty until known.
	VersionID string
}

// NullVersion reports a version that was written while versioning was off: its
// id does not identify it.
func (h Hold) NullVersion() bool {
	return h.Kind == Version && h.VersionID == objects.NullVersion
}
