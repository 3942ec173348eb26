package checkup

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// spell writes a duration for people: in days where it is some, else without
// its zero parts.
func spell(d time.Duration) string {
	if d >= 2*day && d%day == 0 {
		return daysOf(d)
	}
	return shortly(d)
}

// shortly is a duration as its variable takes it, without its zero parts: 24h,
// not 24h0m0s.
func shortly(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// daysOf is a duration in days, rounded up.
func daysOf(d time.Duration) string {
	if n := wholeDays(d); n != 1 {
		return fmt.Sprintf("%d days", n)
	}
	return "1 day"
}

func wholeDays(d time.Duration) int { return int((d + day - 1) / day) }

// seconds is a duration as SQS takes it.
func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// text is a value of the policy as its variable takes it.
func text(value any) string {
	if d, ok := value.(time.Duration); ok {
		return shortly(d)
	}
	return fmt.Sprint(value)
}

// firstLine keeps what others say to one line.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
