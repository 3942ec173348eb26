package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/controls"
	"github.com/strandline-dev/strandline/shared/gate"
)

func newRate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rate",
		Short: "See or set how fast all workers together delete",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRateShow(), newRateSet())
	return cmd
}

func newRateShow() *cobra.Command {
	g := &gateCommand{}
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show the rate and the burst, and how the gate stands",
		Long: `Shows the rate in object versions per second, shared by all workers, and the burst:
how many may start at once. In any one second at most both together start. It is the
gate's: what the policy says in the variables STRANDLINE_DELETE_RATE and
STRANDLINE_BURST is only what a new gate gets when its deletion is turned on.`,
		Example: `  strandline rate show
  strandline rate show --json | jq .rate`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.look(cmd, func(ctx context.Context, c controls.Controls) error { return c.Show(ctx) })
		},
	}
	g.site.AddFlags(cmd.Flags())
	g.addJSON(cmd.Flags(), "how the gate stands")
	return cmd
}

func newRateSet() *cobra.Command {
	g, burst := &gateCommand{}, 0
	cmd := &cobra.Command{
		Use:   "set RATE",
		Short: "Set how many object versions per second all workers together delete",
		Long: `Sets the rate of all workers together, in object versions per second, and the burst.
What workers hold already they may use for 10 seconds more. It says what becomes of
the rate and asks; it is refused when somebody else has changed the gate since it was
shown, and while this machine's clock is wrong. What throttles have lowered for now is
whole again at once, also when the rate is set that was set before.`,
		Example: `  strandline rate set 50
  strandline rate set 5 --burst 10 --yes --who ann`,
		Args: oneRate,
		RunE: func(cmd *cobra.Command, args []string) error {
			rate, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			if err := given(cmd, "burst", burst, gate.MaxBurst); err != nil {
				return err
			}
			return g.change(cmd, func(ctx context.Context, c controls.Controls) error { return c.SetRate(ctx, rate, burst) })
		},
	}
	g.site.AddFlags(cmd.Flags())
	g.addFlags(cmd.Flags())
	g.addJSON(cmd.Flags(), "how the gate stands")
	cmd.Flags().IntVar(&burst, "burst", 0, "how many may start at once; the gate's own, if not given")
	return cmd
}

// given refuses a number that no gate may have. One that was given is not one
// that was left out: whoever asks for a rate of 0 must not get the gate's own.
func given(cmd *cobra.Command, flag string, n, most int) error {
	if cmd.Flags().Changed(flag) && (n < 1 || n > most) {
		return fmt.Errorf("--%s is %d: expected 1 to %d; \"strandline pause\" lets nothing be deleted", flag, n, most)
	}
	return nil
}

func oneRate(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("give one rate, in object versions per second: strandline rate set 50")
	}
	if _, err := strconv.Atoi(args[0]); err != nil {
		return fmt.Errorf("the rate is %q: expected a whole number of object versions per second", args[0])
	}
	return nil
}
