package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/controls"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/gate"
)

// gateCommand is what the commands about the gate have in common.
type gateCommand struct {
	site site.Site
	decision
}

// reading opens the controls for a look.
func (g gateCommand) reading(cmd *cobra.Command) (controls.Controls, error) {
	o, err := g.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return controls.Controls{}, err
	}
	return g.controls(cmd, o)
}

// asking opens the controls for a change that is asked about.
func (g gateCommand) asking(cmd *cobra.Command) (controls.Controls, error) {
	ask, err := g.asker(cmd)
	if err != nil {
		return controls.Controls{}, err
	}
	c, err := g.reading(cmd)
	c.Ask = ask
	return c, err
}

// stopping opens the controls for a change that only stops. It reads no
// policy: a delay that is spelled wrong must not keep anybody from stopping.
func (g gateCommand) stopping(cmd *cobra.Command) (controls.Controls, error) {
	o, err := g.site.OpenWithoutPolicy(cmd.Context(), time.Now)
	if err != nil {
		return controls.Controls{}, err
	}
	return g.controls(cmd, o)
}

func (g gateCommand) controls(cmd *cobra.Command, o site.Opened) (controls.Controls, error) {
	c := controls.Controls{
		Gate: o.Gate, By: func(d gate.Decision) controls.Switch { return o.Gate.By(d) },
		Name: g.site.Gate, Table: g.site.Table, Rate: o.Policy.DeleteRate, Burst: o.Policy.Burst, MaxSkew: o.Policy.MaxClockSkew,
		Now: time.Now, Who: g.who, Out: cmd.OutOrStdout(), JSON: g.asJSON,
	}
	if g.site.QueueURL == "" {
		return c, nil
	}
	queue, err := o.Queue()
	c.Queue = queue
	return c, err
}
