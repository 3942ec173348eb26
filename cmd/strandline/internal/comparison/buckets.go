package comparison

import (
	"context"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/inventory/s3"
)

// Buckets opens the files of a bucket, with the environment's region,
// credentials and endpoint. Each is fetched into tempDir while it is read.
func Buckets(tempDir string) func(context.Context, string) (inventory.Files, error) {
	return func(ctx context.Context, bucket string) (inventory.Files, error) {
		cfg, err := awsconf.LoadSigned(ctx, awsconf.Given{})
		if err != nil {
			return nil, err
		}
		return inventory.InBucket(s3.New(awsconf.S3(cfg), bucket), tempDir), nil
	}
}
