package intake_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	ledgermemory "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/policy"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

// run keeps the buckets of this process apart from those of others.
var (
	run     = rand.Text()[:12]
	buckets atomic.Int64
)

// newWireWorld is a world over the wire, with a bucket of its own. The ledger's
// clock is the story's; the store's is its own, so a presigned URL lives by
// that.
func newWireWorld(t *testing.T) *world {
	t.Helper()
	cfg := awsconf.ForEndpoint(localstacktest.Endpoint(t))
	w := &world{t: t, ctx: t.Context(), policy: policy.Default(), clock: morning}
	w.bucket = wireBucket(t, awsconf.S3(cfg))
	w.ledger, w.store = ledgermemory.New(), s3.New(awsconf.S3(cfg))
	w.redeem = sendPresigned
	t.Cleanup(w.checkInvariants)
	return w
}

func wireBucket(t *testing.T, client *awss3.Client) string {
	t.Helper()
	name := fmt.Sprintf("intake-%s-%d", strings.ToLower(run), buckets.Add(1))
	if _, err := client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String(name)}); err != nil {
		t.Fatal(err)
	}
	_, err := client.PutBucketVersioning(t.Context(), &awss3.PutBucketVersioningInput{
		Bucket:                  aws.String(name),
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// sendPresigned does what the holder of a presigned put does.
func sendPresigned(p objects.Presigned, body []byte) error {
	req, err := http.NewRequest(p.Method, p.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = p.Header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("presigned put: %s", resp.Status)
	}
	return nil
}
