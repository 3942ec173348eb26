package controls

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/gate"
)

// page is the gate as it is written for programs. What is unknown is absent.
type page struct {
	Gate    string    `json:"gate"`
	Table   string    `json:"table"`
	Mode    gate.Mode `json:"mode"`
	Paused  bool      `json:"paused"`
	Deletes bool      `json:"deletes"`
	Rate    int       `json:"rate"`  // object versions per second
	Burst   int       `json:"burst"` // object versions
	// SlowedTo is the rate in force while throttles have lowered it, and
	// WholeAt when it is Rate again if nothing throttles until then.
	SlowedTo  int       `json:"slowed_to,omitempty"`
	WholeAt   time.Time `json:"whole_at,omitzero"`
	Queued    *int64    `json:"queued,omitempty"`
	Unknown   string    `json:"queued_error,omitempty"`
	Note      string    `json:"note,omitempty"`
	Revision  int64     `json:"revision"`
	DecidedBy string    `json:"decided_by,omitempty"`
	DecidedAt time.Time `json:"decided_at,omitzero"`
	// ClockAhead is how far this machine's clock is ahead of the store's.
	ClockAhead *float64 `json:"clock_ahead_seconds,omitempty"`
}

func (c Controls) write(v view) error {
	if !c.JSON {
		return c.table(v)
	}
	p := page{
		Gate: c.Name, Table: c.Table, Mode: v.Mode, Paused: v.Paused, Deletes: v.Open() && v.Rate > 0,
		Rate: v.Rate, Burst: v.Burst, Note: v.note, Revision: v.Revision, DecidedBy: v.DecidedBy, DecidedAt: v.DecidedAt,
	}
	if now := c.Now(); v.Slowed(now) {
		p.SlowedTo, p.WholeAt = v.RateAt(now), v.RecoversAt()
	}
	if v.queued >= 0 {
		p.Queued = &v.queued
	}
	if v.unknown != nil {
		p.Unknown = v.unknown.Error()
	}
	if ahead, known := c.ahead(v.State); known {
		seconds := ahead.Seconds()
		p.ClockAhead = &seconds
	}
	return show.JSON(c.Out, p)
}

// ahead is how far the own clock is ahead of the store's, in whole seconds as
// the store tells it.
func (c Controls) ahead(s gate.State) (time.Duration, bool) {
	if s.ServerTime.IsZero() {
		return 0, false
	}
	return c.Now().Sub(s.ServerTime).Truncate(time.Second), true
}

// table is the gate for people.
func (c Controls) table(v view) error {
	lines := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(lines, "gate\t%s, in table %s\n", c.Name, c.Table)
	fmt.Fprintf(lines, "mode\t%s\n", show.Plain(string(v.Mode)))
	fmt.Fprintf(lines, "paused\t%s\n", yesNo(v.Paused))
	fmt.Fprintf(lines, "rate\t%s\n", rateOf(v.Rate, v.Burst))
	if slowed := c.slowed(v.State); slowed != "" {
		fmt.Fprintf(lines, "slowed\t%s\n", slowed)
	}
	fmt.Fprintf(lines, "deletes\t%s\n", deletes(v.State))
	switch {
	case v.unknown != nil:
		fmt.Fprintf(lines, "queued\tnot known: %s\n", show.Plain(v.unknown.Error()))
	case v.queued >= 0:
		fmt.Fprintf(lines, "queued\t%s\n", commands(v.queued))
	}
	fmt.Fprintf(lines, "decided\t%s\n", c.decided(v.State))
	if ahead, known := c.ahead(v.State); known && ahead.Abs() > c.MaxSkew && c.MaxSkew > 0 {
		fmt.Fprintf(lines, "clock\tthis machine's is %s off the store's: set it right\n", ahead.Abs())
	}
	return lines.Flush()
}

func (c Controls) decided(s gate.State) string {
	if s.Revision == 0 {
		return "by nobody yet: a new gate only reports"
	}
	by := show.Plain(s.DecidedBy)
	if by == "" {
		by = "somebody who gave no name"
	}
	if s.DecidedAt.IsZero() {
		return "by " + by
	}
	return fmt.Sprintf("by %s, %s", by, show.Moment(s.DecidedAt, c.Now()))
}

// deletes says whether anything is deleted now, and why not.
func deletes(s gate.State) string {
	switch {
	case s.Mode != gate.Delete:
		return "nothing: passes count and report"
	case s.Paused:
		return "nothing until it is resumed"
	case s.Rate <= 0:
		return "nothing: no rate is set"
	}
	return "what the ledger condemns"
}

func rateOf(rate, burst int) string {
	if rate <= 0 {
		return "none is set"
	}
	return fmt.Sprintf("%s a second, %s at once", versions(rate), bytesize.Count(int64(burst)))
}

// slowed says what throttles have left of the rate for now; "" for all of it.
func (c Controls) slowed(s gate.State) string {
	now := c.Now()
	if !s.Slowed(now) {
		return ""
	}
	return fmt.Sprintf("to %s a second, as the store or the ledger asked; whole again about %s",
		versions(s.RateAt(now)), show.Moment(s.RecoversAt(), now))
}

func versions(n int) string {
	if n == 1 {
		return "1 object version"
	}
	return bytesize.Count(int64(n)) + " object versions"
}

func commands(n int64) string {
	if n == 1 {
		return "about 1 command"
	}
	return "about " + bytesize.Count(n) + " commands"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
