package snappyblock_test

import (
	"encoding/binary"
	"errors"
)

var errReference = errors.New("corrupt")

// reference unpacks a block byte by byte, as the format's description says it,
// and returns what it has made where it meets a fault. No block here states more
// than most.
func reference(packed []byte, most int) (stated int, made []byte, err error) {
	length, n := binary.Uvarint(packed)
	if n <= 0 || length > uint64(most) {
		return 0, nil, errReference
	}
	stated, made, packed = int(length), []byte{}, packed[n:]
	for len(packed) > 0 {
		if made, packed, err = referenceElement(made, packed, stated); err != nil {
			return stated, made, err
		}
	}
	if len(made) != stated {
		return stated, made, errReference
	}
	return stated, made, nil
}

func referenceElement(made, packed []byte, stated int) (more, rest []byte, err error) {
	tag, packed := packed[0], packed[1:]
	upper := int64(tag >> 2)
	behind := []int{0, 1, 2, 4}[tag%4] // bytes of the offset, or of a literal's length
	if tag%4 == 0 && upper >= 60 {
		behind = int(upper - 59)
	}
	if behind > len(packed) {
		return made, packed, errReference
	}
	number := int64(0)
	for i := behind - 1; i >= 0; i-- {
		number = number*256 + int64(packed[i])
	}
	packed = packed[behind:]
	length, offset := upper+1, number
	switch {
	case tag%4 == 1:
		length, offset = upper%8+4, number+upper/8*256
	case tag%4 == 0 && behind > 0:
		length = number + 1
	}
	if length > int64(stated-len(made)) {
		return made, packed, errReference
	}
	if tag%4 == 0 {
		if length > int64(len(packed)) {
			return made, packed, errReference
		}
		return append(made, packed[:length]...), packed[length:], nil
	}
	if offset == 0 || offset > int64(len(made)) {
		return made, packed, errReference
	}
	for range length {
		made = append(made, made[int64(len(made))-offset])
	}
	return made, packed, nil
}
