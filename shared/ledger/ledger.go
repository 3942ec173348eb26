package ledger

import (
	"hash/fnv"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Shards is the number of partitions of the due index.
const Shards = 16

// Shard is the partition of the due index that an upload belongs to: FNV-1a of
// tenant and upload id, modulo [Shards].
func Shard(id upload.ID) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id.Tenant))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(id.Upload))
	return int(h.Sum32() % Shards)
}

// Due is one entry of the due index: which upload cleanup must look at, and
// since when. The index may lag; it points, it never decides.
type Due struct {
	ID upload.ID
	At time.Time
}

// Position is a place in one shard of the due index: behind the entry it
// names. The zero Position is the beginning.
type Position Due

// IsZero reports whether the position is the beginning.
func (p Position) IsZero() bool { return p == Position{} }

// Page is part of a shard, ordered by instant and then by id in the adapter's
// own stable order. It may be empty although More is true.
type Page struct {
	Entries []Due
	// Next is where the following page begins.
	Next Position
	More bool
}

// Document is a small value under a collection and an id. Revision is what was
// read, zero for a document that does not exist. ExpiresAt, where set, lets
// the store forget it some time after; until then it is still seen.
type Document struct {
	Collection string
	ID         string
	Data       []byte
	Revision   int64
	ExpiresAt  time.Time
}

// MaxDocument is how many bytes of Data a document may have.
const MaxDocument = 350_000

// Holding is what one stored upload holds in its bucket, for the census.
type Holding struct {
	Bucket  string
	Objects int64
	Bytes   int64
}

// ReferenceState says what is known of a reference.
type ReferenceState uint8

// The life of a reference: an identity is used once.
const (
	ReferenceUnknown ReferenceState = iota
	ReferenceLive
	ReferenceDropped
)

// KeyUse is the use of an idempotency key: the upload that its first request
// reserved. The zero KeyUse is a key that is free.
type KeyUse struct {
	Upload        string
	RequestDigest string
	Expires       time.Time
}
