package create

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/strandline-dev/strandline/shared/schema"
)

// homeRegion takes no location constraint
// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html).
const homeRegion = "us-east-1"

func (m *Created) bucket(ctx context.Context, b schema.Bucket) error {
	exists, err := m.bucketExists(ctx, b.Name)
	if err != nil {
		return err
	}
	if exists {
		return m.sameBucket(ctx, b)
	}
	in := &s3.CreateBucketInput{Bucket: aws.String(b.Name)}
	if b.ObjectLock {
		in.ObjectLockEnabledForBucket = aws.Bool(true)
	}
	if region := m.clients.S3.Options().Region; region != homeRegion {
		in.CreateBucketConfiguration = &types.CreateBucketConfiguration{
			LocationConstraint: types.BucketLocationConstraint(region),
		}
	}
	// It was looked for: "owned by you" is a creation whose answer was lost.
	var own *types.BucketAlreadyOwnedByYou
	if _, err := m.clients.S3.CreateBucket(ctx, in); err != nil && !errors.As(err, &own) {
		return doing(err, "create bucket %s", b.Name)
	}
	m.buckets = append(m.buckets, b.Name)
	_, err = m.clients.S3.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
		Bucket:                  aws.String(b.Name),
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	})
	return doing(err, "turn on versioning of bucket %s", b.Name)
}

// bucketExists looks first: where creating a bucket of one's own again is a
// success, nothing else tells an old bucket from a new one, and Delete must.
func (m *Created) bucketExists(ctx context.Context, name string) (bool, error) {
	_, err := m.clients.S3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: aws.String(name)})
	var absent *types.NotFound
	if errors.As(err, &absent) {
		return false, nil
	}
	return err == nil, doing(err, "look for bucket %s", name)
}

func (m *Created) sameBucket(ctx context.Context, b schema.Bucket) error {
	out, err := m.clients.S3.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: aws.String(b.Name)})
	if err != nil {
		return doing(err, "describe bucket %s", b.Name)
	}
	if out.Status != types.BucketVersioningStatusEnabled {
		return different("bucket", b.Name, "versioning", out.Status, types.BucketVersioningStatusEnabled)
	}
	return nil
}

func (m *Created) deleteBucket(ctx context.Context, name string) error {
	if err := m.empty(ctx, name); err != nil {
		return err
	}
	_, err := m.clients.S3.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: aws.String(name)})
	var code smithy.APIError
	if errors.As(err, &code) && code.ErrorCode() == "NoSuchBucket" {
		return nil // deleted already, and the answer lost
	}
	return doing(err, "delete bucket %s", name)
}

// empty deletes every version of a bucket that this Create made.
func (m *Created) empty(ctx context.Context, name string) error {
	pages := s3.NewListObjectVersionsPaginator(m.clients.S3, &s3.ListObjectVersionsInput{Bucket: aws.String(name)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return doing(err, "list bucket %s", name)
		}
		var all []types.ObjectIdentifier
		for _, v := range page.Versions {
			all = append(all, types.ObjectIdentifier{Key: v.Key, VersionId: v.VersionId})
		}
		for _, v := range page.DeleteMarkers {
			all = append(all, types.ObjectIdentifier{Key: v.Key, VersionId: v.VersionId})
		}
		if len(all) == 0 {
			continue
		}
		out, err := m.clients.S3.DeleteObjects(ctx, &s3.DeleteObjectsInput{
			Bucket: aws.String(name), Delete: &types.Delete{Objects: all, Quiet: aws.Bool(true)},
		})
		if err != nil {
			return doing(err, "empty bucket %s", name)
		}
		if len(out.Errors) > 0 {
			return doing(errors.New(aws.ToString(out.Errors[0].Code)), "empty bucket %s", name)
		}
	}
	return nil
}
