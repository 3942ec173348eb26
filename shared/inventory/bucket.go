package inventory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Bucket is what is needed of a bucket that files lie in.
type Bucket interface {
	// Get reads an object from a byte on. With an ETag it fails unless the
	// object still has it.
	Get(ctx context.Context, key string, from int64, etag string) (Object, error)
}

// Object is one object as it is read. Size is that of the whole of it.
type Object struct {
	Body io.ReadCloser
	Size int64
	ETag string
}

// maxResumes is how often a fetch goes on after its connection broke.
const maxResumes = 5

// InBucket is the files of a bucket. Each is fetched into a temporary file, in
// tempDir or the host's own folder if that is empty, that has no name and is gone
// when it is closed, or its process ends.
func InBucket(b Bucket, tempDir string) Files { return bucketFiles{bucket: b, dir: tempDir} }

type bucketFiles struct {
	bucket Bucket
	dir    string
}

func (b bucketFiles) Open(ctx context.Context, key string) (File, error) {
	f, err := os.CreateTemp(b.dir, "strandline-inventory-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	// A process that is killed must not leave it behind: a function's folder
	// outlives its processes, and is small.
	fetched := &fetchedFile{File: f, named: os.Remove(f.Name()) != nil}
	if fetched.size, err = b.fetch(ctx, key, f); err != nil {
		_ = fetched.Close() // it is the fetch's error that counts
		return nil, fmt.Errorf("fetch it: %w", err)
	}
	return fetched, nil
}

// fetch copies an object to a file. A connection that breaks is taken up again
// where it broke, of the same object only.
func (b bucketFiles) fetch(ctx context.Context, key string, to io.Writer) (int64, error) {
	var have, size int64
	var etag string
	for resumes := 0; ; resumes++ {
		object, err := b.bucket.Get(ctx, key, have, etag)
		if err != nil {
			return 0, err
		}
		if resumes == 0 {
			size, etag = object.Size, object.ETag
		}
		if object.Size != size || object.ETag != etag {
			object.Body.Close()
			return 0, errors.New("the object changed while it was fetched")
		}
		written := &checkedWriter{w: to}
		n, err := io.Copy(written, io.LimitReader(object.Body, size-have+1))
		object.Body.Close()
		have += n
		switch {
		case written.err != nil:
			return 0, fmt.Errorf("write the temporary file: %w", withoutPath(written.err))
		case have == size && err == nil:
			return size, nil
		case have > size:
			return 0, fmt.Errorf("more than the %d bytes that were announced", size)
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case resumes == maxResumes:
			return 0, fmt.Errorf("the connection broke %d times, last after %d of %d bytes", resumes+1, have, size)
		}
	}
}

// checkedWriter keeps a write's error apart from a read's.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil {
		c.err = err
	}
	return n, err
}

// fetchedFile is a temporary file that goes when it is closed.
type fetchedFile struct {
	*os.File
	size  int64
	named bool // the system does not take the name of an open file away
}

func (f *fetchedFile) Size() int64 { return f.size }

func (f *fetchedFile) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
