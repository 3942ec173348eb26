package snappyblock

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Lanes is how many blocks are unpacked side by side.
const Lanes = 3

// ErrCorrupt is a block that is not one, or that unpacks to another length than
// was stated.
var ErrCorrupt = errors.New("it is not a Snappy block of the length stated")

// Size is that of a block, in bytes.
type Size struct {
	// Packed is how long it is where it lies, with the Ahead bytes before it that
	// are not of it.
	Ahead, Packed int
	// Unpacked is how long it becomes, of which the first Wanted are enough.
	Unpacked, Wanted int
}

// Unpacker unpacks Lanes blocks at a time. The zero value is ready.
type Unpacker struct {
	packed []byte
	lanes  [Lanes]lane
}

// lane is a block that is being unpacked: from in, up to inEnd, of what is
// packed, to out, from begin up to outEnd, of what is unpacked.
type lane struct {
	in, inEnd          int
	begin, out, outEnd int
	enough             int // for out
}

// left reports whether there is more of the block, wanted whether there has to
// be: to its end, if all of it is.
func (l *lane) left() bool { return l.in < l.inEnd }

func (l *lane) wanted() bool { return l.out < l.enough || l.enough == l.outEnd && l.left() }

// slack is how far behind the end of a block is read and written.
const slack = 128

// Room returns where the packed blocks, with what is ahead of them, are to be
// put. It is the same room each time.
func (u *Unpacker) Room(sizes [Lanes]Size) (packed [Lanes][]byte) {
	in, out := 0, 0
	for i, size := range sizes {
		u.lanes[i] = lane{
			in: in + size.Ahead, inEnd: in + size.Packed,
			begin: out, out: out, outEnd: out + size.Unpacked, enough: out + size.Wanted,
		}
		in += size.Packed + slack
		out += size.Unpacked + slack
	}
	u.packed = slices.Grow(u.packed[:0], in)[:in]
	for i, size := range sizes {
		end := u.lanes[i].inEnd
		packed[i] = u.packed[end-size.Packed : end : end]
	}
	return packed
}

// Unpack unpacks the blocks into a buffer, which it grows if it must. A block of
// which not all is wanted is unpacked so far at least; what is wrong with it
// behind that may go unseen.
func (u *Unpacker) Unpack(into *[]byte) (unpacked [Lanes][]byte, err error) {
	n := u.lanes[Lanes-1].outEnd + slack
	out := slices.Grow((*into)[:0], n)[:n]
	*into = out
	for i := range u.lanes {
		l := &u.lanes[i]
		stated, n := binary.Uvarint(u.packed[l.in:l.inEnd])
		if n <= 0 || stated != uint64(l.outEnd-l.begin) {
			return unpacked, ErrCorrupt
		}
		l.in += n
	}
	for u.allLeft() && u.someWanted() {
		turns(u.packed, out, &u.lanes)
		for i := range u.lanes {
			if !u.lanes[i].element(u.packed, out) {
				return unpacked, ErrCorrupt
			}
		}
	}
	for i := range u.lanes {
		l := &u.lanes[i]
		for l.wanted() {
			if !l.left() || !l.element(u.packed, out) {
				return unpacked, ErrCorrupt
			}
		}
		unpacked[i] = out[l.begin:l.out:l.out]
	}
	return unpacked, nil
}

func (u *Unpacker) allLeft() bool {
	return u.lanes[0].left() && u.lanes[1].left() && u.lanes[2].left()
}

func (u *Unpacker) someWanted() bool {
	return u.lanes[0].wanted() || u.lanes[1].wanted() || u.lanes[2].wanted()
}
