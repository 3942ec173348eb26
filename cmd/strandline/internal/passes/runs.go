package passes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/upload"
)

// states are those of runs, in the order in which they are met.
var states = []cleanup.RunState{
	cleanup.RunRunning, cleanup.RunDone, cleanup.RunReported, cleanup.RunPaused,
	cleanup.RunApproved, cleanup.RunStopped, cleanup.RunRefused, cleanup.RunFailed,
}

// ParseStates reads the names of runs' states; none are all.
func ParseStates(names []string) (wanted []cleanup.RunState, err error) {
	for _, name := range names {
		if !slices.Contains(states, cleanup.RunState(name)) {
			return nil, fmt.Errorf("--state is %q: expected %s", name, stateNames())
		}
		wanted = append(wanted, cleanup.RunState(name))
	}
	if len(wanted) == 0 {
		return states, nil
	}
	return wanted, nil
}

func stateNames() string {
	var names []string
	for _, s := range states {
		names = append(names, string(s))
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// List shows the runs that fired since then and are in one of the states, the
// latest last.
func (o Office) List(ctx context.Context, since time.Time, wanted []cleanup.RunState) error {
	t := show.NewTable("run", "state", ">candidates", ">marked", ">repaired", ">planned", ">published", "why")
	read := int64(0)
	for r, err := range o.Pass.Runs(ctx, since) {
		if err != nil {
			o.clear()
			return err
		}
		if read++; o.Progress != nil {
			o.Progress("read", read, "runs")
		}
		if !slices.Contains(wanted, r.State) {
			continue
		}
		if err := o.line(t, r); err != nil {
			return err
		}
	}
	o.clear()
	switch {
	case o.JSON:
		return nil
	case t.Rows() == 0:
		_, err := fmt.Fprintf(o.Out, "no such runs since %s; --since looks further back; \"strandline doctor\" says whether the schedules are there\n", show.Instant(since))
		return err
	}
	return t.Write(o.Out)
}

// line adds a run to the table, or writes it at once for programs.
func (o Office) line(t *show.Table, r cleanup.Report) error {
	if o.JSON {
		return show.JSON(o.Out, r)
	}
	why := r.Reason
	if broken := brokenOff(r, o.Pass.Now()); broken != "" {
		why = "broken off: " + broken
	}
	t.Add(r.Run, string(r.State), bytesize.Count(r.Tally.Candidates.Uploads), bytesize.Count(r.Tally.Marked.Uploads),
		bytesize.Count(r.Tally.Repaired.Uploads), bytesize.Count(planned(r)), bytesize.Count(r.Tally.Published.Objects), show.Plain(why))
	return nil
}

// planned is how many object versions the run's plan would purge.
func planned(r cleanup.Report) (objects int64) {
	for _, b := range r.Buckets {
		objects += b.Planned
	}
	return objects
}

// Show shows all that is known of one run, and the plan that it stored. A run
// whose plan cannot be read is shown without it, and that is an error.
func (o Office) Show(ctx context.Context, id string) error {
	r, err := o.Pass.ReadRun(ctx, id)
	if errors.Is(err, upload.ErrAbsent) {
		return fmt.Errorf("there is no run %s; \"strandline runs list\" shows them", id)
	}
	if err != nil {
		return err
	}
	plan, lost := o.stored(ctx, r)
	if o.JSON {
		return errors.Join(show.JSON(o.Out, runPageOf(r, plan)), lost)
	}
	if err := o.report(r); err != nil || plan == nil {
		return errors.Join(err, lost)
	}
	fmt.Fprintln(o.Out, "\nthe plan that was stored when it was paused:")
	return o.plan(plan, nil, o.Pass.Now())
}

// planKept is how long a stored plan is looked for; after that the store may
// have forgotten it.
const planKept = 7 * 24 * time.Hour

// stored is the plan of a run that was paused; nil where there is none any
// more.
func (o Office) stored(ctx context.Context, r cleanup.Report) (*cleanup.Plan, error) {
	if r.Pages == 0 || o.Pass.Now().Sub(r.PausedAt) > planKept {
		return nil, nil
	}
	return o.Pass.PlanOf(ctx, r)
}

// runPage is a run for programs: its report, and the plan that it stored.
type runPage struct {
	cleanup.Report
	Plan *planPage `json:"plan,omitempty"`
}

func runPageOf(r cleanup.Report, plan *cleanup.Plan) runPage {
	page := runPage{Report: r}
	if plan != nil {
		page.Plan = planPageOf(plan, r.Buckets)
	}
	return page
}
