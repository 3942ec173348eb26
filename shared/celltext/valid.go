package celltext

import (
	"encoding/binary"
	"unicode/utf8"
)

// Valid is utf8.Valid, and quicker of what is ASCII, which nearly every key is.
func Valid(text []byte) bool { return ascii(text) || utf8.Valid(text) }

func ascii(text []byte) bool {
	all := uint64(0)
	for len(text) >= 8 {
		all |= binary.LittleEndian.Uint64(text)
		text = text[8:]
	}
	for _, b := range text {
		all |= uint64(b)
	}
	return all&0x80808080_80808080 == 0
}
