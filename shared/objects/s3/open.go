package s3

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Open reads one version from its beginning; ErrAbsent if it does not stand.
func (s *Store) Open(ctx context.Context, bucket, key, versionID string) (io.ReadCloser, error) {
	out, err := s.client.GetObject(ctx, &awss3.GetObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key), VersionId: aws.String(versionID),
	})
	if err == nil {
		return out.Body, nil
	}
	if code, status := answerOf(err); code == "NoSuchVersion" || code == "NoSuchKey" || status == http.StatusMethodNotAllowed {
		return nil, fmt.Errorf("open version %s: %w", versionID, upload.ErrAbsent)
	}
	return nil, translate("open version "+versionID, err)
}
