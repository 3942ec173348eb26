package inventory

import (
	"bytes"
	"errors"
	"math"
	"time"
)

var nullVersion = []byte(NullVersion)

// versionOf gives the null version its name.
func versionOf(cell []byte) []byte {
	if len(cell) == 0 {
		return nullVersion
	}
	return cell
}

// unquoted strips the quotes that an ETag has in HTTP.
func unquoted(tag []byte) []byte {
	if n := len(tag); n >= 2 && tag[0] == '"' && tag[n-1] == '"' {
		return tag[1 : n-1]
	}
	return tag
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
	var n int64
	for _, c := range cell {
		d := int64(c - '0')
		if c < '0' || c > '9' || n > (math.MaxInt64-d)/10 {
			return 0, errors.New("the size is not a number of bytes")
		}
		n = n*10 + d
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

var errTime = errors.New("the time of the last change is not an instant such as 2024-05-06T22:37:48.000Z")

// parseTime takes an instant as RFC 3339 has it, with 0 to 9 digits of a
// second's fraction, in milliseconds since 1970; an empty cell is no time.
func parseTime(cell []byte) (int64, error) {
	if len(cell) == 0 {
		return NoTime, nil
	}
	if ms, ok := utcMillis(cell); ok {
		return ms, nil
	}
	// Anything else, offsets for one, as the standard library takes it.
	t, err := time.Parse(time.RFC3339Nano, string(cell))
	if err != nil || t.Year() > 9999 {
		return 0, errTime
	}
	return t.UnixMilli(), nil
}

// utcMillis reads 2006-01-02T15:04:05[.fraction]Z.
func utcMillis(s []byte) (int64, bool) {
	if len(s) < 20 || len(s) > 30 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[len(s)-1] != 'Z' {
		return 0, false
	}
	year, month, day := two(s[0:])*100+two(s[2:]), two(s[5:]), two(s[8:])
	hour, minute, second := two(s[11:]), two(s[14:]), two(s[17:])
	// two is negative or above 99 for anything but digits
	if uint(year) > 9999 || uint(month-1) > 11 || uint(day-1) >= uint(daysIn(year, month)) ||
		uint(hour) > 23 || uint(minute) > 59 || uint(second) > 59 {
		return 0, false
	}
	millis, ok := fraction(s[19 : len(s)-1])
	seconds := int64(daysSince1970(year, month, day))*86400 + int64(hour*3600+minute*60+second)
	return seconds*1000 + millis, ok
}

// two reads two digits; anything else gives a number far out of every range.
func two(s []byte) int {
	tens, ones := s[0]-'0', s[1]-'0'
	if tens > 9 || ones > 9 {
		return -1 << 20
	}
	return int(tens)*10 + int(ones)
}

// fraction reads .123456789 as whole milliseconds.
func fraction(s []byte) (int64, bool) {
	if len(s) == 0 {
		return 0, true
	}
	if s[0] != '.' || len(s) < 2 {
		return 0, false
	}
	millis, unit := int64(0), int64(100)
	for _, c := range s[1:] {
		if c < '0' || c > '9' {
			return 0, false
		}
		millis += int64(c-'0') * unit
		unit /= 10
	}
	return millis, true
}

func daysIn(year, month int) int {
	if month == 2 && (year%4 == 0 && year%100 != 0 || year%400 == 0) {
		return 29
	}
	return int("\x1f\x1c\x1f\x1e\x1f\x1e\x1f\x1f\x1e\x1f\x1e\x1f"[month-1])
}

// daysSince1970 counts days of the Gregorian calendar, the year beginning in
// March (https://howardhinnant.github.io/date_algorithms.html#days_from_civil).
func daysSince1970(year, month, day int) int {
	if month <= 2 {
		year--
		month += 12
	}
	ofEra := year % 400
	dayOfYear := (153*(month-3)+2)/5 + day - 1
	return year/400*146097 + ofEra*365 + ofEra/4 - ofEra/100 + dayOfYear - 719468
}
