package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// idPrefix begins what the records of releases are called.
const idPrefix = "release-"

// MayBeRelease reports whether an id is of the form that releases have. Only the
// record itself says that it is one: see [source.OfRecord].
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
	case err != nil:
		return unseen(err).of(id)
	case reason != "":
		return skipped(reason).of(id)
	}
	_, err = e.apply(ctx, id, r, upload.Adopt{ID: id, Source: source.RecordSource(g.source.Name), Objects: []upload.Explicit{object}})
	if err != nil {
		return failed(err).of(id)
	}
	return Outcome{Kind: KindAdopted, Upload: id}
}

// unseen is what to do about an object that could not be looked at.
func unseen(err error) Outcome {
	if passing(err) {
		return failed(err)
	}
	return Outcome{Kind: KindParked, Reason: refusedLook(err)}
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
