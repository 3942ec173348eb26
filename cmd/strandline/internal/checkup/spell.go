package checkup

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
)

const day = 24 * time.Hour

// spell writes a duration for people: in days where it is some, else without
// its zero parts.
func spell(d time.Duration) string {
	if d >= 2*day && d%day == 0 {
		return daysOf(d)
	}
	return show.Duration(d)
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
		return show.Duration(d)
	}
	return fmt.Sprint(value)
}

// firstLine keeps what others say to one line.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
