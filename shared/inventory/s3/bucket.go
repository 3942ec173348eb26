package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Bucket is one bucket. It needs s3:GetObject to read; s3:PutObject,
// s3:ListBucket and s3:DeleteObject to write.
type Bucket struct {
	client *awss3.Client
	name   string
}

var (
	_ inventory.Bucket = (*Bucket)(nil)
	_ inventory.Sink   = (*Bucket)(nil)
)

// New returns the bucket of a name.
func New(client *awss3.Client, name string) *Bucket { return &Bucket{client: client, name: name} }

// Get reads an object from a byte on; with an ETag only if it still has it.
// The caller closes the body.
func (b *Bucket) Get(ctx context.Context, key string, from int64, etag string) (inventory.Object, error) {
	in := &awss3.GetObjectInput{Bucket: aws.String(b.name), Key: aws.String(key)}
	if from > 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", from))
	}
	if etag != "" {
		in.IfMatch = aws.String(etag)
	}
	out, err := b.client.GetObject(ctx, in)
	if err != nil {
		return inventory.Object{}, b.translate("read an object", err)
	}
	size, err := sizeOf(out, from)
	if err != nil {
		out.Body.Close()
		return inventory.Object{}, err
	}
	return inventory.Object{Body: out.Body, Size: size, ETag: aws.ToString(out.ETag)}, nil
}

// sizeOf returns the size of the whole object. An answer to a range states it
// after the slash (bytes 5-9/10); a store that ignored the range would send
// what is there already.
func sizeOf(out *awss3.GetObjectOutput, from int64) (int64, error) {
	if from == 0 {
		if out.ContentLength == nil {
			return 0, errors.New("read an object: the answer does not state its size")
		}
		return *out.ContentLength, nil
	}
	begin, total, ok := strings.Cut(aws.ToString(out.ContentRange), "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if !ok || err != nil || !strings.HasPrefix(begin, fmt.Sprintf("bytes %d-", from)) {
		return 0, errors.New("read an object: the answer is not the range that was asked for")
	}
	return size, nil
}

// Exists reports whether a key has an object.
func (b *Bucket) Exists(ctx context.Context, key string) (bool, error) {
	_, err := b.client.HeadObject(ctx, &awss3.HeadObjectInput{Bucket: aws.String(b.name), Key: aws.String(key)})
	if err == nil {
		return true, nil
	}
	err = b.translate("look for an object", err)
	if errors.Is(err, upload.ErrAbsent) {
		return false, nil
	}
	return false, err
}

// Put stores an object as a whole.
func (b *Bucket) Put(ctx context.Context, key string, body io.ReadSeeker, size int64) error {
	_, err := b.client.PutObject(ctx, &awss3.PutObjectInput{
		Bucket: aws.String(b.name), Key: aws.String(key), Body: body, ContentLength: aws.Int64(size),
	})
	if err != nil {
		return b.translate("store an object", err)
	}
	return nil
}

// Remove takes an object away; in a bucket with versioning it is hidden, not
// gone.
func (b *Bucket) Remove(ctx context.Context, key string) error {
	_, err := b.client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: aws.String(b.name), Key: aws.String(key)})
	if err != nil {
		return b.translate("remove an object", err)
	}
	return nil
}

// translate says what was being done, and of which kind its failure is, without
// the key that the SDK's words may have.
func (b *Bucket) translate(doing string, err error) error {
	var response *awshttp.ResponseError
	if errors.As(err, &response) && response.HTTPStatusCode() == http.StatusPreconditionFailed {
		return fmt.Errorf("%s of bucket %s: it changed meanwhile: %w", doing, b.name, upload.ErrRefused)
	}
	return fmt.Errorf("%s of bucket %s: %w", doing, b.name, awsconf.Kind(err))
}
