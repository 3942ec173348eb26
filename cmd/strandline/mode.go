package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/controls"
	"github.com/strandline-dev/strandline/shared/gate"
)

func newMode() *cobra.Command {
	g, rate, burst := &gateCommand{}, 0, 0
	cmd := &cobra.Command{
		Use:   "mode [report-only|delete]",
		Short: "Show whether anything is deleted, or choose it",
		Long: `Without an argument, shows how the gate stands: mode, pause, rate, who decided last,
and how many commands are queued if the queue is given.

A new installation is in report-only: its passes count and report, write nothing,
and nothing is deleted. In delete, passes mark and publish, and workers delete for
good what the ledger condemns. That is asked about first, and refused when somebody
else has changed the gate since it was shown. --rate and --burst set the rate
before it: for a small share at first.

Back to report-only is never asked about: no delete starts later than 10 seconds
after it, whatever is queued.`,
		Example: `  strandline mode
  strandline mode delete --rate 5 --burst 10
  strandline mode report-only
  strandline mode --json | jq .deletes`,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), oneMode),
		ValidArgs: []string{string(gate.ReportOnly), string(gate.Delete)},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMode(cmd, *g, args, rate, burst)
		},
	}
	f := cmd.Flags()
	g.site.AddFlags(f)
	g.addFlags(f)
	g.addJSON(f, "how the gate stands")
	f.IntVar(&rate, "rate", 0, "with delete: object versions per second of all workers; the gate's own, if not given")
	f.IntVar(&burst, "burst", 0, "with delete: how many may start at once; the gate's own, if not given")
	return cmd
}

func oneMode(_ *cobra.Command, args []string) error {
	for _, name := range args {
		if m := gate.Mode(name); m != gate.ReportOnly && m != gate.Delete {
			return fmt.Errorf("the mode is %q: expected %s or %s", name, gate.ReportOnly, gate.Delete)
		}
	}
	return nil
}

func runMode(cmd *cobra.Command, g gateCommand, args []string, rate, burst int) error {
	deleting := len(args) == 1 && gate.Mode(args[0]) == gate.Delete
	if !deleting && (cmd.Flags().Changed("rate") || cmd.Flags().Changed("burst")) {
		return errors.New("--rate and --burst go with delete; \"strandline rate set\" sets them by themselves")
	}
	if err := given(cmd, "rate", rate, gate.MaxRate); err != nil {
		return err
	}
	if err := given(cmd, "burst", burst, gate.MaxBurst); err != nil {
		return err
	}
	switch {
	case deleting:
		return g.change(cmd, func(ctx context.Context, c controls.Controls) error { return c.Delete(ctx, rate, burst) })
	case len(args) == 1:
		return g.stop(cmd, func(ctx context.Context, c controls.Controls) error { return c.Report(ctx) })
	}
	return g.look(cmd, func(ctx context.Context, c controls.Controls) error { return c.Show(ctx) })
}
