package s3

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// UploadPart sends one part and returns it with its ETag. ErrRefused if the
// body is not of this size and SHA-256, ErrAbsent if the upload is over. The
// body is read once, and only sent again if it can seek.
func (s *Store) UploadPart(ctx context.Context, bucket, key, uploadID string, p objects.Part, body io.Reader) (objects.Part, error) {
	const doing = "upload part"
	if err := checkPart(p); err != nil {
		return objects.Part{}, fmt.Errorf("%s: %w", doing, err)
	}
	in := partInput(bucket, key, uploadID, p)
	in.Body = body
	out, err := s.client.UploadPart(ctx, in, signing(p.SHA256))
	if err != nil {
		return objects.Part{}, translatePart(doing, err)
	}
	p.ETag = unquoted(out.ETag)
	return p, nil
}

func checkPart(p objects.Part) error {
	switch {
	case p.Number < 1 || p.Number > objects.MaxParts:
		return fmt.Errorf("its number is %d, not between 1 and %d: %w", p.Number, objects.MaxParts, upload.ErrRefused)
	case p.Size < 0 || p.Size > objects.MaxPartBytes:
		return fmt.Errorf("its size is %d, not between 0 and %d: %w", p.Size, int64(objects.MaxPartBytes), upload.ErrRefused)
	case len(p.SHA256) != sha256.Size:
		return fmt.Errorf("its SHA-256 has %d bytes, not 32: %w", len(p.SHA256), upload.ErrRefused)
	}
	return nil
}

func partInput(bucket, key, uploadID string, p objects.Part) *awss3.UploadPartInput {
	return &awss3.UploadPartInput{
		Bucket: aws.String(bucket), Key: aws.String(key), UploadId: aws.String(uploadID),
		PartNumber: aws.Int32(int32(p.Number)), ContentLength: aws.Int64(p.Size), // #nosec G115 -- checked: at most 10,000
		ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(p.SHA256)),
	}
}

// translatePart is translatePut for what belongs to one multipart upload: one
// that does not exist is absent.
func translatePart(doing string, err error) error {
	if isNoSuchUpload(err) {
		return fmt.Errorf("%s: the multipart upload is over: %w", doing, upload.ErrAbsent)
	}
	return translatePut(doing, err)
}

// ListParts lists the parts that have come, ascending; ErrAbsent if the upload
// is over.
func (s *Store) ListParts(ctx context.Context, bucket, key, uploadID string) iter.Seq2[objects.Part, error] {
	return func(yield func(objects.Part, error) bool) {
		pages := awss3.NewListPartsPaginator(s.client, &awss3.ListPartsInput{
			Bucket: aws.String(bucket), Key: aws.String(key), UploadId: aws.String(uploadID),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(objects.Part{}, translatePart("list parts", err))
				return
			}
			for _, p := range page.Parts {
				if !yield(partOf(p)) {
					return
				}
			}
		}
	}
}

func partOf(p types.Part) (objects.Part, error) {
	sum, err := base64.StdEncoding.DecodeString(aws.ToString(p.ChecksumSHA256))
	if err != nil {
		return objects.Part{}, fmt.Errorf("list parts: the SHA-256 of part %d is not base64", aws.ToInt32(p.PartNumber))
	}
	return objects.Part{
		Number: int(aws.ToInt32(p.PartNumber)), Size: aws.ToInt64(p.Size), SHA256: sum, ETag: unquoted(p.ETag),
	}, nil
}

// PresignPart signs one part of this number, size and SHA-256, good for life.
func (s *Store) PresignPart(ctx context.Context, bucket, key, uploadID string, p objects.Part, life time.Duration) (objects.Presigned, error) {
	const doing = "presign part"
	err := checkPart(p)
	if err == nil {
		err = checkLife(life)
	}
	if err != nil {
		return objects.Presigned{}, fmt.Errorf("%s: %w", doing, err)
	}
	out, err := s.presign.PresignUploadPart(ctx, partInput(bucket, key, uploadID, p), awss3.WithPresignExpires(life))
	if err != nil {
		return objects.Presigned{}, translate(doing, err)
	}
	return presigned(doing, out)
}

// CompleteMultipart makes the parts, ascending, the object of a key that has
// none; see objects.PartStore.
func (s *Store) CompleteMultipart(ctx context.Context, bucket, key, uploadID string, parts []objects.Part) (objects.Stored, error) {
	const doing = "complete multipart upload"
	if len(parts) == 0 {
		return objects.Stored{}, fmt.Errorf("%s: it has no parts: %w", doing, upload.ErrRefused)
	}
	all := make([]types.CompletedPart, len(parts))
	for i, p := range parts {
		if err := checkPart(p); err != nil {
			return objects.Stored{}, fmt.Errorf("%s: part %d: %w", doing, i+1, err)
		}
		all[i] = types.CompletedPart{
			PartNumber: aws.Int32(int32(p.Number)), ETag: aws.String(p.ETag), // #nosec G115 -- checked: at most 10,000
			ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(p.SHA256)),
		}
	}
	out, err := s.client.CompleteMultipartUpload(ctx, &awss3.CompleteMultipartUploadInput{
		Bucket: aws.String(bucket), Key: aws.String(key), UploadId: aws.String(uploadID),
		MultipartUpload: &types.CompletedMultipartUpload{Parts: all}, IfNoneMatch: aws.String(anyObject),
	})
	if err == nil {
		return objects.Stored{VersionID: versionOf(out.VersionId), ETag: unquoted(out.ETag)}, nil
	}
	err = translateComplete(doing, err)
	if errors.Is(err, upload.ErrRefused) || errors.Is(err, upload.ErrAbsent) {
		return s.joined(ctx, bucket, key, parts, err)
	}
	return objects.Stored{}, err
}

// translateComplete: parts that are not the ones that have come are refused
// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html).
func translateComplete(doing string, err error) error {
	switch code, _ := answerOf(err); code {
	case "InvalidPart", "InvalidPartOrder", "EntityTooSmall", "InvalidRequest":
		return fmt.Errorf("%s: %s: %w", doing, code, upload.ErrRefused)
	}
	return translatePart(doing, err)
}

// joined returns the object that stands under the key if it is made of exactly
// these parts, and else the refusal: an earlier completion may have been done,
// and its answer lost. Where the store keeps no checksum, whose it is is
// unclear.
func (s *Store) joined(ctx context.Context, bucket, key string, parts []objects.Part, refusal error) (objects.Stored, error) {
	out, err := s.client.HeadObject(ctx, &awss3.HeadObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key), ChecksumMode: types.ChecksumModeEnabled,
	})
	switch {
	case err != nil && errors.Is(awsconf.Kind(err), upload.ErrAbsent):
		return objects.Stored{}, refusal
	case err != nil:
		return objects.Stored{}, fmt.Errorf("complete multipart upload: the key has an object, which cannot be looked at: %w", upload.ErrUnclear)
	}
	switch checksumOf(out) {
	case objects.Composite(parts):
		return objects.Stored{VersionID: versionOf(out.VersionId), ETag: unquoted(out.ETag)}, nil
	case "":
		return objects.Stored{}, fmt.Errorf("complete multipart upload: the key has an object without a checksum: %w", upload.ErrUnclear)
	}
	return objects.Stored{}, refusal
}
