package reclaim

import (
	"fmt"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
)

// Verdict says whether objects follow their rows.
type Verdict string

// The verdicts, from good to bad.
const (
	Reclaimed Verdict = "reclaimed" // they do
	Fragile   Verdict = "fragile"   // they do, or may, and something can go wrong that nobody would see
	Orphaned  Verdict = "orphaned"  // they stay
)

// Level says what a piece of evidence means for the verdict.
type Level string

// The levels.
const (
	OK        Level = "ok"
	Note      Level = "note"      // worth knowing
	Unchecked Level = "unchecked" // nothing is known: fragile
	Weak      Level = "weak"      // fragile
	Gap       Level = "gap"       // orphaned
)

// Check is what the evidence is about.
type Check string

// The checks, in the order in which they are shown.
const (
	CheckStream  Check = "stream"
	CheckQueue   Check = "queue"
	CheckReader  Check = "reader"
	CheckTold    Check = "configuration"
	CheckMapping Check = "mapping"
	CheckIndex   Check = "index"
	CheckLast    Check = "last event"
	CheckPending Check = "pending"
	CheckParked  Check = "parked"
	CheckOrphans Check = "orphans"
)

// Checks is the closed list.
func Checks() []Check {
	return []Check{
		CheckStream, CheckQueue, CheckReader, CheckTold, CheckMapping, CheckIndex, CheckLast, CheckPending, CheckParked, CheckOrphans,
	}
}

// Evidence is what one check says about a source. What is not in order has a
// Fix.
type Evidence struct {
	Check Check  `json:"check"`
	Level Level  `json:"level"`
	Says  string `json:"says"`
	Fix   string `json:"fix,omitempty"`
}

// Judged is a source with its verdict.
type Judged struct {
	Name string `json:"name"`
	// Table is empty of an outbox.
	Table    string     `json:"table,omitempty"`
	Verdict  Verdict    `json:"verdict"`
	Evidence []Evidence `json:"evidence"`
}

// judge gathers the evidence about one source.
type judge struct {
	facts  Facts
	source Source
	all    []Evidence
}

func (j *judge) add(c Check, l Level, fix, format string, args ...any) {
	j.all = append(j.all, Evidence{Check: c, Level: l, Says: fmt.Sprintf(format, args...), Fix: fix})
}

func (j *judge) ok(c Check, format string, args ...any)   { j.add(c, OK, "", format, args...) }
func (j *judge) note(c Check, format string, args ...any) { j.add(c, Note, "", format, args...) }

// verdict is what the worst of the evidence says; without any, nothing is known.
func (j *judge) verdict() Verdict {
	v := Reclaimed
	for _, e := range j.all {
		switch e.Level {
		case Gap:
			return Orphaned
		case Weak, Unchecked:
			v = Fragile
		}
	}
	if len(j.all) == 0 {
		return Fragile
	}
	return v
}

// unseen is the evidence of a look that saw nothing.
func unseen[T any](j *judge, c Check, l checkup.Look[T], needs string, ifAbsent func()) bool {
	if l.Seen {
		return false
	}
	switch f := l.Failed; f.Kind {
	case checkup.Absent:
		ifAbsent()
	case checkup.Denied:
		j.add(c, Unchecked, "allow "+needs+" to whoever runs audit (docs/deploy.md, Rights, Operators)", "%s", f.Says)
	case checkup.NotGiven:
		j.add(c, Unchecked, "give it, and run audit again", "%s", f.Says)
	case checkup.Silent, checkup.Other:
		j.add(c, Unchecked, "run audit again; if it stays, look at what the service says", "%s", f.Says)
	default:
		j.add(c, Unchecked, "run audit again", "it was not looked at")
	}
	return true
}
