package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/controls"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/gate"
)

// gateCommand is what the commands about the gate have in common.
type gateCommand struct {
	site site.Site
	decision
}

// look opens the controls for a look.
func (g gateCommand) look(cmd *cobra.Command, do func(context.Context, controls.Controls) error) error {
	o, err := g.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return err
	}
	return g.with(cmd, o, nil, do)
}

// change opens the controls for a change that is asked about.
func (g gateCommand) change(cmd *cobra.Command, do func(context.Context, controls.Controls) error) error {
	ask, err := g.asker(cmd)
	if err != nil {
		return err
	}
	o, err := g.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return err
	}
	return g.with(cmd, o, ask, do)
}

// stop opens the controls for a change that only stops. It reads no policy: a
// delay that is spelled wrong must not keep anybody from stopping.
func (g gateCommand) stop(cmd *cobra.Command, do func(context.Context, controls.Controls) error) error {
	o, err := g.site.OpenWithoutPolicy(cmd.Context(), time.Now)
	if err != nil {
		return controls.NotStopped(err)
	}
	return g.with(cmd, o, nil, do)
}

// with does something with the controls, and then brings the trail home.
func (g gateCommand) with(cmd *cobra.Command, o site.Opened, ask consent.Ask, do func(context.Context, controls.Controls) error) error {
	c, err := g.controls(cmd, o)
	if err != nil {
		return err
	}
	trail, flush := o.Trail(cmd.ErrOrStderr(), time.Now)
	defer flush(cmd.Context())
	c.Ask, c.Audit = ask, trail
	return do(cmd.Context(), c)
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
