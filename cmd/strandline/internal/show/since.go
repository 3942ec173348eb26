package show

import (
	"fmt"
	"time"
)

// Since is an instant to the minute and how long ago it was: "just now", in
// minutes of the first hour, then as [Age] says it. "-" for the zero instant.
func Since(now, t time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return "-"
	case d < 0:
		return Instant(t)
	case d < time.Minute:
		return Instant(t) + ", just now"
	case d < time.Hour:
		return fmt.Sprintf("%s, %d m ago", Instant(t), int(d.Minutes()))
	}
	return Instant(t) + ", " + Age(now, t) + " ago"
}
