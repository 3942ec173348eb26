package inventory

import (
	"context"
	"io"
	"iter"
	"time"
)

// Files is where an inventory or a key list lies: a folder, or a bucket.
type Files interface {
	// Open returns the whole file under a key as a local one. A file of a
	// bucket is fetched to the temporary folder first and removed by Close.
	Open(ctx context.Context, key string) (File, error)
}

// File is one file, readable at any place until it is closed.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Format is how an inventory's files are written.
type Format string

// The formats of S3 Inventory, as manifest.json names them.
const (
	CSV     Format = "CSV"
	Parquet Format = "Parquet"
	ORC     Format = "ORC"
)

// Manifest is what manifest.json says.
type Manifest struct {
	SourceBucket string
	// Destination is the bucket of the files, without "arn:…:::".
	Destination string
	Created     time.Time // when the listing began
	Format      Format
	Schema      string
	Files       []Stated
	// Prefix is the key prefix that the inventory itself is delivered below:
	// everything before <source-bucket>/<config>/, "" or ending in a slash.
	Prefix string
	// Config is the id of the inventory's configuration, "" if its place does
	// not tell.
	Config string
}

// Own reports whether a key of the source bucket is a file of this inventory's
// own configuration: one that is delivered into its own source lists itself.
func (m Manifest) Own(key []byte) bool {
	own := m.Prefix + m.SourceBucket + "/" + m.Config + "/"
	return m.Config != "" && m.Destination == m.SourceBucket &&
		len(key) >= len(own) && string(key[:len(own)]) == own
}

// Stated is one file as the manifest states it.
type Stated struct {
	Key  string
	Size int64
	MD5  [16]byte
}

// Reader reads the rows of one inventory. Parts may be read side by side.
type Reader interface {
	Manifest() Manifest
	// Parts is how many parts there are, each a file.
	Parts() int
	// Rows yields every row of a part in order. It verifies the file first.
	Rows(ctx context.Context, part int) iter.Seq2[*Row, error]
	// Seekable reports whether Lookup is there (local Parquet).
	Seekable() bool
	// Lookup yields the rows with the numbers, ascending, of a part.
	Lookup(ctx context.Context, part int, numbers []int64) iter.Seq2[*Row, error]
}
