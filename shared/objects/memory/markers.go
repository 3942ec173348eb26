package memory

import (
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// PlaceMarker hides the current version of the key behind a delete marker, if
// its ETag is this one, and returns the marker's version id; ErrRefused if
// another version is the current one, or versioning is not enabled.
func (s *Store) PlaceMarker(ctx context.Context, name, key, etag string) (string, error) {
	if err := s.CheckBucket(ctx, name); err != nil {
		return "", fmt.Errorf("place a delete marker: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return "", err
	}
	top := b.current(key)
	if etag == "" || top == nil || top.marker || top.etag != etag {
		return "", fmt.Errorf("place a delete marker: another version is the current one: %w", upload.ErrRefused)
	}
	marker := &version{marker: true, modified: s.now()}
	s.add(b, key, marker)
	return marker.id, nil
}

// RemoveMarker removes exactly that delete marker; ErrAbsent if it does not
// stand, ErrRefused if the version is an object or does not identify it.
func (s *Store) RemoveMarker(ctx context.Context, name, key, versionID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return err
	}
	v := b.find(key, versionID)
	switch {
	case versionID == "" || versionID == objects.NullVersion:
		return fmt.Errorf("remove a delete marker: version %q names none: %w", versionID, upload.ErrRefused)
	case v == nil:
		return fmt.Errorf("remove a delete marker: version %s: %w", versionID, upload.ErrAbsent)
	case !v.marker:
		return fmt.Errorf("remove a delete marker: version %s is an object: %w", versionID, upload.ErrRefused)
	}
	b.remove(key, versionID)
	return nil
}
