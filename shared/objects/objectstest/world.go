package objectstest

import (
	"context"
	"io"
	"iter"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Store is everything a store does.
type Store interface {
	Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error]
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
	Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error]
	Abort(ctx context.Context, bucket, key, uploadID string) error
	CheckBucket(ctx context.Context, bucket string) error
	Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error)
	PresignPut(ctx context.Context, bucket, key string, c objects.Content, life time.Duration) (objects.Presigned, error)
	Open(ctx context.Context, bucket, key, versionID string) (io.ReadCloser, error)
	objects.PartStore
}

// Versioning is the versioning state that a test asks for.
type Versioning string

// The three states of a bucket.
const (
	Enabled   Versioning = "Enabled"
	Suspended Versioning = "Suspended"
	Never     Versioning = ""
)

// World is a store, and what its buckets' owner and other users do to it.
// Every method but Store fails the test where it cannot do its part.
type World interface {
	Store() Store
	// Bucket creates a bucket of its own for a test.
	Bucket(t testing.TB, v Versioning) string
	// SetVersioning changes a bucket's versioning.
	SetVersioning(t testing.TB, bucket string, v Versioning)
	// Write puts an object without any condition and returns its version id.
	Write(t testing.TB, bucket, key, body string) string
	// Mark puts a delete marker on top of a key and returns its version id.
	Mark(t testing.TB, bucket, key string) string
	// Lock locks a version for an hour (governance) and returns until when.
	// The bucket's versioning is Enabled.
	Lock(t testing.TB, bucket, key, versionID string) time.Time
	// Hold sets a legal hold.
	Hold(t testing.TB, bucket, key, versionID string)
	// Redeem does a presigned put; ErrRefused where its condition fails.
	Redeem(t testing.TB, p objects.Presigned, body string) error
}
