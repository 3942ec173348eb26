// Package markers places and removes delete markers in S3, for the operator's
// command alone: it is apart from the other adapters so that no function links
// it (functions/imports_test.go).
//
// A delete without a version id is the one request of this project that does
// not say what it deletes. Where versioning is enabled it deletes nothing and
// places a marker; where it is not, it destroys. So the bucket is asked first,
// the request carries If-Match where the store has it, and its answer must name
// a marker.
package markers

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Markers is every bucket that its client can reach.
type Markers struct {
	client *awss3.Client
	store  *s3.Store
}

// New returns the markers behind the client.
func New(client *awss3.Client) *Markers {
	return &Markers{client: client, store: s3.New(client)}
}

// PlaceMarker hides the current version of the key behind a delete marker, if
// its ETag is this one, and returns the marker's version id. ErrRefused if
// another version is the current one, or the bucket's versioning is not
// enabled. It is sent once: repeated, it would place a second marker. After
// ErrUnclear the key has to be listed. A store without If-Match (501) gets the
// request without it: whoever asks has to list the key in any case
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html).
func (m *Markers) PlaceMarker(ctx context.Context, bucket, key, etag string) (string, error) {
	const doing = "place a delete marker"
	if etag == "" {
		return "", fmt.Errorf("%s: no ETag to hold on to: %w", doing, upload.ErrRefused)
	}
	if err := m.store.CheckBucket(ctx, bucket); err != nil {
		return "", fmt.Errorf("%s: %w", doing, err)
	}
	in := &awss3.DeleteObjectInput{Bucket: aws.String(bucket), Key: aws.String(key), IfMatch: aws.String(`"` + etag + `"`)}
	out, err := m.client.DeleteObject(ctx, in, once)
	if statusOf(err) == http.StatusNotImplemented {
		in.IfMatch = nil
		out, err = m.client.DeleteObject(ctx, in, once)
	}
	switch status := statusOf(err); {
	case status == http.StatusPreconditionFailed, status == http.StatusNotFound:
		return "", fmt.Errorf("%s: another version is the current one: %w", doing, upload.ErrRefused)
	case status == http.StatusConflict:
		return "", fmt.Errorf("%s: another write of the key is under way: %w", doing, upload.ErrUnclear)
	case err != nil:
		return "", fmt.Errorf("%s: %w", doing, unclearUnlessAnswered(err))
	}
	id := aws.ToString(out.VersionId)
	if !aws.ToBool(out.DeleteMarker) || id == "" || id == objects.NullVersion {
		return "", fmt.Errorf("%s: the answer names none: %w", doing, upload.ErrUnclear)
	}
	return id, nil
}

// RemoveMarker removes exactly that delete marker. ErrAbsent if it does not
// stand; ErrRefused if the version is an object, or does not identify what it
// names.
func (m *Markers) RemoveMarker(ctx context.Context, bucket, key, versionID string) error {
	const doing = "remove a delete marker"
	if versionID == "" || versionID == objects.NullVersion {
		return fmt.Errorf("%s: version %q names none: %w", doing, versionID, upload.ErrRefused)
	}
	facts, err := m.store.Stat(ctx, bucket, key, versionID)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", doing, err)
	case !facts.Marker:
		return fmt.Errorf("%s: version %s is an object: %w", doing, versionID, upload.ErrRefused)
	}
	_, err = m.client.DeleteObject(ctx, &awss3.DeleteObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key), VersionId: aws.String(versionID),
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, awsconf.Kind(err))
	}
	return nil
}

// once keeps the client from repeating a call.
func once(o *awss3.Options) { o.Retryer = aws.NopRetryer{} }

// unclearUnlessAnswered: without an answer nobody knows that nothing was done.
func unclearUnlessAnswered(err error) error {
	kind := awsconf.Kind(err)
	if status := statusOf(err); status == 0 || status >= http.StatusInternalServerError && !errors.Is(kind, upload.ErrThrottled) {
		return fmt.Errorf("%w: %w", upload.ErrUnclear, kind)
	}
	return kind
}

func statusOf(err error) int {
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}
