package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Put writes one object under a key that has none (or only a delete marker on
// top). ErrRefused if there is one, or if the body is not of this size and
// SHA-256; no SHA-256 is not compared.
func (s *Store) Put(ctx context.Context, name, key string, body io.Reader, c objects.Content) (objects.Stored, error) {
	content, err := read(ctx, body, c.Size, c.SHA256)
	if err != nil {
		return objects.Stored{}, fmt.Errorf("put: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return objects.Stored{}, err
	}
	if b.taken(key) {
		return objects.Stored{}, fmt.Errorf("put: the key has an object: %w", upload.ErrRefused)
	}
	return s.stored(b, key, &version{
		body: content, etag: etagOf(content), checksum: objects.Checksum(c.SHA256), mediaType: c.Type, modified: s.now(),
	}), nil
}

// read reads a body that has to be of this size and, if there is one, SHA-256.
func read(ctx context.Context, body io.Reader, size int64, sum []byte) ([]byte, error) {
	content, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	digest := sha256.Sum256(content)
	if int64(len(content)) != size || len(sum) > 0 && !bytes.Equal(sum, digest[:]) {
		return nil, fmt.Errorf("the body has another size or SHA-256: %w", upload.ErrRefused)
	}
	return content, nil
}

// taken reports whether If-None-Match: * fails.
func (b *bucket) taken(key string) bool {
	top := b.current(key)
	return top != nil && !top.marker
}

func (s *Store) stored(b *bucket, key string, v *version) objects.Stored {
	s.add(b, key, v)
	return objects.Stored{VersionID: v.id, ETag: v.etag}
}

// etagOf is opaque, as ETags are: equal for equal content.
func etagOf(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:16])
}
