package orc

import "encoding/binary"

// reference decodes runs of whole numbers bit by bit, as the specification's
// section on run length encoding has them, and in no hurry. It stops where it
// cannot go on.
type reference struct {
	b      []byte
	at     int // in bits
	failed bool
}

// take reads n bits, the highest first.
func (r *reference) take(n int) (v uint64) {
	for range n {
		if r.at >= 8*len(r.b) {
			r.failed = true
			return 0
		}
		v = v<<1 | uint64(r.b[r.at/8]>>(7-r.at%8)&1)
		r.at++
	}
	return v
}

// packed reads n numbers of width bits, to the end of the last byte.
func (r *reference) packed(n, width int) []uint64 {
	all := make([]uint64, n)
	for i := range all {
		all[i] = r.take(width)
	}
	r.at = (r.at + 7) / 8 * 8
	return all
}

func (r *reference) varint() uint64 {
	v, n := binary.Uvarint(r.b[min(r.at/8, len(r.b)):])
	r.failed = r.failed || n <= 0
	r.at += 8 * max(n, 0)
	return v
}

// signedIf reads 0, -1, 1, -2, 2 … where numbers may be negative.
func signedIf(signed bool, v uint64) int64 {
	switch {
	case !signed:
		return int64(v)
	case v%2 == 1:
		return -int64(v/2) - 1
	}
	return int64(v / 2)
}

// bitWidth is the width that a code of five bits stands for, and codedWidth the
// least of them that has room for n bits.
func bitWidth(code uint64) int {
	if code < 24 {
		return int(code) + 1
	}
	return []int{26, 28, 30, 32, 40, 48, 56, 64}[code-24]
}

func codedWidth(n int) int {
	code := uint64(0)
	for bitWidth(code) < n {
		code++
	}
	return bitWidth(code)
}

// run1 reads a run of version 1, run2 one of version 2.
func (r *reference) run1(signed bool) (all []int64) {
	h := int(r.take(8))
	if h >= 128 {
		for range 256 - h {
			all = append(all, signedIf(signed, r.varint()))
		}
		return all
	}
	step := int64(int8(r.take(8)))
	first := signedIf(signed, r.varint())
	for i := range int64(h + 3) {
		all = append(all, first+i*step)
	}
	return all
}

func (r *reference) run2(signed bool) (all []int64) {
	kind := r.take(2)
	if kind == 0 {
		size := int(r.take(3)) + 1
		n := int(r.take(3)) + 3
		v := signedIf(signed, r.take(8*size))
		for range n {
			all = append(all, v)
		}
		return all
	}
	code := r.take(5)
	n := int(r.take(9)) + 1
	switch kind {
	case 1:
		for _, v := range r.packed(n, bitWidth(code)) {
			all = append(all, signedIf(signed, v))
		}
		return all
	case 2:
		return r.patched(n, bitWidth(code))
	}
	v := signedIf(signed, r.varint())
	step := signedIf(true, r.varint())
	all = append(all, v, v+step)
	if code == 0 {
		for i := int64(2); i < int64(n); i++ {
			all = append(all, v+i*step)
		}
		return all[:n]
	}
	for _, size := range r.packed(max(n-2, 0), bitWidth(code)) {
		if step < 0 {
			size = -size
		}
		all = append(all, all[len(all)-1]+int64(size))
	}
	return all
}

func (r *reference) patched(n, width int) (all []int64) {
	size, patchWidth := int(r.take(3))+1, bitWidth(r.take(5))
	gapWidth, patches := int(r.take(3))+1, int(r.take(5))
	negative := r.take(1) == 1
	base := int64(r.take(8*size - 1))
	if negative {
		base = -base
	}
	values := r.packed(n, width)
	if r.failed = r.failed || gapWidth+patchWidth > 64; r.failed {
		return nil
	}
	at := uint64(0)
	for _, patch := range r.packed(patches, codedWidth(gapWidth+patchWidth)) {
		at += patch >> patchWidth
		if at >= uint64(n) {
			r.failed = true
			return nil
		}
		values[at] |= patch << (64 - patchWidth) >> (64 - patchWidth) << width
	}
	for _, v := range values {
		all = append(all, base+int64(v))
	}
	return all
}
