package objects

import "unicode/utf8"

// Alone reports whether the key needs a call of its own to be deleted: it would
// not come back from a DeleteObjects body and its answer as it was. XML 1.0 has
// no way to write most control characters (https://www.w3.org/TR/xml/#charsets):
// the SDK writes U+FFFD for them, which is another key, and where the version is
// called null, another object. Line ends and the other blank controls may be
// normalised by a parser.
//
// Whoever must know when each delete starts puts such a key into a call of its
// own: in one with others it waits for them.
func Alone(key string) bool {
	if !utf8.ValidString(key) {
		return true
	}
	for _, r := range key {
		switch {
		case r < ' ', r >= 0x7f && r <= 0x9f, r == 0x2028, r == 0x2029, r == 0xfffe, r == 0xffff:
			return true
		}
	}
	return false
}
