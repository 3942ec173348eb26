package cleanup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The names of what becomes of a candidate in a pass, as reports, logs and
// tables show them.
const (
	lineKept      = "kept"
	lineMarked    = "marked"
	lineRepaired  = "repaired"
	lineStuck     = "stuck"
	linePublished = "published"
	lineSkipped   = "skipped"
)

// The reasons for which a pass skips a candidate, beside those of
// upload.Decide ("parked", "claim alive", "schema unknown").
const (
	SkipIndexStale    = "index stale"
	SkipLostCondition = "lost condition"
	SkipReportOnly    = "report-only"
	SkipPaused        = "paused"
	SkipNoCensus      = "no fresh census"
	SkipOverLimit     = "over the limit"
	SkipQueueRefused  = "queue refused"
	SkipHighWater     = "queue high-water"
	SkipOutOfTime     = "out of time"
	SkipRunFailed     = "run failed"
)

// PassTally is what became of the candidates of a pass. Invariant 11 of the
// protocol: candidates = kept + marked + repaired + stuck + published +
// skipped, in uploads and in objects.
type PassTally struct {
	Candidates Amount `json:"candidates"`
	Kept       Amount `json:"kept"`
	Marked     Amount `json:"marked"`
	Repaired   Amount `json:"repaired"`
	Stuck      Amount `json:"stuck"`
	Published  Amount `json:"published"`
	// Skipped is by reason.
	Skipped map[string]Amount `json:"skipped"`
}

// skip counts a candidate that was skipped for the reason.
func (t *PassTally) skip(reason string, a Amount) {
	if t.Skipped == nil {
		t.Skipped = map[string]Amount{}
	}
	t.Skipped[reason] = t.Skipped[reason].Plus(a)
}

// add counts one candidate in a line other than skipped.
func (t *PassTally) add(line string, a Amount) {
	switch line {
	case lineKept:
		t.Kept = t.Kept.Plus(a)
	case lineMarked:
		t.Marked = t.Marked.Plus(a)
	case lineRepaired:
		t.Repaired = t.Repaired.Plus(a)
	case lineStuck:
		t.Stuck = t.Stuck.Plus(a)
	case linePublished:
		t.Published = t.Published.Plus(a)
	}
}

// merge adds another tally to this one.
func (t *PassTally) merge(o PassTally) {
	t.Candidates = t.Candidates.Plus(o.Candidates)
	for _, line := range []struct {
		name   string
		amount Amount
	}{
		{lineKept, o.Kept},
		{lineMarked, o.Marked},
		{lineRepaired, o.Repaired},
		{lineStuck, o.Stuck},
		{linePublished, o.Published},
	} {
		t.add(line.name, line.amount)
	}
	for reason, a := range o.Skipped {
		t.skip(reason, a)
	}
}

// SkippedInAll is the sum over the reasons.
func (t PassTally) SkippedInAll() Amount {
	var sum Amount
	for _, a := range t.Skipped {
		sum = sum.Plus(a)
	}
	return sum
}

// Check is an error when the numbers do not add up: something was done to a
// candidate that nobody counted, or counted twice.
func (t PassTally) Check() error {
	sum := t.Kept.Plus(t.Marked).Plus(t.Repaired).Plus(t.Stuck).Plus(t.Published).Plus(t.SkippedInAll())
	if sum != t.Candidates {
		return fmt.Errorf("pass tally: %+v candidates, %+v accounted for", t.Candidates, sum)
	}
	return nil
}

// String is the tally as a table: line, uploads, objects, bytes.
func (t PassTally) String() string {
	var b strings.Builder
	amountsHead(&b)
	t.Candidates.line(&b, "candidates")
	t.Kept.line(&b, lineKept)
	t.Marked.line(&b, lineMarked)
	t.Repaired.line(&b, lineRepaired)
	t.Stuck.line(&b, lineStuck)
	t.Published.line(&b, linePublished)
	for _, reason := range slices.Sorted(maps.Keys(t.Skipped)) {
		t.Skipped[reason].line(&b, lineSkipped+": "+reason)
	}
	return b.String()
}
