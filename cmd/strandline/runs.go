package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/passes"
)

func newRuns() *cobra.Command {
	p := &passCommand{}
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "See what the passes have done",
		Long: `A run is one pass: a schedule's, or an operator's ("by-hand"). Its report is kept for
90 days, the plan of a paused one for a week.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRunsList(p), newRunsShow(p))
	return cmd
}

func newRunsList(p *passCommand) *cobra.Command {
	var names []string
	since := 24 * time.Hour
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List runs, the latest last",
		Long: `Lists the runs that fired in the last --since, the latest last: state, how many
uploads were candidates, marked and repaired; how many object versions its plan would
purge and how many were published for that; and why it did not carry out its plan.

States: running; done; reported (the gate was closed, nothing was written); paused
(over a limit, its plan waits for "strandline approve"); approved; stopped (a record
shows activity in the future); refused (the clock was wrong); failed (taken up again
by the same trigger).`,
		Example: `  strandline runs list
  strandline runs list --since 48h --state paused
  strandline runs list --since 168h --json | jq -r 'select(.state == "failed") | .reason'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			states, err := passes.ParseStates(names)
			if err != nil {
				return err
			}
			if since <= 0 {
				return fmt.Errorf("--since is %v: expected how long ago, such as 48h", since)
			}
			office, err := p.reading(cmd)
			if err != nil {
				return err
			}
			return office.List(cmd.Context(), time.Now().Add(-since), states)
		},
	}
	p.site.AddFlags(cmd.Flags())
	p.addJSON(cmd.Flags(), "one run a line")
	cmd.Flags().DurationVar(&since, "since", since, "how long ago a run may have fired")
	cmd.Flags().StringSliceVar(&names, "state", nil, "only runs in these states; all, if not given")
	return cmd
}

func newRunsShow(p *passCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show all that is known of a run, and the plan of a paused one",
		Long: `Shows a run's report: what became of each candidate, each bucket beside its limit,
notes, and who asked for it or approved it. For a run that was paused it shows the
plan that was stored, and how to approve it.`,
		Example: `  strandline runs show '2026-11-30T12:15:00.000Z#every-15m'
  strandline runs show '2026-11-30T12:15:00.000Z#every-15m' --json | jq .plan.tenants`,
		Args: oneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			office, err := p.reading(cmd)
			if err != nil {
				return err
			}
			return office.Show(cmd.Context(), args[0])
		},
	}
	p.site.AddFlags(cmd.Flags())
	p.addJSON(cmd.Flags(), "the run and its plan")
	p.addTenants(cmd)
	return cmd
}

func oneRun(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("name one run by its id; \"strandline runs list\" shows them")
	}
	return nil
}
