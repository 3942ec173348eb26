package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// BeginMultipart begins a multipart upload whose parts are sent with their
// SHA-256, and returns its id.
func (s *Store) BeginMultipart(ctx context.Context, bucket, key, mediaType string) (string, error) {
	out, err := s.client.CreateMultipartUpload(ctx, &awss3.CreateMultipartUploadInput{
		Bucket: aws.String(bucket), Key: aws.String(key), ContentType: named(mediaType),
		ChecksumAlgorithm: types.ChecksumAlgorithmSha256, ChecksumType: types.ChecksumTypeComposite,
	})
	if err != nil {
		return "", translate("begin multipart upload", err)
	}
	return aws.ToString(out.UploadId), nil
}

// Abort ends one multipart upload and frees its parts; one that does not exist
// is a success. A part that is still being sent may outlive it: what begins to
// stand after an abort is listed and aborted again
// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html).
func (s *Store) Abort(ctx context.Context, bucket, key, uploadID string) error {
	_, err := s.client.AbortMultipartUpload(ctx, &awss3.AbortMultipartUploadInput{
		Bucket: aws.String(bucket), Key: aws.String(key), UploadId: aws.String(uploadID),
	})
	if err == nil || isNoSuchUpload(err) {
		return nil
	}
	return translate("abort multipart upload", err)
}

func isNoSuchUpload(err error) bool {
	code, _ := answerOf(err)
	return code == "NoSuchUpload"
}
