package release

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// version finds the exact version that the row named, as it stands; a reason
// where there is none, or where it can only be guessed at. A version that is
// called "null" is whatever was written last while versioning was off: naming it
// says no more than its key does.
func (e *Engine) version(ctx context.Context, g gone) (o upload.Explicit, reason string, err error) {
	o = upload.Explicit{Bucket: g.named.Bucket, Key: g.named.Key, VersionID: g.named.VersionID}
	if o.VersionID == "" {
		if o.VersionID, reason, err = e.current(ctx, g); err != nil || reason != "" {
			return o, reason, err
		}
	}
	facts, err := e.Store.Stat(ctx, o.Bucket, o.Key, o.VersionID)
	switch {
	case errors.Is(err, upload.ErrAbsent), err == nil && facts.Marker:
		return o, SkipObjectAbsent, nil
	case err != nil:
		return o, "", fmt.Errorf("look at what a row of %s named: %w", g.source.Name, err)
	}
	if o.VersionID == objects.NullVersion {
		seen := sightedFor(g)
		seen.add(objects.Version{VersionID: o.VersionID, ETag: facts.ETag, LastModified: facts.LastModified})
		if reason = seen.unclearWhy(); reason != "" {
			return o, reason, nil
		}
	}
	o.ETag, o.Size, o.LastModified = facts.ETag, facts.Size, facts.LastModified
	return o, "", nil
}

// current is the version that was current under the key when the row went: the
// newest that is strictly older.
func (e *Engine) current(ctx context.Context, g gone) (versionID, reason string, err error) {
	seen := sightedFor(g)
	for v, err := range objects.VersionsOf(ctx, e.Store, g.named.Bucket, g.named.Key) {
		if err != nil {
			return "", "", fmt.Errorf("list what a row of %s named: %w", g.source.Name, err)
		}
		seen.add(v)
	}
	return seen.newest.VersionID, seen.unclearWhy(), nil
}

// sighted is what was seen of one key so far, in any order. Instants are
// compared in whole seconds, which is what S3 and DynamoDB's streams tell: of
// the same second nobody knows which was first.
type sighted struct {
	end time.Time // of the row
	// sure is the instant before which the row had not ended: by its database's
	// clock, which may be ahead of S3's.
	sure   time.Time
	newest objects.Version // of those older than the end
	older  int
	// tied: another is of the newest's second, and neither is the current one.
	// unclear: one is of the end's second.
	tied, unclear bool
}

func sightedFor(g gone) sighted {
	return sighted{end: g.at.Truncate(time.Second), sure: g.at.Add(-g.ahead).Truncate(time.Second)}
}

func (s *sighted) add(v objects.Version) {
	at, newest := v.LastModified.Truncate(time.Second), s.newest.LastModified.Truncate(time.Second)
	switch {
	case at.Equal(s.end):
		s.unclear = true
		return
	case at.After(s.end):
		return
	case s.older == 0 || at.After(newest):
		s.newest, s.tied = v, false
	case at.Equal(newest) && !s.newest.Latest:
		s.tied = !v.Latest
		if v.Latest {
			s.newest = v
		}
	}
	s.older++
}

// unclearWhy is why none of what was seen is certainly what the row named; empty
// if the newest is. Whether something was written after the row went is asked
// only where it may have taken the place of what the row named: beside another
// version, or as "null", which leaves nothing of what it overwrites.
//
//   - By a clock that is ahead, the row went before its end.
//   - A multipart upload's instant is when it was begun
//     (https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html):
//     it may have ended after the row.
func (s *sighted) unclearWhy() string {
	replacing := s.older > 1 || s.newest.VersionID == objects.NullVersion
	switch {
	case s.unclear:
		return SkipSameSecond
	case s.older == 0:
		return SkipObjectAbsent
	case s.tied:
		return SkipSameSecond
	case replacing && !s.newest.LastModified.Before(s.sure):
		return SkipSameSecond
	case replacing && strings.Contains(s.newest.ETag, "-"):
		return SkipOverwrittenLate
	}
	return ""
}
