package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/meter"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/waiting"
)

// waitingCommand is what the commands about uploads that wait for a person
// have in common.
type waitingCommand struct {
	site   site.Site
	tenant string
	decision
}

func (w *waitingCommand) addFlags(cmd *cobra.Command, what string) {
	w.site.AddFlags(cmd.Flags())
	w.addJSON(cmd.Flags(), what)
	cmd.Flags().StringVar(&w.tenant, "tenant", "", "only uploads of this tenant")
}

func (w waitingCommand) open(cmd *cobra.Command) (waiting.Office, site.Opened, error) {
	o, err := w.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return waiting.Office{}, o, err
	}
	bar := progressOf(cmd)
	return waiting.Office{
		Ledger: o.Ledger, Policy: o.Policy, Now: time.Now, Tenant: w.tenant, Out: cmd.OutOrStdout(), JSON: w.asJSON,
		Progress: func(stage string, n int64) { bar.Show(meter.State{Stage: stage, Done: n, Unit: "uploads"}) },
		Clear:    bar.Clear,
	}, o, nil
}

// foundAny gives a list in which something is its exit code.
func foundAny(found int64, err error) error {
	if err == nil && found > 0 {
		return errFindings
	}
	return err
}

func newStuck() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stuck",
		Short: "See the uploads that passes look at and cannot go on with",
		Long: `A stuck upload is one that passes look at and cannot go on with: it has been
assembling for longer than StuckAfter, shows activity in the future, or was written
by a newer release. Nothing of it is deleted; a person, or its application, decides.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newStuckList())
	return cmd
}

func newStuckList() *cobra.Command {
	w := &waitingCommand{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List every stuck upload, and what helps",
		Long: `Lists every upload that is stuck, how long its writer has been silent, what it holds,
and what helps. All of the due index is read, whatever is due when, so that what a
pass comes to in a month is listed today; a bounded part of it is held.`,
		Example: `  strandline stuck list
  strandline stuck list --tenant acme
  strandline stuck list --json | jq -r 'select(.reason == "assembling too long") | .upload'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			office, _, err := w.open(cmd)
			if err != nil {
				return err
			}
			return foundAny(office.Stuck(cmd.Context()))
		},
	}
	w.addFlags(cmd, "one upload a line")
	return withFindings(cmd, "uploads are stuck")
}
