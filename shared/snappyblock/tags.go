package snappyblock

// The lower two bits of a tag are the kind of its element. What is no literal is
// a copy, whose kind is also how its offset is written.
const (
	kindBits = 3
	literal  = 0
	nearCopy = 1 // 11 bits, three of them in the tag
	copy16   = 2
	copy32   = 3
)

// inTag is the longest literal whose length is in its tag. That of a longer one
// is behind it, in one to four bytes.
const inTag = 60

// copied is what a tag says of a copy.
type copied struct {
	mask   uint32 // of the four bytes behind the tag: with high they make the offset
	high   uint16
	length uint8
	size   uint8 // of the element
}

// copies by tag. What is no copy has a length that its offset, 0, is too small
// for.
var copies = func() (t [256]copied) {
	for i := range t {
		length := uint8(i>>2 + 1)
		switch i & kindBits {
		case literal:
			t[i] = copied{length: 1}
		case nearCopy:
			t[i] = copied{mask: 1<<8 - 1, high: uint16(i >> 5 << 8), length: uint8(i>>2&7 + 4), size: 2}
		case copy16:
			t[i] = copied{mask: 1<<16 - 1, length: length, size: 3}
		case copy32:
			t[i] = copied{mask: 1<<32 - 1, length: length, size: 5}
		}
	}
	return t
}()

// literals by tag: the length, and in the upper half the size of the element.
// Both are 0 of a copy, and of a literal whose length is not in its tag.
var literals = func() (t [256]uint16) {
	for i := range t {
		if length := uint16(i>>2 + 1); i&kindBits == literal && length <= inTag {
			t[i] = length | (length+1)<<8
		}
	}
	return t
}()
