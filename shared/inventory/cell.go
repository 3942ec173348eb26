package inventory

import (
	"bytes"
	"errors"

	"github.com/strandline-dev/strandline/shared/celltext"
)

var nullVersion = []byte(NullVersion)

// versionOf gives the null version its name.
func versionOf(cell []byte) []byte {
	if len(cell) == 0 {
		return nullVersion
	}
	return cell
}

// decodeKey decodes a key of a CSV file, which is encoded as a form's value is,
// exactly once. Where there is nothing to decode it is the cell itself; else it
// is built in buf, which is returned to be used again.
func decodeKey(buf, cell []byte) (grown, key []byte, err error) {
	if len(cell) == 0 {
		return buf, nil, errNoKey
	}
	if bytes.IndexByte(cell, '%') < 0 && bytes.IndexByte(cell, '+') < 0 {
		return buf, cell, nil
	}
	buf = buf[:0]
	for i := 0; i < len(cell); i++ {
		switch cell[i] {
		case '+':
			buf = append(buf, ' ')
		case '%':
			if i+2 >= len(cell) {
				return buf, nil, errBadEscape
			}
			high, low := hexValue[cell[i+1]], hexValue[cell[i+2]]
			if high|low > 15 {
				return buf, nil, errBadEscape
			}
			buf = append(buf, high<<4|low)
			i += 2
		default:
			buf = append(buf, cell[i])
		}
	}
	return buf, buf, nil
}

var errBadEscape = errors.New("the key is not URL-encoded: a % without two hexadecimal digits")

// hexValue is 255 where a byte is no hexadecimal digit.
var hexValue = func() (values [256]byte) {
	for i := range values {
		values[i] = 255
	}
	for i := range byte(10) {
		values['0'+i] = i
	}
	for i := range byte(6) {
		values['a'+i], values['A'+i] = 10+i, 10+i
	}
	return values
}()

// parseSize takes decimal digits; an empty cell is no size.
func parseSize(cell []byte) (int64, error) {
	if len(cell) == 0 {
		return NoSize, nil
	}
	n, ok := celltext.Size(cell)
	if !ok {
		return 0, errSize
	}
	return n, nil
}

// parseAnswer takes true or false in any case; an empty cell is no answer.
func parseAnswer(cell []byte) (Answer, error) {
	switch {
	case len(cell) == 0:
		return Unknown, nil
	case string(cell) == "true", bytes.EqualFold(cell, []byte("true")):
		return Yes, nil
	case string(cell) == "false", bytes.EqualFold(cell, []byte("false")):
		return No, nil
	}
	return Unknown, errors.New("neither true nor false")
}

var (
	errSize = errors.New("the size is not a number of bytes")
	errTime = errors.New("the time of the last change is not an instant such as 2024-05-06T22:37:48.000Z")
)

// parseTime takes an instant as RFC 3339 has it, in Unix milliseconds; an empty
// cell is no time.
func parseTime(cell []byte) (int64, error) {
	if len(cell) == 0 {
		return NoTime, nil
	}
	ms, ok := celltext.Instant(cell)
	if !ok {
		return 0, errTime
	}
	return ms, nil
}
