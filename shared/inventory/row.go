package inventory

import "math"

// Unknown values of a row: the list has no such column, or the cell is empty.
const (
	NoSize = int64(-1)
	NoTime = int64(math.MinInt64)
)

// NullVersion is the id of the version that was written while versioning was
// off. CSV writes it as an empty cell, ORC and Parquet as null; a row of a list
// with version ids always says "null".
const NullVersion = "null"

// Answer is a yes or no that a list may not give.
type Answer uint8

// What a boolean column says. The zero Answer is an absent column or cell.
const (
	Unknown Answer = iota
	No
	Yes
)

// Row is one object version, or delete marker, of an inventory. Its byte slices
// belong to the reader and hold until it yields the next row.
type Row struct {
	Bucket []byte
	// Key is the object's key itself: decoded exactly once where the format
	// encodes it, and any bytes.
	Key []byte
	// VersionID is empty only in a list of current versions.
	VersionID []byte
	ETag      []byte // without quotes; empty where unknown
	Size      int64  // bytes, or NoSize
	// LastModified is in Unix milliseconds, or NoTime.
	LastModified int64
	Latest       Answer
	Marker       Answer
	// Number counts the rows of the file, from 0.
	Number int64
}
