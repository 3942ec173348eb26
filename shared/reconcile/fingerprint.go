package reconcile

import (
	"hash/maphash"
	"math/rand/v2"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// fingerprint is what the comparison keeps of a name: 128 bits under keys that
// are drawn for each run and shown nowhere, for whoever chooses keys must not be
// able to choose two that look the same. hi is of the object's key alone and
// brings its rows and entries together; lo is of the key with the version and
// the facts that both sides state.
type fingerprint struct{ hi, lo uint64 }

// class says which facts a fingerprint holds besides the key: those that an
// entry states. Rows take theirs from the class that most entries have.
type class uint8

const (
	withVersion class = 1 << iota
	withSize
	withETag
	classes = 1 << iota
)

// hasher makes fingerprints of two 64-bit keyed hashes of the key. To the second
// a version and an ETag are added as hashes, and a size times an odd number,
// which is another for every size: one that differs under the same name is
// never taken for equal.
type hasher struct {
	first, second, version, etag maphash.Seed
	size                         uint64
	mask                         fingerprint // of tests, that make them narrow
}

func newHasher() *hasher {
	return &hasher{
		first: maphash.MakeSeed(), second: maphash.MakeSeed(), version: maphash.MakeSeed(), etag: maphash.MakeSeed(),
		size: rand.Uint64() | 1, mask: fingerprint{^uint64(0), ^uint64(0)},
	}
}

// of returns the fingerprint, and a tag that two versions of one name have in
// common only by chance, and one version always.
func (h *hasher) of(key, version, etag []byte, size int64, c class) (fingerprint, uint32) {
	f := fingerprint{hi: maphash.Bytes(h.first, key), lo: maphash.Bytes(h.second, key)}
	var tag uint32
	if c&withVersion != 0 {
		v := maphash.Bytes(h.version, version)
		f.lo += v
		tag = uint32(v) & (1<<tagBits - 1)
	}
	if c&withSize != 0 {
		f.lo += uint64(size) * h.size
	}
	if c&withETag != 0 {
		f.lo += maphash.Bytes(h.etag, etag)
	}
	f.hi &= h.mask.hi
	f.lo &= h.mask.lo
	return f, tag
}

// null is the version of a row of a list of current versions.
var null = []byte(inventory.NullVersion)

func (h *hasher) row(r *inventory.Row, c class) (fingerprint, uint32) {
	version := r.VersionID
	if len(version) == 0 {
		version = null
	}
	return h.of(r.Key, version, r.ETag, r.Size, c)
}

func (h *hasher) entry(e *manifest.Entry, c class) (fingerprint, uint32) {
	return h.of(e.Key, e.VersionID, e.ETag, e.Size, c)
}

// classOf is what an entry states.
func classOf(e *manifest.Entry) class {
	var c class
	if len(e.VersionID) > 0 {
		c |= withVersion
	}
	if e.Size != manifest.NoSize {
		c |= withSize
	}
	if len(e.ETag) > 0 {
		c |= withETag
	}
	return c
}
