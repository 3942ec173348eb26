package s3_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/inventory/s3"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

func newBucket(t *testing.T) *s3.Bucket {
	t.Helper()
	client := awsconf.S3(localstacktest.Config(t))
	name := fmt.Sprintf("inventories-%x", time.Now().UnixNano())
	if _, err := client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String(name)}); err != nil {
		t.Fatal(err)
	}
	return s3.New(client, name)
}

func put(t *testing.T, b *s3.Bucket, key, text string) {
	t.Helper()
	if err := b.Put(t.Context(), key, strings.NewReader(text), int64(len(text))); err != nil {
		t.Fatal(err)
	}
}

func TestObjectIsReadFromAnyByteOnAndOnlyAsItWas(t *testing.T) {
	b := newBucket(t)
	put(t, b, "k", "0123456789")
	whole, err := b.Get(t.Context(), "k", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	whole.Body.Close()
	rest, err := b.Get(t.Context(), "k", 4, whole.ETag)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(rest.Body)
	rest.Body.Close()
	if string(text) != "456789" || err != nil || rest.Size != 10 || whole.Size != 10 || rest.ETag != whole.ETag {
		t.Errorf("%q of %d, %v", text, rest.Size, err)
	}
	put(t, b, "k", "abcdefghij")
	if _, err := b.Get(t.Context(), "k", 4, whole.ETag); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("the rest of another object: %v", err)
	}
	if _, err := b.Get(t.Context(), "secret-name", 0, ""); !errors.Is(err, upload.ErrAbsent) || strings.Contains(err.Error(), "secret-name") {
		t.Errorf("an absent object: %v", err)
	}
}

func TestWhatWasPutIsThereUntilItIsRemoved(t *testing.T) {
	b := newBucket(t)
	for _, want := range []bool{false, true, false} {
		got, err := b.Exists(t.Context(), "k")
		if got != want || err != nil {
			t.Fatalf("exists: %t, %v", got, err)
		}
		if want {
			if err := b.Remove(t.Context(), "k"); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !got {
			put(t, b, "k", "x")
		}
	}
}

func TestInventoryIsWrittenToABucketAndReadFromIt(t *testing.T) {
	b := newBucket(t)
	rows := func(yield func(*inventory.Row, error) bool) {
		for i := range 50 {
			row := inventory.Row{Bucket: []byte("uploads"), Key: fmt.Appendf(nil, "a b/%d", i), VersionID: []byte("v"), Size: int64(i), LastModified: 1}
			if !yield(&row, nil) {
				return
			}
		}
	}
	for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet} {
		temp := t.TempDir()
		key, err := inventory.Write(t.Context(), b, inventory.Delivery{
			Bucket: "uploads", Destination: "reports", Config: string(format), Created: time.Unix(1_795_827_600, 0), Format: format, RowsPerFile: 20, TempDir: temp,
		}, rows)
		if err != nil {
			t.Fatal(err)
		}
		r, err := inventory.Open(t.Context(), inventory.InBucket(b, temp), key, inventory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for part := range r.Parts() {
			for row, err := range r.Rows(t.Context(), part) {
				if err != nil {
					t.Fatal(err)
				}
				if row.Size != n || !bytes.Equal(row.Key, fmt.Appendf(nil, "a b/%d", n)) {
					t.Fatalf("row %d: %q of %d bytes", n, row.Key, row.Size)
				}
				n++
			}
		}
		if n != 50 || r.Parts() != 3 {
			t.Errorf("%s: %d rows in %d files", format, n, r.Parts())
		}
	}
}
