package memory

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// multipart is one unfinished multipart upload, and what has come of it.
type multipart struct {
	objects.Multipart
	mediaType string
	parts     []part // ascending by number
}

type part struct {
	objects.Part
	body []byte
}

// BeginMultipart begins a multipart upload and returns its id.
func (s *Store) BeginMultipart(ctx context.Context, name, key, mediaType string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return "", err
	}
	m := &multipart{Multipart: objects.Multipart{Key: key, UploadID: s.nextID("m"), Begun: s.now()}, mediaType: mediaType}
	b.multiparts = append(b.multiparts, m)
	return m.UploadID, nil
}

// unfinishedUpload returns the multipart upload; ErrAbsent if it is over. The
// lock must be held.
func (s *Store) unfinishedUpload(name, key, uploadID string) (*bucket, *multipart, error) {
	b, err := s.bucket(name)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range b.multiparts {
		if m.Key == key && m.UploadID == uploadID {
			return b, m, nil
		}
	}
	return b, nil, fmt.Errorf("the multipart upload is over: %w", upload.ErrAbsent)
}

// UploadPart sends one part; see objects.PartStore.
func (s *Store) UploadPart(ctx context.Context, name, key, uploadID string, p objects.Part, body io.Reader) (objects.Part, error) {
	content, err := read(ctx, body, p.Size, p.SHA256)
	if err != nil {
		return objects.Part{}, fmt.Errorf("upload part: %w", err)
	}
	if p.Number < 1 || p.Number > objects.MaxParts || len(p.SHA256) != 32 {
		return objects.Part{}, fmt.Errorf("upload part: its number is not between 1 and %d, or it has no SHA-256: %w", objects.MaxParts, upload.ErrRefused)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m, err := s.unfinishedUpload(name, key, uploadID)
	if err != nil {
		return objects.Part{}, fmt.Errorf("upload part: %w", err)
	}
	p.ETag = etagOf(content)
	i, found := m.find(p.Number)
	if found {
		m.parts[i] = part{p, content}
	} else {
		m.parts = slices.Insert(m.parts, i, part{p, content})
	}
	return p, nil
}

func (m *multipart) find(number int) (int, bool) {
	return slices.BinarySearchFunc(m.parts, number, func(p part, n int) int { return p.Number - n })
}

// ListParts lists the parts that have come; see objects.PartStore.
func (s *Store) ListParts(ctx context.Context, name, key, uploadID string) iter.Seq2[objects.Part, error] {
	return yielding(func() ([]objects.Part, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		_, m, err := s.unfinishedUpload(name, key, uploadID)
		if err != nil {
			return nil, fmt.Errorf("list parts: %w", err)
		}
		all := make([]objects.Part, len(m.parts))
		for i, p := range m.parts {
			all[i] = p.Part
		}
		return all, nil
	})
}

// CompleteMultipart makes the parts the object of a key; see objects.PartStore.
func (s *Store) CompleteMultipart(ctx context.Context, name, key, uploadID string, parts []objects.Part) (objects.Stored, error) {
	if err := ctx.Err(); err != nil {
		return objects.Stored{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, m, err := s.unfinishedUpload(name, key, uploadID)
	if b == nil {
		return objects.Stored{}, err
	}
	if top := b.current(key); b.taken(key) {
		if top.checksum == objects.Composite(parts) {
			return objects.Stored{VersionID: top.id, ETag: top.etag}, nil
		}
		return objects.Stored{}, fmt.Errorf("complete multipart upload: the key has an object: %w", upload.ErrRefused)
	}
	if err != nil {
		return objects.Stored{}, fmt.Errorf("complete multipart upload: %w", err)
	}
	content, err := m.join(parts)
	if err != nil {
		return objects.Stored{}, fmt.Errorf("complete multipart upload: %w", err)
	}
	b.multiparts = slices.DeleteFunc(b.multiparts, func(o *multipart) bool { return o == m })
	return s.stored(b, key, &version{
		body: content, etag: fmt.Sprintf("%s-%d", etagOf(content), len(parts)), checksum: objects.Composite(parts),
		mediaType: m.mediaType, modified: m.Begun, // as S3 dates it
	}), nil
}

// join is the content of the parts that are named, which have to be those that
// have come, ascending, and all but the last of a part's least size.
func (m *multipart) join(parts []objects.Part) ([]byte, error) {
	var content []byte
	before := 0
	for n, p := range parts {
		i, found := m.find(p.Number)
		switch {
		case !found || p.Number <= before, m.parts[i].ETag != p.ETag, !bytes.Equal(m.parts[i].SHA256, p.SHA256):
			return nil, fmt.Errorf("part %d is not what has come: %w", p.Number, upload.ErrRefused)
		case n < len(parts)-1 && m.parts[i].Size < objects.MinPartBytes:
			return nil, fmt.Errorf("part %d is too small: %w", p.Number, upload.ErrRefused)
		}
		before = p.Number
		content = append(content, m.parts[i].body...)
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("it has no parts: %w", upload.ErrRefused)
	}
	return content, nil
}
