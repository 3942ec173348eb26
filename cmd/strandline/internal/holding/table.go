package holding

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/shared/hold"
)

// shortID is how much of an id is shown: enough to name a hold among millions.
const shortID = 12

// list writes holds as a table.
type list struct {
	rows *tabwriter.Writer
	now  time.Time
}

func newList(out io.Writer, now time.Time) list {
	rows := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "hold\tstate\tage\tsize\tversion\tkey")
	return list{rows, now}
}

func (l list) add(h hold.Hold) {
	fmt.Fprintf(l.rows, "%.*s\t%s\t%s\t%s\t%s\t%s\n", shortID, h.ID(), h.State, age(l.now, h.LastModified), sizeOf(h), versionOf(h), shown(h.Key))
}

func (l list) end() error { return l.rows.Flush() }

func sizeOf(h hold.Hold) string {
	if h.Kind == hold.Multipart || h.Size < 0 {
		return "-"
	}
	return bytesize.Text(h.Size)
}

// versionOf says what of the key it is.
func versionOf(h hold.Hold) string {
	switch {
	case h.Kind == hold.Multipart:
		return "unfinished upload"
	case h.Latest:
		return "current"
	}
	return "noncurrent"
}

// age is days, or hours of the first two.
func age(now, since time.Time) string {
	if since.IsZero() {
		return "-"
	}
	hours := int(now.Sub(since).Hours())
	if hours < 48 {
		return fmt.Sprintf("%d h", hours)
	}
	return fmt.Sprintf("%d d", hours/24)
}

// shown writes a name so that it cannot move the cursor or look like another.
func shown(name string) string {
	quoted := strconv.QuoteToGraphic(name)
	if quoted == `"`+name+`"` && !strings.Contains(name, " ") {
		return name
	}
	return quoted
}

// details writes everything known of one hold.
func details(out io.Writer, h hold.Hold, now time.Time) {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(out, "%-14s %s\n", name, value)
		}
	}
	line("hold", h.ID())
	line("state", stateOf(h))
	line("bucket", h.Bucket)
	line("key", shown(h.Key))
	if h.Kind == hold.Multipart {
		line("upload id", h.VersionID)
		line("begun", moment(h.LastModified, now))
	} else {
		line("version", h.VersionID+", "+versionOf(h)+" when last seen")
		line("size", sizeOf(h))
		line("etag", h.ETag)
		line("last modified", moment(h.LastModified, now))
	}
	line("tenant", h.Tenant)
	line("upload", h.Upload)
	if h.KeyKnown {
		line("owner", "knows the key, under another version")
	}
	line("first seen", "run "+h.FirstSeen.Run+", "+moment(h.FirstSeen.Inventory, now))
	line("last seen", "run "+h.LastSeen.Run+", "+moment(h.LastSeen.Inventory, now))
	line("record", h.Adopted.Upload)
	line("hidden by", h.Marker.VersionID)
}

func stateOf(h hold.Hold) string {
	text := string(h.State)
	if h.Who != "" {
		text += " by " + h.Who
	}
	if !h.When.IsZero() {
		text += ", " + h.When.UTC().Format(time.RFC3339)
	}
	if h.Why != "" && h.Why != string(h.State) {
		text += ": " + h.Why
	}
	return text
}

func moment(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339) + ", " + age(now, t) + " ago"
}
