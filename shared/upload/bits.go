package upload

import (
	"math/bits"
	"slices"
)

// Bits is a set of sequences, one bit each; sequence 1 is the lowest bit of
// the first byte.
type Bits []byte

// Has reports whether the sequence is in the set.
func (b Bits) Has(seq int) bool {
	i := (seq - 1) / 8
	return seq >= 1 && i < len(b) && b[i]&(1<<((seq-1)%8)) != 0
}

// With returns a set that also holds the sequence; the receiver stays.
func (b Bits) With(seq int) Bits {
	i := (seq - 1) / 8
	grown := slices.Clone(b)
	for len(grown) <= i {
		grown = append(grown, 0)
	}
	grown[i] |= 1 << ((seq - 1) % 8)
	return grown
}

// Count returns how many sequences are in the set.
func (b Bits) Count() int {
	n := 0
	for _, x := range b {
		n += bits.OnesCount8(x)
	}
	return n
}
