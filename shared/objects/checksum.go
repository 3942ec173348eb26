package objects

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Opener reads one version from its beginning; ErrAbsent if it does not stand.
type Opener interface {
	Open(ctx context.Context, bucket, key, versionID string) (io.ReadCloser, error)
}

// errNoParts: what the parts of an object were cannot be seen in it.
var errNoParts = errors.New("a checksum of parts was stated, and the store keeps none of the object")

// ChecksumAs is a version's checksum, to be compared with the one that was
// stated; empty for none. It is what the store keeps; where that is none, or of
// parts although the whole was stated, the object is read to its end, and nothing
// of it kept. An error says that the two cannot be compared, and not that they
// differ.
func ChecksumAs(ctx context.Context, o Opener, bucket, key, versionID string, f Facts, stated string) (string, error) {
	switch {
	case stated == "", f.Checksum != "" && (composed(stated) || !composed(f.Checksum)):
		return f.Checksum, nil
	case composed(stated):
		return "", errNoParts
	}
	body, err := o.Open(ctx, bucket, key, versionID)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, body)
	if err = errors.Join(err, body.Close()); err != nil {
		return "", fmt.Errorf("read version %s: %w", versionID, err)
	}
	if n != f.Size { // half an object has another checksum
		return "", fmt.Errorf("read version %s: %d bytes of %d: %w", versionID, n, f.Size, upload.ErrUnclear)
	}
	return Checksum(sum.Sum(nil)), nil
}

// composed reports whether a checksum is one of parts.
func composed(checksum string) bool { return strings.Contains(checksum, "-") }
