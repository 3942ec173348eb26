package celltext

import (
	"math"
	"strconv"
)

// Size reads a number of bytes: decimal digits that fit into an int64.
func Size(text []byte) (n int64, ok bool) {
	if len(text) == 0 {
		return 0, false
	}
	for _, c := range text {
		d := int64(c - '0')
		if c < '0' || c > '9' || n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, true
}

// ETag is an ETag without the quotes that HTTP puts around it.
func ETag(text []byte) []byte {
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		return text[1 : n-1]
	}
	return text
}

// Place writes the number of a row or a line for a message, with a comma
// between each three digits: 1,204.
func Place(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
