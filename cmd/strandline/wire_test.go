package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

// onWire points the command at the emulator and returns a client of its own.
func onWire(t *testing.T) *awss3.Client {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": localstacktest.Endpoint(t), "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test",
		"AWS_SECRET_ACCESS_KEY": "test", "AWS_PROFILE": "", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
	} {
		t.Setenv(name, value)
	}
	return awsconf.S3(localstacktest.Config(t))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// created makes the table, the queues and the bucket of an installation on the
// wire. They go when the test ends.
func created(t *testing.T, cfg aws.Config, prefix string) (schema.Installation, *create.Created) {
	t.Helper()
	in, err := schema.New(prefix, policy.Default(), "uploads")
	must(t, err)
	made, err := create.Create(t.Context(), create.For(cfg), in)
	must(t, err)
	t.Cleanup(func() { must(t, made.Delete(context.WithoutCancel(t.Context()))) })
	return in, made
}

// versioned makes a bucket with versioning.
func versioned(t *testing.T, client *awss3.Client, bucket string) {
	t.Helper()
	_, err := client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String(bucket)})
	must(t, err)
	_, err = client.PutBucketVersioning(t.Context(), &awss3.PutBucketVersioningInput{
		Bucket: aws.String(bucket), VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	})
	must(t, err)
}

func put(t *testing.T, client *awss3.Client, bucket, key string, body []byte) string {
	t.Helper()
	out, err := client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String(key), Body: bytes.NewReader(body)})
	must(t, err)
	return aws.ToString(out.VersionId)
}

// entry is a line of a key list.
type entry struct {
	Bucket     string `json:"bucket"`
	Key        string `json:"key"`
	VersionID  string `json:"version_id"`
	Size       int    `json:"size"`
	RecordedAt string `json:"recorded_at"`
}

func keyListOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var lines bytes.Buffer
	for _, e := range entries {
		must(t, json.NewEncoder(&lines).Encode(e))
	}
	return lines.Bytes()
}

// TestABucketIsListedAndComparedInBothFormatsAndFromABucket: the whole way on
// a store that makes no inventories. What nobody owns was written a moment ago,
// so it is too fresh; what is owned and gone is missing.
func TestABucketIsListedAndComparedInBothFormatsAndFromABucket(t *testing.T) {
	client := onWire(t)
	const bucket, exports = "command-listed", "command-exports"
	versioned(t, client, bucket)
	versioned(t, client, exports)
	old := time.Now().Add(-100 * time.Hour).UTC().Format(time.RFC3339)
	owned := put(t, client, bucket, "a b+c/é%20.png", []byte("owned"))
	put(t, client, bucket, "a b+c/é%20.png", []byte("nobody's"))
	put(t, client, bucket, "stranger", []byte("nobody's"))
	list := keyListOf(t,
		entry{bucket, "a b+c/é%20.png", owned, 5, old},
		entry{bucket, "away", "v-away", 7, old})
	put(t, client, exports, "lists/keys.jsonl", list)
	local := filepath.Join(t.TempDir(), "keys.jsonl")
	must(t, os.WriteFile(local, list, 0o600))
	for _, format := range []string{"csv", "parquet"} {
		dir := t.TempDir()
		got := runLine(t.Context(), "inventory", "write", "--bucket", bucket, "--out", dir, "--format", format)
		if got.code != exitOK || !strings.HasPrefix(got.out, "3 versions of bucket "+bucket+"\n") {
			t.Fatalf("%s: exit %d, says %q, prints %q", format, got.code, got.errs, got.out)
		}
		manifest := strings.Split(got.out, "\n")[1]
		copyTo(t, client, dir, exports)
		key, err := filepath.Rel(dir, manifest)
		must(t, err)
		at := time.Now().Add(time.Minute).UTC().Format(time.RFC3339)
		for _, from := range [][]string{
			{manifest, local}, {"s3://" + exports + "/" + filepath.ToSlash(key), "s3://" + exports + "/lists/keys.jsonl"},
		} {
			got := runLine(t.Context(), "reconcile", "--inventory", from[0], "--manifest", from[1], "--manifest-time", at, "--json")
			var summary expectation
			if got.code != exitFindings {
				t.Fatalf("%v: exit %d, says %q", from, got.code, got.errs)
			}
			decode(t, []byte(got.out), &summary)
			if c := summary.Counts; c["ok"] != 1 || c["too_fresh"] != 2 || c["missing"] != 1 || len(c) != 3 {
				t.Errorf("%v: %v", from, c)
			}
		}
	}
}

// copyTo puts a folder's files into a bucket, by their paths below it.
func copyTo(t *testing.T, client *awss3.Client, dir, bucket string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		key, err := filepath.Rel(dir, path)
		put(t, client, bucket, filepath.ToSlash(key), readFile(t, path))
		return err
	}))
}

func TestABucketThatIsNotThereIsOneLine(t *testing.T) {
	onWire(t)
	dir := t.TempDir()
	got := runLine(t.Context(), "inventory", "write", "--bucket", "command-nowhere", "--out", dir)
	if got.code != exitFailed || strings.Count(got.errs, "\n") != 1 || !strings.Contains(got.errs, "command-nowhere") {
		t.Errorf("exit %d, says %q", got.code, got.errs)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("it leaves %v", left)
	}
}

func TestAnInterruptedListingExitsWith130(t *testing.T) {
	onWire(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := runLine(ctx, "inventory", "write", "--bucket", "any", "--out", t.TempDir()); got.code != exitInterrupted {
		t.Errorf("exit %d, says %q", got.code, got.errs)
	}
}
