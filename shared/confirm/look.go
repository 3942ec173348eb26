package confirm

import (
	"context"

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
	}
	s.checksum, err = objects.ChecksumAs(ctx, t.Store, c.Bucket, c.Key, c.VersionID, facts, expected.Checksum)
	if err != nil {
		return seen{}, err
	}
	if expected.Checksum != "" && s.checksum != expected.Checksum {
		s.differs = ReasonChecksum
	}
	return s, nil
}
