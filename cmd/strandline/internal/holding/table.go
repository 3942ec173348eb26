package holding

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
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
	fmt.Fprintf(l.rows, "%.*s\t%s\t%s\t%s\t%s\t%s\n", shortID, h.ID(), h.State, show.Age(l.now, h.LastModified), sizeOf(h), versionOf(h), show.Name(h.Key))
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
	line("key", show.Name(h.Key))
	if h.Kind == hold.Multipart {
		line("upload id", h.VersionID)
		line("begun", show.Moment(h.LastModified, now))
	} else {
		line("version", h.VersionID+", "+versionOf(h)+" when last seen")
		line("size", sizeOf(h))
		line("etag", h.ETag)
		line("last modified", show.Moment(h.LastModified, now))
	}
	line("tenant", h.Tenant)
	line("upload", h.Upload)
	if h.KeyKnown {
		line("owner", "knows the key, under another version")
	}
	line("first seen", "run "+h.FirstSeen.Run+", "+show.Moment(h.FirstSeen.Inventory, now))
	line("last seen", "run "+h.LastSeen.Run+", "+show.Moment(h.LastSeen.Inventory, now))
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
