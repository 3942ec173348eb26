package snappyblock

import (
	"encoding/binary"
	"math"
)

// A turn of a block is a literal or none, and a copy: at most so many bytes.
const (
	turnIn  = 1 + inTag + 5
	turnOut = inTag + 64
)

// turnsOf is how many turns there certainly are of all lanes, and are not more
// than one of them wants.
func turnsOf(lanes *[Lanes]lane) int {
	left, wanted := math.MaxInt, 0
	for i := range lanes {
		l := &lanes[i]
		left = min(left, (l.inEnd-l.in)/turnIn, (l.outEnd-l.out)/turnOut)
		wanted = max(wanted, (l.enough-l.out)/turnOut+1)
	}
	return min(left, wanted)
}

// turns unpacks the blocks in turns, while what comes is what mostly comes: a
// literal of up to 60 bytes or none, then a copy that does not reach into what
// it makes. It stops in front of anything else, and where less than a turn is
// certainly left of one.
//
// Nothing branches on what kind of element comes, which no processor foretells.
// 24 or 32 bytes are moved whether or not so many are meant, and overwritten by
// what is next: that is what the slack behind a block is for. Each place is
// compared with where the last slack begins, so that the compiler need not check
// what lies behind it.
func turns(packed, unpacked []byte, lanes *[Lanes]lane) {
	inMost, outMost := len(packed)-slack, len(unpacked)-slack
	a, b, c := &lanes[0], &lanes[1], &lanes[2]
	in1, out1, begin1 := a.in, a.out, a.begin
	in2, out2, begin2 := b.in, b.out, b.begin
	in3, out3, begin3 := c.in, c.out, c.begin
	for left := turnsOf(lanes); left > 0; left-- {
		if in1 < 0 || in1 > inMost || out1 < 0 || out1 > outMost {
			break
		}
		n, size := putLiteral((*window)(unpacked[out1:]), (*window)(packed[in1:]))
		in1, out1 = in1+size, out1+n

		if in2 < 0 || in2 > inMost || out2 < 0 || out2 > outMost {
			break
		}
		n, size = putLiteral((*window)(unpacked[out2:]), (*window)(packed[in2:]))
		in2, out2 = in2+size, out2+n

		if in3 < 0 || in3 > inMost || out3 < 0 || out3 > outMost {
			break
		}
		n, size = putLiteral((*window)(unpacked[out3:]), (*window)(packed[in3:]))
		in3, out3 = in3+size, out3+n

		if in1 < 0 || in1 > inMost {
			break
		}
		offset, n, size := copyOf((*window)(packed[in1:]))
		from := out1 - offset
		if offset < n || from < begin1 || from < 0 || from > outMost || out1 < 0 || out1 > outMost {
			break
		}
		putCopy((*window)(unpacked[out1:]), (*window)(unpacked[from:]), n)
		in1, out1 = in1+size, out1+n

		if in2 < 0 || in2 > inMost {
			break
		}
		offset, n, size = copyOf((*window)(packed[in2:]))
		from = out2 - offset
		if offset < n || from < begin2 || from < 0 || from > outMost || out2 < 0 || out2 > outMost {
			break
		}
		putCopy((*window)(unpacked[out2:]), (*window)(unpacked[from:]), n)
		in2, out2 = in2+size, out2+n

		if in3 < 0 || in3 > inMost {
			break
		}
		offset, n, size = copyOf((*window)(packed[in3:]))
		from = out3 - offset
		if offset < n || from < begin3 || from < 0 || from > outMost || out3 < 0 || out3 > outMost {
			break
		}
		putCopy((*window)(unpacked[out3:]), (*window)(unpacked[from:]), n)
		in3, out3 = in3+size, out3+n
	}
	a.in, a.out = in1, out1
	b.in, b.out = in2, out2
	c.in, c.out = in3, out3
}

type (
	window  = [slack]byte
	quarter = [16]byte
	eight   = [8]byte
)

// putLiteral puts the literal that may be next, and returns its length and the
// size of the element; both are 0 if there is none.
func putLiteral(to, from *window) (n, size int) {
	l := int(literals[from[0]])
	move(to[:], from[1:])
	if l&0xff > 32 {
		move(to[32:], from[33:])
	}
	return l & 0xff, l >> 8
}

// copyOf is what the copy that may be next says; an offset below n if there is
// none.
func copyOf(from *window) (offset, n, size int) {
	c := &copies[from[0]]
	return int(binary.LittleEndian.Uint32(from[1:])&c.mask | uint32(c.high)), int(c.length), int(c.size)
}

// putCopy puts n bytes that are at least n away.
func putCopy(to, from *window, n int) {
	*(*quarter)(to[:]) = *(*quarter)(from[:])
	*(*eight)(to[16:]) = *(*eight)(from[16:])
	if n > 24 {
		*(*eight)(to[24:]) = *(*eight)(from[24:])
		move(to[32:], from[32:])
	}
}

// move copies 32 bytes, the later 16 last.
func move(to, from []byte) {
	*(*quarter)(to) = *(*quarter)(from)
	*(*quarter)(to[16:]) = *(*quarter)(from[16:])
}
