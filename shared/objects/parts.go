package objects

import (
	"context"
	"io"
	"iter"
	"time"
)

// PartStore writes objects in parts. A part is bound to its size and SHA-256;
// its number may be sent again as long as the upload is not completed, and the
// last one counts.
type PartStore interface {
	// BeginMultipart begins a multipart upload whose parts are sent with their
	// SHA-256, and returns its id. An empty mediaType is the store's default.
	BeginMultipart(ctx context.Context, bucket, key, mediaType string) (uploadID string, err error)
	// UploadPart sends one part and returns it with its ETag. ErrRefused if the
	// body is not of this size and SHA-256, ErrAbsent if the upload is over.
	UploadPart(ctx context.Context, bucket, key, uploadID string, p Part, body io.Reader) (Part, error)
	// ListParts lists the parts that have come, ascending; ErrAbsent if the
	// upload is over. Of a part that was sent without a SHA-256 it shows none.
	ListParts(ctx context.Context, bucket, key, uploadID string) iter.Seq2[Part, error]
	// PresignPart signs one part of this number, size and SHA-256, good for life.
	PresignPart(ctx context.Context, bucket, key, uploadID string, p Part, life time.Duration) (Presigned, error)
	// CompleteMultipart makes the parts, ascending, the object of a key that has
	// none. ErrRefused if it has one that is not these parts; a completion whose
	// answer was lost finds its own. ErrAbsent if the upload is over and nothing
	// of it stands.
	CompleteMultipart(ctx context.Context, bucket, key, uploadID string, parts []Part) (Stored, error)
}
