package fault

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// BeginMultipart see [ObjectCalls].
func (o *Objects) BeginMultipart(ctx context.Context, bucket, key, mediaType string) (string, error) {
	return call(ctx, o.set, "objects.BeginMultipart", func() (string, error) {
		return o.next.BeginMultipart(ctx, bucket, key, mediaType)
	})
}

// UploadPart see [ObjectCalls].
func (o *Objects) UploadPart(ctx context.Context, bucket, key, uploadID string, p objects.Part, body io.Reader) (objects.Part, error) {
	return call(ctx, o.set, "objects.UploadPart", func() (objects.Part, error) {
		return o.next.UploadPart(ctx, bucket, key, uploadID, p, body)
	})
}

// ListParts see [ObjectCalls].
func (o *Objects) ListParts(ctx context.Context, bucket, key, uploadID string) iter.Seq2[objects.Part, error] {
	return sequence(ctx, o.set, "objects.ListParts", o.next.ListParts(ctx, bucket, key, uploadID))
}

// PresignPart see [ObjectCalls].
func (o *Objects) PresignPart(ctx context.Context, bucket, key, uploadID string, p objects.Part, life time.Duration) (objects.Presigned, error) {
	return o.next.PresignPart(ctx, bucket, key, uploadID, p, life)
}

// CompleteMultipart see [ObjectCalls]. A condition that fails says that the key
// has an object.
func (o *Objects) CompleteMultipart(ctx context.Context, bucket, key, uploadID string, parts []objects.Part) (objects.Stored, error) {
	return callOr(ctx, o.set, "objects.CompleteMultipart", upload.ErrRefused, func() (objects.Stored, error) {
		return o.next.CompleteMultipart(ctx, bucket, key, uploadID, parts)
	})
}
