package memory

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Versions lists the versions and delete markers of the keys that begin with
// prefix, as they stood when the listing began.
func (s *Store) Versions(ctx context.Context, name, prefix string) iter.Seq2[objects.Version, error] {
	return yielding(func() ([]objects.Version, error) { return s.snapshot(ctx, name, prefix) })
}

// yielding yields what a read returns, or its error alone.
func yielding[T any](read func() ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		all, err := read()
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
	}
}

func (s *Store) snapshot(ctx context.Context, name, prefix string) ([]objects.Version, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return nil, err
	}
	return b.below(prefix), nil
}

// Stat shows one version, or one delete marker; ErrAbsent if it does not stand.
func (s *Store) Stat(ctx context.Context, name, key, versionID string) (objects.Facts, error) {
	if err := ctx.Err(); err != nil {
		return objects.Facts{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return objects.Facts{}, err
	}
	v := b.find(key, versionID)
	if v == nil {
		return objects.Facts{}, fmt.Errorf("stat version %s: %w", versionID, upload.ErrAbsent)
	}
	return v.facts(), nil
}

// Multiparts lists the unfinished multipart uploads of the keys that begin
// with prefix, by key and then by their beginning.
func (s *Store) Multiparts(ctx context.Context, name, prefix string) iter.Seq2[objects.Multipart, error] {
	return yielding(func() ([]objects.Multipart, error) { return s.unfinished(ctx, name, prefix) })
}

func (s *Store) unfinished(ctx context.Context, name, prefix string) ([]objects.Multipart, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return nil, err
	}
	var all []objects.Multipart
	for _, m := range b.multiparts {
		if strings.HasPrefix(m.Key, prefix) {
			all = append(all, m.Multipart)
		}
	}
	slices.SortStableFunc(all, func(a, b objects.Multipart) int { return strings.Compare(a.Key, b.Key) })
	return all, nil
}

// CheckBucket refuses a bucket in which a version cannot be deleted for good
// by its id: versioning not enabled, or MFA delete on.
func (s *Store) CheckBucket(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	switch {
	case err != nil:
		return err
	case b.options.Versioning != Enabled:
		return fmt.Errorf("bucket %s: versioning is not enabled: %w", name, upload.ErrRefused)
	case b.options.MFADelete:
		return fmt.Errorf("bucket %s: MFA delete is on: %w", name, upload.ErrRefused)
	}
	return nil
}

// Open reads one version from its beginning; ErrAbsent if it does not stand.
func (s *Store) Open(ctx context.Context, name, key, versionID string) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	body, err := s.Read(name, key, versionID)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return io.NopCloser(bytes.NewReader(body)), nil
}
