package explanation

import (
	"fmt"
	"maps"
	"slices"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Around says what of the installation stands between the upload and what the
// passes decide about it.
func (f Facts) Around() []string {
	words := f.Hinders()
	if f.Look.Passed {
		words = append(words, fmt.Sprintf("Passes have come by since it was due (%s): a command for it may be with the queue or a worker, which decide for themselves. The next round over what was passed comes by from %s on.",
			show.Instant(f.Record.DueAt), show.Instant(f.Look.From)))
	}
	if left := f.left(); left != nil {
		words = append(words, left...)
	}
	for _, w := range f.Waiting {
		words = append(words, fmt.Sprintf("Run %s waits for a person, and its plan has this upload: %s (%s). Until %s that plan is let go by:",
			w.Run.Run, w.Action, w.Reason, show.Instant(w.Run.ApprovableUntil())),
			ownName+" approve "+show.Arguments(w.Run.Run, w.Run.Digest))
	}
	return words
}

// Hinders says why nothing is deleted now, whatever passes decide.
func (f Facts) Hinders() []string {
	var words []string
	switch {
	case f.Gate.Paused:
		words = append(words, "The gate is paused: passes decide and count, and write nothing; no worker begins a delete (\"strandline resume\").")
	case !f.Gate.Open():
		words = append(words, "The gate is in report-only: passes decide and count, and write nothing; no worker begins a delete (\"strandline mode delete\"). What is said here is what would be.")
	}
	if f.Stale != "" {
		words = append(words, sentence(f.Stale)+" (\"strandline census recount\").")
	}
	if f.Last.Run == "" {
		words = append(words, fmt.Sprintf("No pass has run in the last %s: look at its schedule (\"strandline doctor\").", span(runsSince)))
	}
	if skew := f.Now.Sub(f.Gate.ServerTime).Abs(); skew > f.Policy.MaxClockSkew {
		words = append(words, fmt.Sprintf("This machine's clock differs from the store's by %s: what is said here of now is as wrong.", skew.Round(1e9)))
	}
	return words
}

// left says what the last pass left it for, if that pass found it due and did
// not come to it, and no closed gate says so already.
func (f Facts) left() []string {
	r, last := f.Record, f.Last
	if !f.Gate.Open() || last.Run == "" || r.DueAt.IsZero() || f.Look.Passed || r.DueAt.After(last.Cutoff) {
		return nil
	}
	words := []string{fmt.Sprintf("The last pass (%s, %s) could find it due, and left it as it is.", last.Run, last.State)}
	for _, reason := range slices.Sorted(maps.Keys(last.Tally.Skipped)) {
		words = append(words, fmt.Sprintf("It skipped %s: %s.", show.Counted(last.Tally.Skipped[reason].Uploads, "upload"), SkipWords(reason)))
	}
	switch {
	case last.State == cleanup.RunStopped || last.State == cleanup.RunFailed || last.State == cleanup.RunRefused:
		words = append(words, "It ended early: "+show.Plain(last.Reason)+".")
	case last.More:
		words = append(words, "More was due than a pass takes (MaxPerPass): the next ones go on.")
	}
	return words
}

// summary is what the upload is, in a line.
func (f Facts) summary() string {
	r := f.Record
	switch {
	case r.State == upload.StateNone:
		return "none"
	case r.Schema > upload.Schema:
		return "written by a newer release"
	case !r.ParkedAt.IsZero():
		return "deleting, parked"
	case f.stuck():
		return "assembling, stuck"
	case r.State == upload.StateExpired:
		return "expired, marked from " + r.MarkedFrom.String()
	case r.State == upload.StateDeleted && r.Retained.Count > 0:
		return "deleted, but for " + bytesize.Count(r.Retained.Count)
	}
	return r.State.String()
}
