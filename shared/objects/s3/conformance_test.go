package s3_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/objectstest"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

func TestConformance(t *testing.T) {
	objectstest.Run(t, newWorld(t, likeS3))
}

// world is the emulator, and a client with all rights beside the store's own.
type world struct {
	store   *s3.Store
	own     *awss3.Client // the store's own client
	client  *awss3.Client
	run     string
	buckets int
}

func newWorld(t testing.TB, opts ...func(*awss3.Options)) *world {
	t.Helper()
	cfg := localstacktest.Config(t)
	own := awsconf.S3(cfg, opts...)
	return &world{
		store:  s3.New(own),
		own:    own,
		client: awsconf.S3(cfg),
		run:    fmt.Sprintf("objects-%x", time.Now().UnixNano()),
	}
}

func (w *world) Store() objectstest.Store { return w.store }

func (w *world) Bucket(t testing.TB, v objectstest.Versioning) string {
	t.Helper()
	w.buckets++
	name := fmt.Sprintf("%s-%d", w.run, w.buckets)
	_, err := w.client.CreateBucket(t.Context(), &awss3.CreateBucketInput{
		Bucket: aws.String(name), ObjectLockEnabledForBucket: aws.Bool(v == objectstest.Enabled),
	})
	must(t, err)
	if v != objectstest.Never {
		w.SetVersioning(t, name, v)
	}
	return name
}

func (w *world) SetVersioning(t testing.TB, bucket string, v objectstest.Versioning) {
	t.Helper()
	_, err := w.client.PutBucketVersioning(t.Context(), &awss3.PutBucketVersioningInput{
		Bucket:                  aws.String(bucket),
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatus(v)},
	})
	must(t, err)
}

func (w *world) Write(t testing.TB, bucket, key, body string) string {
	t.Helper()
	out, err := w.client.PutObject(t.Context(), &awss3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key), Body: strings.NewReader(body),
	})
	must(t, err)
	return aws.ToString(out.VersionId)
}

func (w *world) Mark(t testing.TB, bucket, key string) string {
	t.Helper()
	out, err := w.client.DeleteObject(t.Context(), &awss3.DeleteObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
	must(t, err)
	return aws.ToString(out.VersionId)
}

func (w *world) Lock(t testing.TB, bucket, key, versionID string) time.Time {
	t.Helper()
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	_, err := w.client.PutObjectRetention(t.Context(), &awss3.PutObjectRetentionInput{
		Bucket: aws.String(bucket), Key: aws.String(key), VersionId: aws.String(versionID),
		Retention: &types.ObjectLockRetention{Mode: types.ObjectLockRetentionModeGovernance, RetainUntilDate: aws.Time(until)},
	})
	must(t, err)
	return until
}

func (w *world) Hold(t testing.TB, bucket, key, versionID string) {
	t.Helper()
	_, err := w.client.PutObjectLegalHold(t.Context(), &awss3.PutObjectLegalHoldInput{
		Bucket: aws.String(bucket), Key: aws.String(key), VersionId: aws.String(versionID),
		LegalHold: &types.ObjectLockLegalHold{Status: types.ObjectLockLegalHoldStatusOn},
	})
	must(t, err)
}

func (w *world) Redeem(t testing.TB, p objects.Presigned, body string) error {
	t.Helper()
	status := send(t, p, body)
	if status == http.StatusPreconditionFailed {
		return upload.ErrRefused
	}
	if status != http.StatusOK {
		return fmt.Errorf("presigned put: status %d", status)
	}
	return nil
}

// send does what the holder of a presigned put does.
func send(t testing.TB, p objects.Presigned, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), p.Method, p.URL, strings.NewReader(body))
	must(t, err)
	req.Header = p.Header.Clone()
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	_ = resp.Body.Close()
	return resp.StatusCode
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
