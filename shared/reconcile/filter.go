package reconcile

import (
	"math/bits"
	"sync/atomic"
)

// filter tells of fingerprints that certainly were not added (a Bloom filter of
// one word each). The entries are added; a row that none can match is logged
// with its names at once, so that the second look has less to read. What it
// takes for added by chance is looked up like the rest.
type filter []uint64

// newFilter makes one for about so many entries, within so many bytes.
func newFilter(entries, memory int64) filter {
	const bytesEach = 2
	return make(filter, max(min(entries*bytesEach, memory)/8, 1))
}

// word is a fingerprint's word and its four bits.
func (f filter) word(p fingerprint) (*uint64, uint64) {
	at, _ := bits.Mul64(p.lo, uint64(len(f)))
	h := p.hi
	return &f[at], 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63) | 1<<(h>>18&63)
}

// add may be called by many at once.
func (f filter) add(p fingerprint) {
	word, mask := f.word(p)
	if atomic.LoadUint64(word)&mask != mask {
		atomic.OrUint64(word, mask)
	}
}

// lacks reports whether a fingerprint was certainly not added.
func (f filter) lacks(p fingerprint) bool {
	word, mask := f.word(p)
	return *word&mask != mask
}
