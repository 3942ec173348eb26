package explanation

import (
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Object is one key that may have been written, or one exact version that was
// handed over.
type Object struct {
	Key       string `json:"key"`
	VersionID string `json:"version_id,omitempty"` // empty: not known
	Size      *int64 `json:"size,omitempty"`       // nil: not known
	ETag      string `json:"etag,omitempty"`
	// LastModified is of versions that were handed over: what they must still be.
	LastModified time.Time `json:"last_modified,omitzero"`
	// Multiparts are unfinished uploads that were begun on the key.
	Multiparts []string `json:"multipart_uploads,omitempty"`
	// Marks say what of the upload it is: listed, superseded, gone.
	Marks []string `json:"marks,omitempty"`
}

// Objects yields what the upload may have written, in the order in which it is
// purged. It holds one at a time: an upload may have a million.
func (f Facts) Objects(yield func(Object) bool) {
	r, ordinal := f.Record, int64(0)
	for _, a := range r.Manifest.Attempts {
		for seq := 1; seq <= a.Declared; seq++ {
			ordinal++
			if !yield(f.generated(upload.Key{Attempt: a.Number, Seq: seq}, ordinal)) {
				return
			}
		}
	}
	for _, e := range r.Manifest.Explicit {
		ordinal++
		size := e.Size
		o := Object{Key: e.Key, VersionID: e.VersionID, Size: &size, ETag: e.ETag, LastModified: e.LastModified.UTC()}
		o.Marks = f.marks(ordinal)
		if !yield(o) {
			return
		}
	}
}

func (f Facts) generated(k upload.Key, ordinal int64) Object {
	r := f.Record
	known := r.Manifest.Object(k)
	o := Object{Key: r.ObjectKey(k), VersionID: known.VersionID, ETag: known.ETag, Multiparts: known.Multiparts}
	if known.VersionID != "" {
		o.Size = &known.Size
	}
	switch listed := r.Manifest.Listed(k); {
	case r.CompletedAt.IsZero():
	case listed:
		o.Marks = append(o.Marks, "listed")
	default:
		o.Marks = append(o.Marks, "superseded")
		if r.Trimmed {
			o.Marks = append(o.Marks, "gone")
			return o
		}
	}
	o.Marks = append(o.Marks, f.marks(ordinal)...)
	return o
}

// marks say what a purge has done to the object so far. Of what is retained
// only the number is known.
func (f Facts) marks(ordinal int64) []string {
	r := f.Record
	if !condemned(r.State) || ordinal > r.PurgedThrough {
		return nil
	}
	if r.Retained.Count > 0 {
		return []string{"gone or retained"}
	}
	return []string{"gone"}
}

// what is the object's place in the upload, for a table.
func (o Object) what() string {
	marks := append([]string{}, o.Marks...)
	if n := len(o.Multiparts); n > 0 {
		marks = append(marks, show.Counted(int64(n), "multipart upload")+" begun")
	}
	return strings.Join(marks, ", ")
}
