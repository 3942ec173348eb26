package letters

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
)

// shortID is how much of an id is shown: enough to name a letter among many.
const shortID = 8

// rows is a table of letters.
type rows struct {
	*show.Table
	now time.Time
}

func newRows(now time.Time) rows {
	return rows{show.NewTable("letter", "queue", "age", "tenant", "upload", "what", "given up for", "redriven now"), now}
}

func (r rows) add(f found) {
	tenant, upload := "-", "-"
	if f.Command.ID.Upload != "" {
		tenant, upload = show.Name(f.Command.ID.Tenant), show.Name(f.Command.ID.Upload)
	}
	r.Add(short(f.MessageID), f.box, show.Age(r.now, f.SentAt), tenant, upload, what(f), show.Short(reasonOf(f)), show.Short(outlook(f)))
}

func short(id string) string { return id[:min(len(id), shortID)] }

// what is asked for: the operation of a command, the task of a trigger, the
// source of a release.
func what(f found) string {
	switch f.box {
	case Events:
		return f.trigger.what
	case Releases:
		return cmp.Or(named(f.Source), "-")
	}
	if f.Command.Operation == "" {
		return "-"
	}
	return string(f.Command.Operation)
}

func reasonOf(f found) string {
	switch {
	case f.Reason != "":
		return show.Plain(f.Reason)
	case f.Moved:
		return "delivered too often: moved by the queue"
	}
	return "no reason given"
}

// outlook is what would become of the letter if it were redriven.
func outlook(f found) string {
	if f.Redriven() {
		return f.Outlook
	}
	return "no: " + show.Plain(f.Against)
}

// sums count letters by what can be done with them.
type sums struct{ all, redriven, parked, back, triggers, releases int }

func (s *sums) add(f found) {
	s.all++
	switch {
	case f.box == Events:
		s.triggers++
	case f.box == Releases:
		s.releases++
	case f.Redriven():
		s.redriven++
	case f.Parked:
		s.parked++
	default:
		s.back++
	}
}

func (s sums) String() string {
	parts := []string{}
	part := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, show.CountedAs(int64(n), one, many))
		}
	}
	part(s.redriven, "can be redriven", "can be redriven")
	part(s.parked, "is of a parked upload", "are of parked uploads")
	part(s.back, "would only come back", "would only come back")
	part(s.triggers, "is a trigger", "are triggers")
	part(s.releases, "is a release", "are releases")
	return show.Counted(int64(s.all), "dead letter") + ": " + strings.Join(parts, ", ")
}

// details writes everything known of one letter.
func details(out io.Writer, f found, now time.Time, body bool) {
	line := func(name, value string) { show.Fact(out, name, value) }
	line("letter", f.MessageID)
	line("queue", f.box)
	line("sent", show.Moment(f.SentAt, now))
	line("given up for", reasonOf(f))
	if f.OriginalID != "" && f.OriginalID != f.MessageID {
		line("message", f.OriginalID)
	}
	if f.Deliveries > 0 {
		line("delivered", show.Counted(int64(f.Deliveries), "time")+" before it was given up")
	}
	line("looked at", show.Counted(int64(f.Receives), "time"))
	switch f.box {
	case Events:
		line("trigger", f.trigger.what)
		line("schedule", f.trigger.schedule)
		line("fired", f.trigger.time)
	case Releases:
		line("source", named(f.Source))
	default:
		commandOf(line, f)
	}
	line("redriven now", outlook(f)+hint(f))
	if body {
		line("body", strconv.QuoteToGraphic(f.Body))
	}
}

func commandOf(line func(name, value string), f found) {
	c := f.Command
	if c.ID.Upload == "" {
		return
	}
	line("run", show.Name(c.Run))
	line("operation", string(c.Operation))
	line("tenant", show.Name(c.ID.Tenant))
	line("upload", show.Name(c.ID.Upload))
	line("version", strconv.FormatInt(c.Version, 10))
	line("cutoff", c.Cutoff.Format(time.RFC3339))
	if c.Reason != "" {
		line("reason", show.Plain(c.Reason))
	}
}

// hint says what lets a parked upload go on.
func hint(f found) string {
	if !f.Parked {
		return ""
	}
	return fmt.Sprintf("; \"strandline parked retry %s\" lets it go on", show.Arguments(f.Command.ID.Tenant, f.Command.ID.Upload))
}
