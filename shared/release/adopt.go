package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// What the records of releases are called begins with idPrefix, and their Source
// with sourcePrefix.
const (
	idPrefix     = "release-"
	sourcePrefix = "relay/"
)

// AdoptedBy is the Source of the records of a source's releases.
func AdoptedBy(source string) string { return sourcePrefix + source }

// SourceOf is the name of the source whose release a record is; false if it is
// none.
func SourceOf(r upload.Record) (name string, ok bool) {
	return strings.CutPrefix(r.Source, sourcePrefix)
}

// MayBeRelease reports whether an id is of the form that releases have. Only the
// record itself says that it is one: see [SourceOf].
func MayBeRelease(id upload.ID) bool { return strings.HasPrefix(id.Upload, idPrefix) }

// RecordID is the ledger's id of the release of one object: the same for the
// same object of the same change or message, however often it comes.
func RecordID(tenant, sourceName, id string, o source.Object) upload.ID {
	h := sha256.New()
	for _, part := range []string{sourceName, id, o.Bucket, o.Key, o.VersionID} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return upload.ID{Tenant: tenant, Upload: idPrefix + hex.EncodeToString(h.Sum(nil)[:20])}
}

// adopt makes a record that is born cancelled of the exact version that the row
// named. Each object is a record by itself, so that a row which still names one
// keeps that one.
func (e *Engine) adopt(ctx context.Context, g gone) Outcome {
	id := RecordID(g.named.Tenant, g.source.Name, g.id, g.named.Object)
	r, err := e.Records.Load(ctx, id)
	switch {
	case err != nil:
		return failed(err).of(id)
	case r.State != upload.StateNone:
		return skipped(SkipAlreadyReleased).of(id)
	}
	object, reason, err := e.version(ctx, g)
	switch {
	case err != nil && !passing(err):
		return Outcome{Kind: KindParked, Reason: refusedLook(err), Upload: id}
	case err != nil:
		return failed(err).of(id)
	case reason != "":
		return skipped(reason).of(id)
	}
	_, err = e.apply(ctx, id, r, upload.Adopt{ID: id, Source: AdoptedBy(g.source.Name), Objects: []upload.Explicit{object}})
	if err != nil {
		return failed(err).of(id)
	}
	return Outcome{Kind: KindAdopted, Upload: id}
}

// passing reports whether the store may answer when it is asked again. Where it
// may not (a right that only a person gives, a version id that is none, a key
// that is too long) nothing behind the release waits for it: a stream forgets.
func passing(err error) bool {
	return errors.Is(err, upload.ErrThrottled) || errors.Is(err, upload.ErrUnclear) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func refusedLook(err error) string {
	if errors.Is(err, upload.ErrDenied) {
		return "the object cannot be looked at: access denied"
	}
	return "the object cannot be looked at: the store refuses its bucket, key or version"
}

// version finds the exact version that the row named, as it stands; a reason
// where there is none, or where it can only be guessed at.
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
	o.ETag, o.Size, o.LastModified = facts.ETag, facts.Size, facts.LastModified
	return o, "", nil
}

// current is the version that was current under the key when the row went: the
// newest that is strictly older. Instants are compared in whole seconds, which
// is what S3 and DynamoDB's streams tell: of the same second nobody knows which
// was first. A multipart upload's instant is when it was begun
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html): if
// there is another version, it may have ended after the row went.
func (e *Engine) current(ctx context.Context, g gone) (versionID, reason string, err error) {
	seen := sighted{end: g.at.Truncate(time.Second)}
	for v, err := range objects.VersionsOf(ctx, e.Store, g.named.Bucket, g.named.Key) {
		if err != nil {
			return "", "", fmt.Errorf("list what a row of %s named: %w", g.source.Name, err)
		}
		seen.add(v)
	}
	switch {
	case seen.unclear:
		return "", SkipSameSecond, nil
	case seen.older == 0:
		return "", SkipObjectAbsent, nil
	case seen.tied:
		return "", SkipSameSecond, nil
	case seen.older > 1 && strings.Contains(seen.newest.ETag, "-"):
		return "", SkipOverwrittenLate, nil
	}
	return seen.newest.VersionID, "", nil
}

// sighted is what a listing of one key has shown so far, in any order.
type sighted struct {
	end    time.Time
	newest objects.Version // of those older than the end
	older  int
	// tied: another is of the newest's second, and neither is the current one.
	// unclear: one is of the end's second.
	tied, unclear bool
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
