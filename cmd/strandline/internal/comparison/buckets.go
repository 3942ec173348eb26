package comparison

import (
	"context"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/inventory/s3"
)

// Buckets opens the files of a cloud's bucket. Each is fetched into tempDir
// while it is read.
func Buckets(cloud site.Cloud, tempDir string) func(context.Context, string) (inventory.Files, error) {
	return func(ctx context.Context, bucket string) (inventory.Files, error) {
		cfg, err := cloud.Config(ctx)
		if err != nil {
			return nil, err
		}
		return inventory.InBucket(s3.New(awsconf.S3(cfg), bucket), tempDir), nil
	}
}
