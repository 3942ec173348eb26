package reconcile

import "encoding/binary"

// A record is what is spilled of a row or an entry, three words: the two of its
// fingerprint, and where it can be read again, a few facts and its version's tag.
const recordSize = 24

const (
	placeBits = 36
	factBits  = 4
	tagBits   = 64 - placeBits - factBits
)

// plain: may be counted ok without another look. Below it an entry has its class.
const plain = classes

// place is where a row or an entry is read again: as told by a ledger of places,
// or in the log of names.
type place uint64

func putRecord(b []byte, f fingerprint, tag uint32, facts uint8, at place) {
	_ = b[recordSize-1]
	binary.LittleEndian.PutUint64(b, f.hi)
	binary.LittleEndian.PutUint64(b[8:], f.lo)
	binary.LittleEndian.PutUint64(b[16:], uint64(at)|uint64(facts)<<placeBits|uint64(tag)<<(placeBits+factBits))
}

// copyRecord copies word by word: the compiler would call a function for it.
func copyRecord(to, from *[recordSize]byte) {
	a, b, c := binary.LittleEndian.Uint64(from[:]), binary.LittleEndian.Uint64(from[8:]), binary.LittleEndian.Uint64(from[16:])
	binary.LittleEndian.PutUint64(to[:], a)
	binary.LittleEndian.PutUint64(to[8:], b)
	binary.LittleEndian.PutUint64(to[16:], c)
}

func hiOf(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func loOf(b []byte) uint64 { return binary.LittleEndian.Uint64(b[8:]) }

// rest is a record's third word.
type rest uint64

func restOf(b []byte) rest { return rest(binary.LittleEndian.Uint64(b[16:])) }

func (r rest) place() place { return place(r & (1<<placeBits - 1)) }

func (r rest) facts() uint8 { return uint8(r >> placeBits & (1<<factBits - 1)) }

func (r rest) tag() uint32 { return uint32(r >> (placeBits + factBits)) }
