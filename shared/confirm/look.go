package confirm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// seen is what a look at one version showed.
type seen struct {
	size           int64
	etag, checksum string
	// differs is the reason why it is not what was stated; empty if it is, or
	// nothing was.
	differs string
}

// look looks at the very version of the event, and compares it with what was
// stated before the put. ErrAbsent if it does not stand. What the event says of
// the object is not believed: whoever may invoke the function may say anything.
func (t *turn) look(ctx context.Context, expected upload.Expected) (seen, error) {
	c := t.created
	facts, err := t.Store.Stat(ctx, c.Bucket, c.Key, c.VersionID)
	switch {
	case err != nil:
		return seen{}, err
	case facts.Marker: // it hides what stands below it, and is no object
		return seen{}, upload.ErrAbsent
	}
	s := seen{size: facts.Size, etag: facts.ETag, checksum: facts.Checksum}
	switch {
	case !expected.Stated:
		return s, nil
	case s.size != expected.Size:
		s.differs = ReasonSize
		return s, nil
	case expected.Checksum == "":
		return s, nil
	}
	if s.checksum == "" || composed(s.checksum) && !composed(expected.Checksum) {
		if s.checksum, err = t.hash(ctx, s.size, expected); err != nil {
			return seen{}, err
		}
	}
	if s.checksum != expected.Checksum {
		s.differs = ReasonChecksum
	}
	return s, nil
}

// composed reports whether a checksum is one of parts.
func composed(checksum string) bool { return strings.Contains(checksum, "-") }

// errNoChecksum: a checksum of parts was stated, and the store keeps none. What
// the parts were cannot be seen in the object.
var errNoChecksum = errors.New("a checksum of parts was stated, and the store keeps none of the object")

// hash reads the object from its beginning to its end, of which it keeps
// nothing.
func (t *turn) hash(ctx context.Context, size int64, expected upload.Expected) (checksum string, err error) {
	if composed(expected.Checksum) {
		return "", errNoChecksum
	}
	c := t.created
	body, err := t.Store.Open(ctx, c.Bucket, c.Key, c.VersionID)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	sum := sha256.New()
	n, err := io.Copy(sum, body)
	if err != nil {
		return "", fmt.Errorf("read version %s: %w", c.VersionID, err)
	}
	if n != size { // half an object has another checksum, and is no reason to cancel
		return "", fmt.Errorf("read version %s: %d bytes of %d: %w", c.VersionID, n, size, upload.ErrUnclear)
	}
	return objects.Checksum(sum.Sum(nil)), nil
}
