package hold

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Loader reads one record of the ledger, consistently.
type Loader interface {
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
}

// Stater looks at one version.
type Stater interface {
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
}

// Claim is what the ledger itself says of a key of its own layout. The zero
// Claim is a key that no record declares.
type Claim struct {
	Record upload.Record
	// Key is the declared key; KeyKnown says that there is one.
	Key      upload.Key
	KeyKnown bool
	// VersionID is the version that the record knows under the key; empty if it
	// knows none, and then every version may be its.
	VersionID string
}

// Ask finds the record whose generated key this is: keys say whose they are,
// so there is nothing to search. An unknown schema is an error.
func Ask(ctx context.Context, records Loader, bucket, key string) (Claim, error) {
	id, k, ok := upload.ParseObjectKey(key)
	if !ok {
		return Claim{}, nil
	}
	r, err := records.Load(ctx, id)
	if err != nil {
		return Claim{}, fmt.Errorf("look up whose key it is: %w", err)
	}
	if r.Schema > upload.Schema {
		return Claim{}, fmt.Errorf("look up whose key it is: record schema %d is unknown: %w", r.Schema, upload.ErrRefused)
	}
	if r.Bucket != bucket || !r.Declares(key, k) {
		return Claim{}, nil
	}
	return Claim{Record: r, Key: k, KeyKnown: true, VersionID: r.Manifest.Object(k).VersionID}, nil
}

// Owns reports whether the version is the record's, live, condemned or
// deleted: whatever stands of it is the record's business.
func (c Claim) Owns(versionID string) bool {
	return c.KeyKnown && (c.VersionID == "" || c.VersionID == versionID)
}

// Live reports whether the record promises that the key can be read, or may
// still be writing it.
func (c Claim) Live() bool {
	if !c.KeyKnown {
		return false
	}
	switch c.Record.State {
	case upload.StateComplete:
		return c.Record.Manifest.Listed(c.Key)
	case upload.StateReceiving, upload.StateAssembling, upload.StateExpired:
		return true
	}
	return false
}

// Changed reports whether the record promises a version under the key that
// does not stand: any other one may then be all that is left of it.
func (c Claim) Changed(ctx context.Context, store Stater, key string) (bool, error) {
	if !c.Live() || c.VersionID == "" {
		return false, nil
	}
	facts, err := store.Stat(ctx, c.Record.Bucket, key, c.VersionID)
	if errors.Is(err, upload.ErrAbsent) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at the version that the key's record has: %w", err)
	}
	return facts.Marker, nil
}

// MayBeWritten reports whether an unfinished multipart upload on the key is the
// record's own business: its writer may still be at it, or its purge or trim
// will abort it. Nobody ends one on a key that is published, trimmed or purged.
func (c Claim) MayBeWritten() bool {
	if !c.KeyKnown {
		return false
	}
	switch c.Record.State {
	case upload.StateComplete:
		return !c.Record.Trimmed && !c.Record.Manifest.Listed(c.Key)
	case upload.StateNone, upload.StateDeleted:
		return false
	}
	return true
}
