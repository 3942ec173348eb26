package s3

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Store is every bucket that its client can reach. It is safe for concurrent
// use.
type Store struct {
	client  *awss3.Client
	presign *awss3.PresignClient
}

// New returns the store behind the client.
func New(client *awss3.Client) *Store {
	return &Store{client: client, presign: awss3.NewPresignClient(client)}
}

// CheckBucket refuses (ErrRefused) a bucket in which a version cannot be
// deleted for good by its id: versioning is not enabled, MFA delete is on, or
// it does not exist.
func (s *Store) CheckBucket(ctx context.Context, bucket string) error {
	out, err := s.client.GetBucketVersioning(ctx, &awss3.GetBucketVersioningInput{Bucket: aws.String(bucket)})
	code, _ := answerOf(err)
	switch {
	case code == "NoSuchBucket":
		return fmt.Errorf("bucket %s does not exist: %w", bucket, upload.ErrRefused)
	case err != nil:
		return translate("read the versioning of bucket "+bucket, err)
	case out.Status != types.BucketVersioningStatusEnabled:
		return fmt.Errorf("bucket %s: versioning is %s, not enabled: %w", bucket, state(string(out.Status)), upload.ErrRefused)
	case out.MFADelete == types.MFADeleteStatusEnabled:
		return fmt.Errorf("bucket %s: MFA delete is on: %w", bucket, upload.ErrRefused)
	}
	return nil
}

// state names a versioning status; a bucket that never had any answers with
// none.
func state(status string) string {
	if status == "" {
		return "off"
	}
	return status
}
