package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Put writes one object under a key that has none (or only a delete marker on
// top). ErrRefused if there is one, or if the body is not of this size and
// SHA-256; an empty sha256 is not compared.
func (s *Store) Put(ctx context.Context, name, key string, body io.Reader, size int64, sum []byte) (objects.Stored, error) {
	content, err := io.ReadAll(body)
	if err != nil {
		return objects.Stored{}, fmt.Errorf("put: read the body: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return objects.Stored{}, err
	}
	digest := sha256.Sum256(content)
	if int64(len(content)) != size || len(sum) > 0 && !bytes.Equal(sum, digest[:]) {
		return objects.Stored{}, fmt.Errorf("put: the body has another size or SHA-256: %w", upload.ErrRefused)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return objects.Stored{}, err
	}
	if top := b.current(key); top != nil && !top.marker {
		return objects.Stored{}, fmt.Errorf("put: the key has an object: %w", upload.ErrRefused)
	}
	v := &version{body: content, etag: etagOf(content), modified: s.now()}
	s.add(b, key, v)
	return objects.Stored{VersionID: v.id, ETag: v.etag}, nil
}

// etagOf is opaque, as ETags are: equal for equal content.
func etagOf(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:16])
}

// PresignPut signs a put of one body, of any content if sum is empty;
// [Store.Redeem] is what its URL does.
func (s *Store) PresignPut(_ context.Context, name, key string, size int64, sum []byte, life time.Duration) (objects.Presigned, error) {
	expires := s.now().Add(life)
	query := url.Values{"key": {key}, "expires": {expires.Format(time.RFC3339Nano)}}
	header := http.Header{"If-None-Match": {"*"}, "Content-Length": {strconv.FormatInt(size, 10)}}
	if len(sum) > 0 {
		header.Set("X-Amz-Checksum-Sha256", hex.EncodeToString(sum))
	}
	return objects.Presigned{
		Method: http.MethodPut, URL: "memory://" + name + "/?" + query.Encode(),
		Header: header, ExpiresAt: expires,
	}, nil
}

// Redeem does the put that was presigned. ErrDenied once it has expired.
func (s *Store) Redeem(ctx context.Context, p objects.Presigned, body io.Reader) (objects.Stored, error) {
	u, err := url.Parse(p.URL)
	if err != nil {
		return objects.Stored{}, fmt.Errorf("presigned put: its URL: %w", err)
	}
	expires, err := time.Parse(time.RFC3339Nano, u.Query().Get("expires"))
	if err != nil || s.now().After(expires) {
		return objects.Stored{}, fmt.Errorf("presigned put: expired: %w", upload.ErrDenied)
	}
	size, err := strconv.ParseInt(p.Header.Get("Content-Length"), 10, 64)
	if err != nil {
		return objects.Stored{}, fmt.Errorf("presigned put: its size: %w", err)
	}
	sum, err := hex.DecodeString(p.Header.Get("X-Amz-Checksum-Sha256"))
	if err != nil {
		return objects.Stored{}, fmt.Errorf("presigned put: its SHA-256: %w", err)
	}
	return s.Put(ctx, u.Host, u.Query().Get("key"), body, size, sum)
}

// BeginMultipart begins a multipart upload and returns its id.
func (s *Store) BeginMultipart(ctx context.Context, name, key string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return "", err
	}
	m := objects.Multipart{Key: key, UploadID: s.nextID("m"), Begun: s.now()}
	b.multiparts = append(b.multiparts, m)
	return m.UploadID, nil
}
