package explanation

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Step is one decision that passes will come to if nothing else happens.
type Step struct {
	// From is the earliest start of a pass that comes to it; zero for never.
	From  time.Time `json:"from,omitzero"`
	Words string    `json:"words"`
	// Action, Reason and Operation are the pass's own names, as in its report.
	Action    string           `json:"action,omitempty"`
	Reason    string           `json:"reason,omitempty"`
	Operation upload.Operation `json:"operation,omitempty"`
}

// Next says what passes decide from now on.
func (f Facts) Next() []Step {
	r := f.Record
	switch {
	case r.State == upload.StateNone:
		return nil
	case f.Future:
		return []Step{{Words: fmt.Sprintf("Its last activity, %s, lies in the future: the clock of a writer's machine was wrong. A pass that meets it stops and does nothing at all, until that instant has come.", show.Instant(r.LastActivityAt)), Action: string(cleanup.RunStopped), Reason: upload.ErrFuture.Error()}}
	case r.Schema > upload.Schema:
		return []Step{{Words: "Every pass of this release skips it.", Action: upload.Skip.String(), Reason: "schema unknown"}}
	case r.DueAt.IsZero():
		return []Step{{Words: "No pass looks at it: " + f.whyNever() + "."}}
	}
	var steps []Step
	before := r
	for i, a := range f.Ahead {
		d := a.Decision
		if !f.passing(i) {
			steps = append(steps, Step{From: a.At, Words: f.decided(before, a), Action: d.Action.String(), Reason: d.Reason, Operation: d.Operation})
		}
		before = a.After
	}
	return append(steps, f.afterwards(before)...)
}

// passing reports a look that only moves the due, and that the pass after it
// follows up: it says nothing that the next one does not.
func (f Facts) passing(i int) bool {
	return i+1 < len(f.Ahead) && f.Ahead[i].Decision.Action == upload.Keep &&
		f.Ahead[i+1].At.Sub(f.Ahead[i].At) <= f.Policy.PassEvery
}

// afterwards is the end that no decision says.
func (f Facts) afterwards(last upload.Record) []Step {
	if last.DueAt.IsZero() && last.State == upload.StateComplete {
		return []Step{{Words: "After that no pass looks at it: nothing of it is due any more."}}
	}
	return nil
}

func (f Facts) whyNever() string {
	switch r := f.Record; {
	case !r.ParkedAt.IsZero():
		return "it is parked, and waits for a person"
	case r.State == upload.StateDeleted && r.Retained.Count > 0:
		return "what is retained has no date at which that ends"
	case r.State == upload.StateDeleted:
		return "it is gone"
	case r.State == upload.StateComplete && r.Refs > 0:
		return "it is referred to, and nothing of it is superseded"
	case r.State == upload.StateComplete:
		return "it is permanent, and nothing of it is superseded"
	}
	return "it has no due"
}

// decided says what one pass does, and what follows from that.
func (f Facts) decided(before upload.Record, a upload.Foreseen) string {
	d := a.Decision
	switch d.Action {
	case upload.Keep:
		return "a pass leaves it alone: " + f.notYet(before, a.At)
	case upload.Mark:
		return "a pass marks it as expired: its hold is over, and its writer was silent for long enough. Activity takes the mark away"
	case upload.Fix:
		return "a pass cancels it as timed out: its deadline is over, and its writer was silent for long enough. What its owner's quota holds for it is given back"
	case upload.Stuck:
		return fmt.Sprintf("every pass flags it as stuck (assembling for longer than %s), and leaves it alone", span(f.Policy.StuckAfter))
	case upload.Purge:
		return f.purged(before, d.Operation)
	case upload.Skip:
		return "a pass skips it: " + SkipWords(d.Reason)
	}
	return d.Action.String() + ": " + d.Reason
}

// notYet says what keeps the record at an instant ahead.
func (f Facts) notYet(r upload.Record, at time.Time) string {
	f.Record, f.Now = r, at
	f.Obstacles = upload.Obstacles(f.Policy, r, at.Add(-f.Policy.SafetyMargin), at)
	var words []string
	for _, k := range f.Keeps() {
		words = append(words, k.Words...)
	}
	return cmp.Or(strings.Join(words, "; "), "it is "+r.State.String())
}

// purged says what a worker does with the command that a pass publishes.
func (f Facts) purged(r upload.Record, op upload.Operation) string {
	const hands = "a pass hands it to the workers, and one of them "
	switch op {
	case upload.OpTrim:
		objects, bytes := r.Superseded()
		return hands + fmt.Sprintf("deletes what is superseded: up to %s (%s known). The upload itself stays", show.Counted(objects, "object"), bytesize.Text(bytes))
	case upload.OpReclaim:
		return hands + fmt.Sprintf("takes the claim over and goes on deleting: %s left", show.Counted(max(0, r.Declared()-r.PurgedThrough), "object"))
	case upload.OpReopen:
		return hands + fmt.Sprintf("looks again at what was retained: %s", show.Counted(r.Retained.Count, "object version"))
	}
	return hands + fmt.Sprintf("claims it, for good, and deletes up to %s (%s known)", show.Counted(r.Declared(), "object"), bytesize.Text(r.Bytes))
}

// skipWords say what each reason means for which a pass leaves a candidate, or
// a worker a command.
var skipWords = map[string]string{
	"parked":                   "its purge has failed too often; it waits for a person (\"strandline parked list\")",
	"claim alive":              "a worker holds its claim and is at work",
	"schema unknown":           "a newer release wrote its record",
	"already deleted":          "it was deleted before the worker came to it",
	"newer version":            "it had changed since the pass looked at it",
	"not eligible":             "it was not eligible when the worker looked at it again",
	"revived":                  "its writer had brought it back when the worker looked at it",
	cleanup.SkipReleaseDropped: "a row of a source still names it, and its release was dropped",
	cleanup.SkipReferenceAdded: "a row of a source still names it, and it is complete again with a reference to that row",
	cleanup.SkipReferenced:     "a row of a source still names it; it stays due, and rows are asked again",
	cleanup.SkipIndexStale:     "the index pointed to it, and its record says that it is not due; the next pass looks again",
	cleanup.SkipLostCondition:  "it changed while the pass was at work, and was left as it then was",
	cleanup.SkipReportOnly:     "the gate is in report-only: the pass counted and wrote nothing",
	cleanup.SkipPaused:         "the gate is paused: the pass counted and wrote nothing",
	cleanup.SkipNoCensus:       "there is no fresh census to judge deletions by (\"strandline census recount\")",
	cleanup.SkipOverLimit:      "the pass was over a bucket's limit, and waits for a person (\"strandline runs list --state paused\")",
	cleanup.SkipQueueRefused:   "the queue did not take it; the next pass publishes it again",
	cleanup.SkipHighWater:      "the queue was above its high-water mark; workers must catch up first",
	cleanup.SkipOutOfTime:      "the pass ran out of time; the next one goes on there",
	cleanup.SkipRunFailed:      "the pass failed before it came to it; it is taken up again",
}

// SkipWords says in words why a pass skipped a candidate, or a worker a command.
func SkipWords(reason string) string { return cmp.Or(skipWords[reason], reason) }
