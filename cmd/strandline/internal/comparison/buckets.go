package comparison

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/inventory"
)

// Buckets opens the files of a bucket, with the environment's region,
// credentials and endpoint. Each is fetched into tempDir while it is read.
func Buckets(tempDir string) func(context.Context, string) (inventory.Files, error) {
	return func(ctx context.Context, bucket string) (inventory.Files, error) {
		cfg, err := awsconf.Load(ctx)
		if err != nil {
			return nil, err
		}
		return inventory.InBucket(source{awsconf.S3(cfg), bucket}, tempDir), nil
	}
}

// source reads the objects of one bucket.
type source struct {
	client *s3.Client
	bucket string
}

func (s source) Get(ctx context.Context, key string, from int64, etag string) (inventory.Object, error) {
	in := &s3.GetObjectInput{Bucket: aws.String(s.bucket), Key: aws.String(key)}
	if from > 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", from))
	}
	if etag != "" {
		in.IfMatch = aws.String(etag)
	}
	out, err := s.client.GetObject(ctx, in)
	if err != nil {
		return inventory.Object{}, fmt.Errorf("bucket %s: %w", s.bucket, awsconf.Kind(err))
	}
	return inventory.Object{Body: out.Body, Size: from + aws.ToInt64(out.ContentLength), ETag: aws.ToString(out.ETag)}, nil
}
