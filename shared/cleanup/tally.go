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

// Amount is how much something is: uploads, the object versions that may stand
// for them, and the bytes known of those.
type Amount struct {
	Uploads int64 `json:"uploads"`
	Objects int64 `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

// Plus is the sum of two counts.
func (c Amount) Plus(o Amount) Amount {
	return Amount{c.Uploads + o.Uploads, c.Objects + o.Objects, c.Bytes + o.Bytes}
}

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
func (t *PassTally) skip(reason string, c Amount) {
	if t.Skipped == nil {
		t.Skipped = map[string]Amount{}
	}
	t.Skipped[reason] = t.Skipped[reason].Plus(c)
}

// add counts one candidate under an outcome other than skipped.
func (t *PassTally) add(outcome string, c Amount) {
	switch outcome {
	case lineKept:
		t.Kept = t.Kept.Plus(c)
	case lineMarked:
		t.Marked = t.Marked.Plus(c)
	case lineRepaired:
		t.Repaired = t.Repaired.Plus(c)
	case lineStuck:
		t.Stuck = t.Stuck.Plus(c)
	case linePublished:
		t.Published = t.Published.Plus(c)
	}
}

// merge adds another tally to this one.
func (t *PassTally) merge(o PassTally) {
	t.Candidates = t.Candidates.Plus(o.Candidates)
	for _, outcome := range []struct {
		name  string
		count Amount
	}{
		{lineKept, o.Kept},
		{lineMarked, o.Marked},
		{lineRepaired, o.Repaired},
		{lineStuck, o.Stuck},
		{linePublished, o.Published},
	} {
		t.add(outcome.name, outcome.count)
	}
	for reason, c := range o.Skipped {
		t.skip(reason, c)
	}
}

// SkippedInAll is the sum over the reasons.
func (t PassTally) SkippedInAll() Amount {
	var sum Amount
	for _, c := range t.Skipped {
		sum = sum.Plus(c)
	}
	return sum
}

// Check is an error when the numbers do not add up: something was done to a
// candidate that nobody counted, or counted twice.
func (t PassTally) Check() error {
	sum := t.Kept.Plus(t.Marked).Plus(t.Repaired).Plus(t.Stuck).Plus(t.Published).Plus(t.SkippedInAll())
	if sum != t.Candidates {
		return fmt.Errorf("tally: %+v candidates, %+v accounted for", t.Candidates, sum)
	}
	return nil
}

// String is the tally as a table: outcome, uploads, objects, bytes.
func (t PassTally) String() string {
	var b strings.Builder
	line := func(name string, c Amount) {
		fmt.Fprintf(&b, "%-28s %10d %12d %16d\n", name, c.Uploads, c.Objects, c.Bytes)
	}
	fmt.Fprintf(&b, "%-28s %10s %12s %16s\n", "", "uploads", "objects", "bytes")
	line("candidates", t.Candidates)
	line(lineKept, t.Kept)
	line(lineMarked, t.Marked)
	line(lineRepaired, t.Repaired)
	line(lineStuck, t.Stuck)
	line(linePublished, t.Published)
	for _, reason := range slices.Sorted(maps.Keys(t.Skipped)) {
		line(lineSkipped+": "+reason, t.Skipped[reason])
	}
	return b.String()
}
