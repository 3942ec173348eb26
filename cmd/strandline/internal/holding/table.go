package holding

import (
	"fmt"
	"io"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/hold"
)

// shortID is how much of an id is shown: enough to name a hold among millions.
const shortID = 12

// list is a table of holds.
type list struct {
	*show.Table
	now time.Time
}

func newList(now time.Time) list {
	return list{show.NewTable("hold", "state", "age", "size", "version", "key"), now}
}

func (l list) add(h hold.Hold) {
	l.Add(fmt.Sprintf("%.*s", shortID, h.ID()), string(h.State), show.Age(l.now, h.LastModified), sizeOf(h), versionOf(h), show.Name(h.Key))
}

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
	line := func(name, value string) { show.Fact(out, name, value) }
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
