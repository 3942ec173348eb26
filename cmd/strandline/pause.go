package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/controls"
)

func newPause() *cobra.Command {
	g := &gateCommand{}
	cmd := &cobra.Command{
		Use:   "pause",
		Short: "Stop all deleting, within 10 seconds and whatever is queued",
		Long: `Stops all deleting: no worker starts a delete later than 10 seconds after this,
whatever is queued. It asks nothing, is written whoever has changed the gate
meanwhile, and can be given again. Mode and rate stay as they are; passes go on and
only report. "strandline resume" ends it.

If it fails, the gate may be open still, and the line on standard error says so. It
also says so if this gate has never let anything be deleted: then a wrong --gate has
paused nothing.`,
		Example: `  strandline pause
  strandline pause --who "ann, on call" --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.stop(cmd, func(ctx context.Context, c controls.Controls) error { return c.Pause(ctx) })
		},
	}
	g.site.AddFlags(cmd.Flags())
	g.addWho(cmd.Flags())
	g.addJSON(cmd.Flags(), "how the gate stands")
	return cmd
}

func newResume() *cobra.Command {
	g := &gateCommand{}
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "End a pause",
		Long: `Ends a pause: shows who decided last and what is queued, and asks. Workers then go on
with what is queued, each upload looked at anew before anything of it is deleted.
What they turned away meanwhile comes back within a quarter of an hour. Refused when
somebody else has changed the gate since it was shown, so that nobody ends a pause
that they do not know of.`,
		Example: `  strandline resume
  strandline resume --yes --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.change(cmd, func(ctx context.Context, c controls.Controls) error { return c.Resume(ctx) })
		},
	}
	g.site.AddFlags(cmd.Flags())
	g.addFlags(cmd.Flags())
	g.addJSON(cmd.Flags(), "how the gate stands")
	return cmd
}
