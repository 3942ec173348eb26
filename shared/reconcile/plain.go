package reconcile

import (
	"bytes"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// plainMatch reports whether a row and an entry of one key, if they are all there
// is of it, are certainly exactly one `ok`: then nobody has to look at them
// again. The same holds for several rows of a key, each of another version, that
// each have exactly one entry, if all of these name their versions. (Two rows of
// one version and different sizes may have an entry each, and are a conflict.)
// It may say no where judgeKey says `ok`, never yes where judgeKey says anything
// else.
//
// It has parts, so that a comparison can keep them apart: that both are in scope,
// what is asked of the row and of the entry alone, and that the row has the very
// facts that the entry states.
func plainMatch(rules *ruleset, r *inventory.Row, e *manifest.Entry) bool {
	return rules.inside(r.Bucket, r.Key) && rules.inside(e.Bucket, e.Key) && plainRow(r) && plainEntry(e) && hasStated(r, e)
}

// plainRow: not a marker nor perhaps one.
func plainRow(r *inventory.Row) bool { return r.Marker == inventory.No || len(r.VersionID) == 0 }

func plainEntry(e *manifest.Entry) bool { return e.State == manifest.Live }

// hasStated reports whether a row has every fact that an entry of its key
// states: version, size, ETag. A row without an ETag does not have it, which a
// closer look would forgive.
func hasStated(r *inventory.Row, e *manifest.Entry) bool {
	return (len(e.VersionID) == 0 || bytes.Equal(r.VersionID, e.VersionID)) &&
		(e.Size == manifest.NoSize || r.Size == e.Size) &&
		(len(e.ETag) == 0 || bytes.Equal(r.ETag, e.ETag))
}

// inside is the opposite of outside, without copies.
func (r *ruleset) inside(bucket, key []byte) bool {
	return string(bucket) == r.Bucket && len(key) >= len(r.Prefix) && string(key[:len(r.Prefix)]) == r.Prefix
}
