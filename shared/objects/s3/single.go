package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/objects"
)

// deleteSingle deletes the versions whose keys a batch cannot carry, one call
// each, with the key in the URL; each is sent once.
func (s *Store) deleteSingle(ctx context.Context, bucket string, single []entry, found answers) {
	for _, e := range single {
		if ctx.Err() != nil {
			found.set(e, objects.Failed, codeCancelled)
			continue
		}
		_, err := s.client.DeleteObject(ctx, &awss3.DeleteObjectInput{
			Bucket: aws.String(bucket), Key: aws.String(e.key), VersionId: aws.String(e.versionID),
		}, once)
		if err == nil {
			found.set(e, objects.Gone, "")
			continue
		}
		outcome, code := failed(err)
		if code == "NoSuchVersion" {
			outcome = objects.Gone
		}
		found.set(e, outcome, code)
	}
}
