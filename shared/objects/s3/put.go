package s3

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// anyObject is the If-None-Match that lets a key get one version only.
const anyObject = "*"

// stampName is the user metadata by which a put knows its own object after an
// answer was lost.
const stampName = "strandline-put"

// Put writes one object under a key that has none. ErrRefused if there is one,
// or if the body is not of this size and SHA-256. A put whose answer was lost
// and that the client repeated finds its own object and answers with it.
//
// With a SHA-256 the body is read once, and is only sent again if it can seek;
// without one it has to be able to.
func (s *Store) Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error) {
	const doing = "put object"
	if _, seeks := body.(io.Seeker); !seeks && len(c.SHA256) == 0 || len(c.SHA256) > 0 && len(c.SHA256) != sha256.Size {
		return objects.Stored{}, fmt.Errorf("%s: it needs a SHA-256 of 32 bytes, or a body that can seek: %w", doing, upload.ErrRefused)
	}
	in := putInput(bucket, key, c)
	stamp := rand.Text()
	in.Body, in.Metadata = body, map[string]string{stampName: stamp}
	out, err := s.client.PutObject(ctx, in, signing(c.SHA256))
	if err == nil {
		return objects.Stored{VersionID: versionOf(out.VersionId), ETag: unquoted(out.ETag)}, nil
	}
	if _, status := answerOf(err); status == http.StatusPreconditionFailed {
		return s.own(ctx, bucket, key, stamp, translatePut(doing, err))
	}
	return objects.Stored{}, translatePut(doing, err)
}

func putInput(bucket, key string, c objects.Content) *awss3.PutObjectInput {
	in := &awss3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key),
		ContentLength: aws.Int64(c.Size), IfNoneMatch: aws.String(anyObject), ContentType: named(c.Type),
	}
	if len(c.SHA256) > 0 {
		in.ChecksumSHA256 = aws.String(base64.StdEncoding.EncodeToString(c.SHA256))
	}
	return in
}

// named is a header's value; nil for none, so that the header is left out.
func named(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// signing signs the body by the SHA-256 that is known already, instead of
// reading it a second time.
func signing(sum []byte) func(*awss3.Options) {
	return func(o *awss3.Options) {
		if len(sum) == 0 {
			return
		}
		known := middleware.InitializeMiddlewareFunc("KnownPayloadHash", func(
			ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
		) (middleware.InitializeOutput, middleware.Metadata, error) {
			return next.HandleInitialize(v4.SetPayloadHash(ctx, hex.EncodeToString(sum)), in)
		})
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			return stack.Initialize.Add(known, middleware.Before)
		})
	}
}

// own returns the object that stands under the key if it is this put's, and
// else the refusal. If it cannot be looked at, whose it is is unclear.
func (s *Store) own(ctx context.Context, bucket, key, stamp string, refusal error) (objects.Stored, error) {
	out, err := s.client.HeadObject(ctx, &awss3.HeadObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
	switch {
	case err != nil && !errors.Is(awsconf.Kind(err), upload.ErrAbsent):
		return objects.Stored{}, fmt.Errorf("put object: the key has an object, which cannot be looked at: %w", upload.ErrUnclear)
	case err != nil || out.Metadata[stampName] != stamp:
		return objects.Stored{}, refusal
	}
	return objects.Stored{VersionID: versionOf(out.VersionId), ETag: unquoted(out.ETag)}, nil
}

// versionOf names the version of a bucket that has no versioning.
func versionOf(id *string) string {
	if id == nil {
		return objects.NullVersion
	}
	return *id
}

// PresignPut signs a put of one body of this size, SHA-256 and media type, good
// for life, under a key that has no object yet; without a sum, of any body of
// this size.
func (s *Store) PresignPut(ctx context.Context, bucket, key string, c objects.Content, life time.Duration) (objects.Presigned, error) {
	const doing = "presign put"
	if len(c.SHA256) > 0 && len(c.SHA256) != sha256.Size {
		return objects.Presigned{}, fmt.Errorf("%s: a SHA-256 has 32 bytes, not %d: %w", doing, len(c.SHA256), upload.ErrRefused)
	}
	if err := checkLife(life); err != nil {
		return objects.Presigned{}, fmt.Errorf("%s: %w", doing, err)
	}
	out, err := s.presign.PresignPutObject(ctx, putInput(bucket, key, c), awss3.WithPresignExpires(life))
	if err != nil {
		return objects.Presigned{}, translate(doing, err)
	}
	return presigned(doing, out)
}

// checkLife refuses a life that S3 does not sign: it allows at most seven days
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/PresignedUrlUploadObject.html).
func checkLife(life time.Duration) error {
	const longest = 7 * 24 * time.Hour
	if life < time.Second || life > longest {
		return fmt.Errorf("a life of %v is not between 1s and %v: %w", life, longest, upload.ErrRefused)
	}
	return nil
}

func presigned(doing string, out *v4.PresignedHTTPRequest) (objects.Presigned, error) {
	expires, err := expiry(out.URL)
	if err != nil {
		return objects.Presigned{}, fmt.Errorf("%s: %w", doing, err)
	}
	return objects.Presigned{Method: out.Method, URL: out.URL, Header: out.SignedHeader, ExpiresAt: expires}, nil
}

// expiry reads from a signed URL when it ends; the client's clock signed it,
// and the store will judge it by this.
func expiry(signed string) (time.Time, error) {
	u, err := url.Parse(signed)
	if err != nil {
		return time.Time{}, errors.New("its URL cannot be read")
	}
	at, err := time.Parse("20060102T150405Z", u.Query().Get("X-Amz-Date"))
	if err != nil {
		return time.Time{}, errors.New("its URL has no date")
	}
	seconds, err := strconv.Atoi(u.Query().Get("X-Amz-Expires"))
	if err != nil {
		return time.Time{}, errors.New("its URL has no life")
	}
	return at.Add(time.Duration(seconds) * time.Second), nil
}
