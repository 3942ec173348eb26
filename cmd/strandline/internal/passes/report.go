package passes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/lease"
)

// report is a run for people, and what a person can do about it.
func (o Office) report(r cleanup.Report) error {
	now := o.Pass.Now()
	show.Fact(o.Out, "run", r.Run)
	show.Fact(o.Out, "state", stateText(r))
	show.Fact(o.Out, "broken off", brokenOff(r, now))
	for _, note := range r.Notes {
		show.Fact(o.Out, "note", noteText(note))
	}
	show.Fact(o.Out, "asked for by", show.Plain(r.By))
	show.Fact(o.Out, "started", startedText(r, now))
	if r.Attempt > 1 {
		show.Fact(o.Out, "attempt", fmt.Sprint(r.Attempt))
	}
	if r.Approval != nil {
		show.Fact(o.Out, "approved", "by "+show.Plain(r.Approval.By)+", "+show.Since(now, r.Approval.At)+took(r.Approval.At, r.Finished))
	}
	show.Fact(o.Out, "policy", settingsText(r.Policy))
	if !r.OldestDue.IsZero() {
		show.Fact(o.Out, "oldest due", show.Since(now, r.OldestDue))
	}
	if r.More {
		show.Fact(o.Out, "more", "a pass takes at most its share at once: more was due")
	}
	if r.Tally.Candidates.Uploads > 0 {
		fmt.Fprintln(o.Out)
		if err := tallyTable(r.Tally).Write(o.Out); err != nil {
			return err
		}
	}
	if err := o.buckets(r.Buckets, nil); err != nil {
		return err
	}
	return o.next(r, now)
}

func stateText(r cleanup.Report) string {
	if r.Reason == "" {
		return string(r.State)
	}
	return string(r.State) + ": " + show.Plain(r.Reason)
}

// brokenOff says of a run that is on its way by what is stored, and has not been
// for longer than a pass can last, that it is not; "" of any other.
func brokenOff(r cleanup.Report, now time.Time) string {
	began := time.Time{}
	switch {
	case r.State == cleanup.RunRunning:
		began = r.Started
	case r.State == cleanup.RunApproved && r.Approval != nil && r.Finished.Before(r.Approval.At):
		began = r.Approval.At
	}
	if began.IsZero() || now.Sub(began) <= lease.Span {
		return ""
	}
	return "killed, or its end could not be stored; what it had not come to is left for later passes"
}

func startedText(r cleanup.Report, now time.Time) string {
	if r.Started.IsZero() {
		return ""
	}
	if r.Approval != nil {
		return show.Since(now, r.Started) // what it took is the approval's
	}
	return show.Since(now, r.Started) + took(r.Started, r.Finished)
}

// took is how long something ran that has ended.
func took(began, ended time.Time) string {
	if ended.Before(began) {
		return ""
	}
	return "; it took " + ended.Sub(began).Round(time.Millisecond).String()
}

func settingsText(settings map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		parts = append(parts, name+"="+settings[name])
	}
	return strings.Join(parts, " ")
}

// tallyTable shows what became of each candidate. Lines of nothing are left
// out.
func tallyTable(t cleanup.PassTally) *show.Table {
	table := show.NewTable("what became of it", ">uploads", ">objects", ">bytes")
	add := func(name string, a cleanup.Amount) {
		if a != (cleanup.Amount{}) {
			table.Add(cells([]string{name}, a)...)
		}
	}
	add("published to the workers", t.Published)
	add("marked", t.Marked)
	add("repaired", t.Repaired)
	add("stuck", t.Stuck)
	for _, reason := range slices.Sorted(maps.Keys(t.Skipped)) {
		add("skipped: "+reason, t.Skipped[reason])
	}
	add("kept", t.Kept)
	table.Add(cells([]string{"all"}, t.Candidates)...)
	return table
}

// next says what a person can do.
func (o Office) next(r cleanup.Report, now time.Time) error {
	var says string
	switch until := r.ApprovableUntil(); {
	case r.State == cleanup.RunPaused && now.After(until):
		says = fmt.Sprintf("It could be approved until %s. A later pass plans anew.", show.Instant(until))
	case r.State == cleanup.RunPaused:
		says = fmt.Sprintf("Until %s it can be approved, after a look at its plan:\n  strandline approve %s", show.Instant(until), show.Arguments(r.Run, r.Digest))
	case r.State == cleanup.RunStopped:
		says = "A record shows activity that lies in the future: a clock of yours is wrong, or was. Nothing is done until that is over."
	default:
		return nil
	}
	_, err := fmt.Fprintf(o.Out, "\n%s\n", says)
	return err
}
