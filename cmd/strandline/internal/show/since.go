package show

import "time"

// Since is an instant to the minute and how long ago it was, as [Age] says it,
// or "just now". "-" for the zero instant.
func Since(now, t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return Instant(t) + ago(now, t)
}

// ago follows an instant; nothing does if that is ahead.
func ago(now, t time.Time) string {
	switch d := now.Sub(t); {
	case d < 0:
		return ""
	case d < time.Minute:
		return ", just now"
	}
	return ", " + Age(now, t) + " ago"
}
