package gunzip

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// ErrCorrupt is input that is not a gzip file.
var ErrCorrupt = errors.New("corrupt gzip file")

const (
	window   = 32 << 10 // how far a match reaches back
	outSize  = window + 256<<10
	inSize   = 128 << 10
	maxMatch = 258
	// outSlack is what a step writes beyond what it checked for: literals come in
	// threes of two bytes, and a match may write seven bytes too many.
	outSlack = maxMatch + 16
	// inSlack is what a step may take: 64 bits twice, and once more to look at.
	inSlack = 24
	// maxHeader is more than the codes of a block take, or a member's fixed header.
	maxHeader = 1 << 10
)

// Reader unpacks what it reads.
type Reader struct {
	src   io.Reader
	in    [inSize + inSlack]byte
	inPos int // of the next byte to take into bits
	inEnd int
	ended bool // nothing comes after inEnd but inSlack zeros

	bits  uint64 // taken and not used, the next one lowest
	nbits uint

	out     [outSize + outSlack]byte
	outPos  int // where the next byte goes
	given   int // what was given to the reader's caller
	summed  int // what is in sum
	first   int // of the member that is unpacked
	sum     uint32
	size    uint32
	block   blockState
	final   bool // the block is its member's last
	stored  int  // bytes left of a stored block
	codes   codes
	members int
	err     error
}

// blockState is what comes next in the input.
type blockState uint8

const (
	atMember blockState = iota
	atBlock
	inStored
	inCodes
	atTrailer
)

// NewReader returns a reader of the gzip file in src, which it reads in large
// pieces.
func NewReader(src io.Reader) *Reader { return &Reader{src: src} }

// Read gives unpacked bytes. It ends with io.EOF only after the last member
// agreed with its checksum.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.given == r.outPos {
		if r.err != nil {
			return 0, r.err
		}
		r.err = r.unpack()
	}
	n := copy(p, r.out[r.given:r.outPos])
	r.given += n
	return n, nil
}

// unpack goes on until the output is full or the input ends.
func (r *Reader) unpack() error {
	r.slide()
	for r.outPos < outSize {
		var err error
		switch r.block {
		case atMember:
			err = r.startMember()
		case atBlock:
			err = r.startBlock()
		case inStored:
			err = r.copyStored()
		case inCodes:
			err = r.decode()
		case atTrailer:
			err = r.endMember()
		}
		if err != nil {
			r.summing()
			return err
		}
	}
	r.summing()
	return nil
}

// slide keeps the window and makes room behind it. Everything was given.
func (r *Reader) slide() {
	drop := r.outPos - window
	if r.outPos < outSize || drop <= 0 {
		return
	}
	copy(r.out[:], r.out[drop:r.outPos])
	r.outPos, r.given, r.summed = window, window, window
	r.first = max(0, r.first-drop)
}

func (r *Reader) summing() {
	fresh := r.out[r.summed:r.outPos]
	r.sum = crc32.Update(r.sum, crc32.IEEETable, fresh)
	r.size += uint32(len(fresh))
	r.summed = r.outPos
}

// fill makes sure that n bytes of input are at hand, or that the input has
// ended. n is far less than the buffer. Eight bytes before stay: align may give
// them back.
func (r *Reader) fill(n int) error {
	if r.inEnd-r.inPos >= n || r.ended {
		return nil
	}
	keep := max(0, r.inPos-8)
	copy(r.in[:], r.in[keep:r.inEnd])
	r.inPos -= keep
	r.inEnd -= keep
	for idle := 0; r.inEnd-r.inPos < n; idle++ {
		k, err := r.src.Read(r.in[r.inEnd:inSize])
		r.inEnd += k
		switch {
		case errors.Is(err, io.EOF):
			r.ended = true
			clear(r.in[r.inEnd : r.inEnd+inSlack])
			return nil
		case err != nil:
			return err
		case k > 0:
			idle = 0
		case idle == 100:
			return io.ErrNoProgress
		}
	}
	return nil
}

// overrun reports whether more bits were used than there are.
func (r *Reader) overrun() bool { return r.inPos-int(r.nbits/8) > r.inEnd }

// need makes sure of at least 56 bits; past the end of the input they are zero.
func (r *Reader) need() {
	if r.inPos <= r.inEnd+inSlack-8 {
		r.bits |= binary.LittleEndian.Uint64(r.in[r.inPos:]) << (r.nbits & 63)
		r.inPos += int(63-r.nbits) >> 3
		r.nbits |= 56
	}
}

// take returns the next n bits, at most 16.
func (r *Reader) take(n uint) uint32 {
	if r.nbits < n {
		r.need()
	}
	v := uint32(r.bits) & (1<<n - 1)
	r.drop(n)
	return v
}

func (r *Reader) drop(n uint) {
	r.bits >>= n
	if r.nbits < n { // far beyond the end
		r.inPos, r.nbits = r.inEnd+inSlack, 0
		return
	}
	r.nbits -= n
}

// align goes to the next byte, and gives back what was taken ahead.
func (r *Reader) align() {
	r.inPos -= int(r.nbits / 8)
	r.bits, r.nbits = 0, 0
}
