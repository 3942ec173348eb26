package reclaim

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
)

// Report is what was looked at, and what came of it.
type Report struct {
	Table   string    `json:"table"`
	Region  string    `json:"region"`
	At      time.Time `json:"at"`
	Sources []Judged  `json:"sources"`
}

// ReportOf judges the facts.
func ReportOf(f Facts) Report {
	return Report{Table: f.Table, Region: f.Region, At: f.Now.UTC().Truncate(time.Second), Sources: Judge(f)}
}

// Reclaimed reports whether nothing is fragile or orphaned.
func (r Report) Reclaimed() bool {
	for _, s := range r.Sources {
		if s.Verdict != Reclaimed {
			return false
		}
	}
	return true
}

// JSON writes the report as one document.
func (r Report) JSON(out io.Writer) error { return show.JSON(out, r) }

// Text writes the report for people: source by source its verdict and the
// evidence, what is not in order with its fix below.
func (r Report) Text(out io.Writer) error {
	fmt.Fprintf(out, "ledger %s in %s\n", r.Table, r.Region)
	for _, s := range r.Sources {
		of := "outbox"
		if s.Table != "" {
			of = "table " + s.Table
		}
		fmt.Fprintf(out, "\n%s (%s): %s\n", s.Name, of, s.Verdict)
		for _, e := range s.Evidence {
			line(out, e)
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n", r.summary())
	return err
}

func line(out io.Writer, e Evidence) {
	mark := string(e.Level) + ": "
	if e.Level == OK {
		mark = ""
	}
	fmt.Fprintf(out, "  %-13s  %s%s\n", e.Check, mark, e.Says)
	if e.Fix != "" {
		fmt.Fprintf(out, "  %-13s  fix: %s\n", "", e.Fix)
	}
}

// summary counts the verdicts.
func (r Report) summary() string {
	counts := map[Verdict]int{}
	for _, s := range r.Sources {
		counts[s.Verdict]++
	}
	var parts []string
	for _, v := range []Verdict{Reclaimed, Fragile, Orphaned} {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	return strings.Join(parts, ", ")
}
