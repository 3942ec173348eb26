package gunzip

import (
	"encoding/binary"
	"fmt"
	"io"
)

// decode unpacks a block until it ends, the output is full, or more input has
// to be read.
func (r *Reader) decode() error {
	if err := r.fill(inSlack); err != nil {
		return err
	}
	last := r.inEnd - inSlack
	if r.ended {
		last = r.inEnd + inSlack - 16 // the zeros behind the end are decoded too, and noticed
	}
	err := r.symbols(last)
	if r.overrun() {
		return io.ErrUnexpectedEOF
	}
	return err
}

var errSymbol = fmt.Errorf("%w: a code that does not exist", ErrCorrupt)

// symbols decodes as long as the input's position is not beyond last.
//
// It is one long function on purpose: its variables stay in registers. A step
// begins with 56 bits or more: two entries of literals take at most 22, and
// what is longer than a table's bits gets a refill of its own.
func (r *Reader) symbols(last int) error {
	in, out := &r.in, &r.out
	lit, dist := &r.codes.lit, &r.codes.dist
	inPos, outPos, b, n := r.inPos, r.outPos, r.bits, r.nbits
	var err error
	for inPos <= last && outPos < outSize {
		b |= binary.LittleEndian.Uint64(in[inPos:]) << (n & 63)
		inPos += int(63-n) >> 3
		n |= 56

		e := lit[b&(1<<litBits-1)]
		if e&countMask != 0 {
			binary.LittleEndian.PutUint16(out[outPos:], uint16(e>>8))
			outPos += int(e & countMask >> countShift)
			b >>= e & lenMask
			n -= uint(e & lenMask)
			e = lit[b&(1<<litBits-1)]
			if e&countMask != 0 {
				binary.LittleEndian.PutUint16(out[outPos:], uint16(e>>8))
				outPos += int(e & countMask >> countShift)
				b >>= e & lenMask
				n -= uint(e & lenMask)
				e = lit[b&(1<<litBits-1)]
				if e&countMask != 0 {
					binary.LittleEndian.PutUint16(out[outPos:], uint16(e>>8))
					outPos += int(e & countMask >> countShift)
					b >>= e & lenMask
					n -= uint(e & lenMask)
					continue
				}
			}
			b |= binary.LittleEndian.Uint64(in[inPos:]) << (n & 63)
			inPos += int(63-n) >> 3
			n |= 56
		}
		if e&kindMask == kindSub {
			b >>= litBits
			n -= litBits
			e = lit[e>>16+uint32(b)&(1<<(e>>8&31)-1)]
			if e&countMask != 0 {
				out[outPos] = byte(e >> 8)
				outPos++
				b >>= e & lenMask
				n -= uint(e & lenMask)
				continue
			}
		}
		b >>= e & lenMask
		n -= uint(e & lenMask)
		if e&kindMask != kindBase {
			if e&kindMask == kindEnd {
				r.block = atBlock
			} else {
				err = errSymbol
			}
			break
		}
		extra := e >> 8 & 31
		length := int(e>>16) + int(b&(1<<extra-1))
		b >>= extra
		n -= uint(extra)

		// at most 20 bits are gone of the 56, and 28 may be needed
		d := dist[b&(1<<distBits-1)]
		if d&kindMask == kindSub {
			b >>= distBits
			n -= distBits
			d = dist[d>>16+uint32(b)&(1<<(d>>8&31)-1)]
		}
		b >>= d & lenMask
		n -= uint(d & lenMask)
		if d&kindMask != kindBase {
			err = errSymbol
			break
		}
		extra = d >> 8 & 31
		distance := int(d>>16) + int(b&(1<<extra-1))
		b >>= extra
		n -= uint(extra)
		if distance > outPos-r.first {
			err = fmt.Errorf("%w: a match before the beginning", ErrCorrupt)
			break
		}
		match(out, outPos, distance, length)
		outPos += length
	}
	r.inPos, r.outPos, r.bits, r.nbits = inPos, outPos, b, n
	return err
}

// match repeats what is distance bytes back; up to seven bytes beyond are
// overwritten, which nobody has written yet.
func match(out *[outSize + outSlack]byte, at, distance, length int) {
	from, end := at-distance, at+length
	if distance >= 8 {
		for at < end {
			binary.LittleEndian.PutUint64(out[at:], binary.LittleEndian.Uint64(out[from:]))
			at += 8
			from += 8
		}
		return
	}
	for at < end {
		out[at] = out[from]
		at++
		from++
	}
}
