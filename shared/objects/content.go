package objects

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Content is what one put sends: so many bytes, of this SHA-256 (32 bytes, or
// none where it is not known), of this media type (empty: the store's own
// default, application/octet-stream).
type Content struct {
	Size   int64
	SHA256 []byte
	Type   string
}

// Limits of one put and of a multipart upload
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html).
const (
	MaxPutBytes  = 5 << 30
	MaxParts     = 10_000
	MinPartBytes = 5 << 20 // of every part but the last
	MaxPartBytes = 5 << 30
)

// Part is one part of a multipart upload. Number counts from 1; ETag is what
// the store answered for it.
type Part struct {
	Number int
	Size   int64
	SHA256 []byte // 32 bytes
	ETag   string
}

// Checksum is how a store names the SHA-256 of an object that was put whole:
// in lower-case hexadecimal; empty for none.
func Checksum(sum []byte) string { return hex.EncodeToString(sum) }

// Composite is how a store names the checksum of an object that was put in
// these parts: the SHA-256 of their sums in order, in lower-case hexadecimal,
// with "-" and their number, as S3 composes it
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html).
// The same content in other parts has another one.
func Composite(parts []Part) string {
	sums := sha256.New()
	for _, p := range parts {
		sums.Write(p.SHA256)
	}
	return fmt.Sprintf("%x-%d", sums.Sum(nil), len(parts))
}
