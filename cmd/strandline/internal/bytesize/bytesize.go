// Package bytesize reads and writes amounts of bytes as people do: 96MB, 1.5 GB.
package bytesize

import (
	"fmt"
	"strconv"
	"strings"
)

// units by their names; those with an i count in 1024s.
var units = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// Size is an amount of bytes that a flag can set.
type Size int64

// Set reads a whole number with a unit: 96MB, 1GiB.
func (s *Size) Set(text string) error {
	for _, u := range units {
		digits, ok := cutUnit(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || n > (1<<62)/u.bytes {
			break
		}
		*s = Size(n * u.bytes)
		return nil
	}
	return fmt.Errorf("expected a whole number with a unit, such as 96MB or 1GiB")
}

func cutUnit(text, unit string) (digits string, ok bool) {
	if len(text) <= len(unit) || !strings.EqualFold(text[len(text)-len(unit):], unit) {
		return "", false
	}
	return strings.TrimSpace(text[:len(text)-len(unit)]), true
}

// Type names the flag's value in help.
func (s *Size) Type() string { return "size" }

func (s *Size) String() string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if n := int64(*s); n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d%s", n/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%dB", int64(*s))
}

// Text writes an amount in three figures: 950 B, 1.25 MB.
func Text(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB", "PB", "EB"} {
		value /= 1000
		if value < 999.5 {
			break
		}
	}
	switch {
	case value < 9.995:
		return fmt.Sprintf("%.2f %s", value, unit)
	case value < 99.95:
		return fmt.Sprintf("%.1f %s", value, unit)
	}
	return fmt.Sprintf("%.0f %s", value, unit)
}

// Count writes a number with a comma between each three figures.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
