package upload

import (
	"errors"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// Warrant is the right to delete what one claimed upload, or the superseded
// part of one completed upload, condemns. Only a record in the right state
// gives one, and only a Warrant makes a [Condemned]; so an adapter that takes
// Condemned cannot be handed a key that nobody condemned.
type Warrant struct {
	record     Record
	superseded bool
	nullToo    bool
}

// Condemned is one exact object version that may be deleted. The zero value
// names nothing and is refused by every store.
type Condemned struct {
	bucket, key, versionID string
	upload                 ID
}

// Bucket, Key and VersionID name the version; Upload is for logs.
func (c Condemned) Bucket() string    { return c.bucket }
func (c Condemned) Key() string       { return c.key }
func (c Condemned) VersionID() string { return c.versionID }
func (c Condemned) Upload() ID        { return c.upload }

// Target is one declared key, or one explicit object, that a warrant covers.
type Target struct {
	// Ordinal counts the covered targets in order, from 1 for the first of the
	// upload (also those that are purged already).
	Ordinal int64
	// ObjectKey is the S3 key.
	ObjectKey string
	// VersionID is empty where it is not known.
	VersionID string
	// Explicit holds the facts to compare before deleting; nil for generated
	// keys.
	Explicit *Explicit
	Size     int64
}

// ErrNoWarrant: the record does not give the right that was asked for.
var ErrNoWarrant = errors.New("no warrant")

// ClaimedBy returns the warrant of the worker that holds the claim with this
// token.
func (r Record) ClaimedBy(p policy.Policy, token string) (Warrant, error) {
	if r.State != StateDeleting || token == "" || r.Token != token || r.Holder == "" || !p.Safe() {
		return Warrant{}, ErrNoWarrant
	}
	return Warrant{record: r, nullToo: p.DeleteNullVersions}, nil
}

// Trimming returns the warrant for the superseded objects of a completed
// upload that were due at the cutoff. It is the start of a trim; [Trim] is its
// closing write.
func (r Record) Trimming(p policy.Policy, version int64, cutoff, now time.Time) (Warrant, error) {
	return protocol.trimming(p, r, version, cutoff, now)
}

func (t table) trimming(p policy.Policy, r Record, version int64, cutoff, now time.Time) (Warrant, error) {
	_, err := t.step(p, r, Trim{Version: version, Cutoff: cutoff, Gone: r.Manifest.superseded()}, now)
	if err != nil {
		return Warrant{}, err
	}
	return Warrant{record: r, superseded: true, nullToo: p.DeleteNullVersions}, nil
}

// Upload names whose warrant it is.
func (w Warrant) Upload() ID { return w.record.ID }

// Bucket is where everything that the warrant covers lies.
func (w Warrant) Bucket() string { return w.record.Bucket }

// Folder is the only prefix to list below; see [Record.Folder].
func (w Warrant) Folder() string { return w.record.Folder() }

// Targets lists what is still to be dealt with, in order: declared keys by
// attempt and sequence, then explicit objects.
func (w Warrant) Targets() []Target {
	var all []Target
	ordinal := int64(0)
	add := func(t Target) {
		ordinal++
		if t.Ordinal = ordinal; w.superseded || ordinal > w.record.PurgedThrough {
			all = append(all, t)
		}
	}
	m := w.record.Manifest
	for _, a := range m.Attempts {
		for seq := 1; seq <= a.Declared; seq++ {
			if w.superseded && a.Listed.Has(seq) {
				continue
			}
			o := m.Object(Key{a.Number, seq})
			add(Target{ObjectKey: w.record.ObjectKey(o.Key), VersionID: o.VersionID, Size: o.Size})
		}
	}
	if w.superseded {
		return all
	}
	for i := range m.Explicit {
		e := m.Explicit[i]
		add(Target{ObjectKey: e.Key, VersionID: e.VersionID, Explicit: &e, Size: e.Size})
	}
	return all
}

// Uncertain reports that what stands must be listed before anything is
// repeated: a delete's outcome was not known, or the tombstone was reopened.
func (w Warrant) Uncertain() bool { return !w.record.UncertainAt.IsZero() }

// Multiparts lists the multipart uploads that are known to have been begun.
func (w Warrant) Multiparts() []Multipart {
	var all []Multipart
	for _, o := range w.record.Manifest.Objects {
		if w.superseded && w.record.Manifest.Listed(o.Key) {
			continue
		}
		for _, id := range o.Multiparts {
			all = append(all, Multipart{Key: o.Key, UploadID: id})
		}
	}
	return all
}

// ObjectKey is the S3 key of one of the upload's generated keys.
func (w Warrant) ObjectKey(k Key) string { return w.record.ObjectKey(k) }

// Covers reports whether an S3 key equals a generated key that the warrant
// covers.
func (w Warrant) Covers(s3key string) bool {
	k, ok := w.record.parseKey(s3key)
	return ok && (!w.superseded || !w.record.Manifest.Listed(k))
}

// Condemn turns a version that was recorded, or seen in a listing, under a
// generated key that the warrant covers into one that may be deleted.
// ErrNoWarrant if it is not covered; ErrRetained for a version called "null"
// unless the policy allows those.
func (w Warrant) Condemn(s3key, versionID string) (Condemned, error) {
	if versionID == "" || !w.Covers(s3key) {
		return Condemned{}, ErrNoWarrant
	}
	return w.condemn(s3key, versionID)
}

// CondemnExplicit does the same for an explicit object, given what a look at
// that very version showed. ErrChanged if its facts are not those under which
// it was condemned.
func (w Warrant) CondemnExplicit(e Explicit, seen Explicit) (Condemned, error) {
	if w.superseded || !w.holds(e) {
		return Condemned{}, ErrNoWarrant
	}
	if e.ETag != seen.ETag || e.Size != seen.Size || !e.LastModified.Equal(seen.LastModified) {
		return Condemned{}, ErrChanged
	}
	return w.condemn(e.Key, e.VersionID)
}

func (w Warrant) holds(e Explicit) bool {
	for _, o := range w.record.Manifest.Explicit {
		if o == e {
			return true
		}
	}
	return false
}

// nullVersion is the id of a version written while versioning was off.
const nullVersion = "null"

func (w Warrant) condemn(key, versionID string) (Condemned, error) {
	if versionID == nullVersion && !w.nullToo {
		return Condemned{}, ErrRetained
	}
	return Condemned{bucket: w.record.Bucket, key: key, versionID: versionID, upload: w.record.ID}, nil
}
