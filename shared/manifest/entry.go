package manifest

import (
	"context"
	"iter"
	"math"
)

// Unknown values of an entry.
const (
	NoSize = int64(-1)
	NoTime = int64(math.MinInt64)
)

// State is what the owner says of an object.
type State uint8

const (
	// Live: it must stand.
	Live State = iota
	// Deleted: it must not stand.
	Deleted
	// Open: it may stand or not: a declared key whose put was not recorded,
	// and what is condemned and not yet purged. It owns every version under
	// its key, or only its VersionID, and is never missing.
	Open
	// Trimmed: a declared key that a completed upload did not list and that
	// was purged: nothing may stand under it (the ledger only).
	Trimmed
)

func (s State) String() string {
	return [...]string{"live", "deleted", "open", "trimmed"}[s]
}

// Entry is one object that somebody owns, or owned. Its byte slices belong to
// the reader and hold until it yields the next entry.
type Entry struct {
	Bucket []byte
	Key    []byte
	// VersionID is empty where the owner does not know it: the entry then
	// means every version under the key.
	VersionID []byte
	ETag      []byte // without quotes; empty where unknown
	Size      int64  // bytes, or NoSize
	// RecordedAt is when the entry came to be so (put, or deleted), in Unix
	// milliseconds; NoTime counts as long ago, and is noted.
	RecordedAt int64
	State      State
	// Retained: of a deleted upload, kept by object lock, legal hold or policy.
	Retained bool
	Tenant   []byte
	Upload   []byte
	// Number counts the entries of the part, from 0.
	Number int64
}

// Reader reads the entries of one manifest. Parts may be read side by side.
type Reader interface {
	// Parts is how many parts there are: files, or segments of a scan.
	Parts() int
	Entries(ctx context.Context, part int) iter.Seq2[*Entry, error]
	// Seekable reports whether Lookup is there (local Parquet).
	Seekable() bool
	// Lookup yields the entries with the numbers, ascending, of a part.
	Lookup(ctx context.Context, part int, numbers []int64) iter.Seq2[*Entry, error]
}
