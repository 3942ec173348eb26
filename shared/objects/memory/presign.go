package memory

import (
	"context"
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

const checksumHeader = "X-Amz-Checksum-Sha256"

// PresignPut signs a put of one body, of any content if it has no SHA-256;
// [Store.Redeem] is what its URL does.
func (s *Store) PresignPut(_ context.Context, name, key string, c objects.Content, life time.Duration) (objects.Presigned, error) {
	p := s.presigned(name, url.Values{"key": {key}}, c.Size, c.SHA256, life)
	p.Header.Set("If-None-Match", "*")
	if c.Type != "" {
		p.Header.Set("Content-Type", c.Type)
	}
	return p, nil
}

// PresignPart signs one part of this number, size and SHA-256.
func (s *Store) PresignPart(_ context.Context, name, key, uploadID string, p objects.Part, life time.Duration) (objects.Presigned, error) {
	query := url.Values{"key": {key}, "uploadId": {uploadID}, "partNumber": {strconv.Itoa(p.Number)}}
	return s.presigned(name, query, p.Size, p.SHA256, life), nil
}

func (s *Store) presigned(name string, query url.Values, size int64, sum []byte, life time.Duration) objects.Presigned {
	expires := s.now().Add(life)
	query.Set("expires", expires.Format(time.RFC3339Nano))
	header := http.Header{"Content-Length": {strconv.FormatInt(size, 10)}}
	if len(sum) > 0 {
		header.Set(checksumHeader, hex.EncodeToString(sum))
	}
	return objects.Presigned{
		Method: http.MethodPut, URL: "memory://" + name + "/?" + query.Encode(), Header: header, ExpiresAt: expires,
	}
}

// Redeem does the put, or sends the part, that was presigned; of a part only
// the ETag comes back. ErrDenied once it has expired.
func (s *Store) Redeem(ctx context.Context, p objects.Presigned, body io.Reader) (objects.Stored, error) {
	u, err := url.Parse(p.URL)
	if err != nil {
		return objects.Stored{}, fmt.Errorf("presigned put: its URL: %w", err)
	}
	query := u.Query()
	expires, err := time.Parse(time.RFC3339Nano, query.Get("expires"))
	if err != nil || s.now().After(expires) {
		return objects.Stored{}, fmt.Errorf("presigned put: expired: %w", upload.ErrDenied)
	}
	size, err := strconv.ParseInt(p.Header.Get("Content-Length"), 10, 64)
	if err != nil {
		return objects.Stored{}, fmt.Errorf("presigned put: its size: %w", err)
	}
	sum, err := hex.DecodeString(p.Header.Get(checksumHeader))
	if err != nil {
		return objects.Stored{}, fmt.Errorf("presigned put: its SHA-256: %w", err)
	}
	if !query.Has("uploadId") {
		return s.Put(ctx, u.Host, query.Get("key"), body, objects.Content{Size: size, SHA256: sum, Type: p.Header.Get("Content-Type")})
	}
	number, err := strconv.Atoi(query.Get("partNumber"))
	if err != nil {
		return objects.Stored{}, fmt.Errorf("presigned part: its number: %w", err)
	}
	part, err := s.UploadPart(ctx, u.Host, query.Get("key"), query.Get("uploadId"), objects.Part{Number: number, Size: size, SHA256: sum}, body)
	return objects.Stored{ETag: part.ETag}, err
}
