// Package show writes what a person reads, the same way in every command:
// instants, ages, numbers, names of objects, tables, JSON. Nothing of it has
// colours.
package show

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// JSON writes v as one line, its names as they are.
func JSON(out io.Writer, v any) error {
	write := json.NewEncoder(out)
	write.SetEscapeHTML(false)
	return write.Encode(v)
}

// Name is an object's name, written so that it cannot move the cursor or look
// like another.
func Name(name string) string {
	quoted := strconv.QuoteToGraphic(name)
	if quoted == `"`+name+`"` && !strings.Contains(name, " ") {
		return name
	}
	return quoted
}

// Age is how long ago an instant was: in days, in hours of the first two, or in
// minutes of the first hour. "-" for the zero instant.
func Age(now, since time.Time) string {
	if since.IsZero() {
		return "-"
	}
	age := now.Sub(since)
	if age.Abs() < time.Hour {
		return fmt.Sprintf("%d m", int(age.Minutes()))
	}
	hours := int(age.Hours())
	if hours < 48 {
		return fmt.Sprintf("%d h", hours)
	}
	return fmt.Sprintf("%d d", hours/24)
}

// Instant is a time to the minute, in UTC. "-" for the zero instant.
func Instant(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04 MST")
}

// Moment is an instant in full, and how long ago it was. Empty for the zero
// instant.
func Moment(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339) + ago(now, t)
}
