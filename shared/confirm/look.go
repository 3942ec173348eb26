package confirm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

// seen is what a look at one version showed.
type seen struct {
	size           int64
	etag, checksum string
	// differs is the reason why it is not what was stated; empty if it is.
	differs string
}

// look looks at the very version of the event, and compares it with what was
// stated before the put. ErrAbsent if it does not stand.
func (r *Recorder) look(ctx context.Context, c storageevent.Created, expected upload.Expected) (seen, error) {
	facts, err := r.Store.Stat(ctx, c.Bucket, c.Key, c.VersionID)
	if err != nil {
		return seen{}, err
	}
	if facts.Marker { // nothing was created
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
	case s.checksum == "" || composed(s.checksum) && !composed(expected.Checksum):
		if s.checksum, err = r.hash(ctx, c, s.size, expected.Checksum); err != nil {
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

// errParts: the object was to be put in parts, and the store does not say what
// they were.
var errParts = errors.New("the store keeps no checksum of its parts")

// hash reads the object from its beginning to its end.
func (r *Recorder) hash(ctx context.Context, c storageevent.Created, size int64, like string) (string, error) {
	if composed(like) {
		return "", errParts
	}
	body, err := r.Store.Open(ctx, c.Bucket, c.Key, c.VersionID)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, body)
	if err := errors.Join(err, body.Close()); err != nil {
		return "", fmt.Errorf("read version %s: %w", c.VersionID, err)
	}
	if n != size {
		return "", fmt.Errorf("read version %s: %d bytes of %d: %w", c.VersionID, n, size, upload.ErrUnclear)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
