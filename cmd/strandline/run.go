package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/passes"
)

func newRun() *cobra.Command {
	p := &passCommand{}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run a pass now, as a schedule would",
		Long: `Runs one pass of the scheduler from this machine: the same plan, limits, lease and
guards. It shows what the pass would do and asks; the pass then plans anew. It deletes
nothing itself: workers do, and decide about each upload again.

Its run is one of the schedule "by-hand", under --who's name, and is shown by
"strandline runs show" like any other. Refused, with one line, while another pass
runs, where this machine's clock is not the store's, and where the policy here is
not that of the last pass that a schedule ran (give the command the variables that
the functions have, or --other-policy). Interrupted, it ends in good order: what it
has not come to is left for the next pass. Killed, it keeps other passes out until
its lease ends, for at most 18 minutes.`,
		Example: `  strandline run
  strandline run --yes --who ann
  strandline run --yes --json | jq '.tally.published'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return needsAPerson(p.decide(cmd, func(ctx context.Context, c passes.Clerk) error { return c.Run(ctx) }))
		},
	}
	p.site.AddFlags(cmd.Flags())
	p.addFlags(cmd.Flags())
	p.addJSON(cmd.Flags(), "the run")
	p.addTenants(cmd)
	p.addOtherPolicy(cmd)
	return withFindings(cmd, "the run was paused or stopped: it needs a person")
}

// needsAPerson gives a run that was paused or stopped its exit code.
func needsAPerson(err error) error {
	if errors.Is(err, passes.ErrNeedsAPerson) {
		return errFindings
	}
	return err
}
