package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/meter"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/passes"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/cleanup"
)

// passCommand is what the commands about passes have in common.
type passCommand struct {
	site site.Site
	decision
	tenants     uint
	otherPolicy bool
}

func (p *passCommand) addTenants(cmd *cobra.Command) {
	cmd.Flags().UintVar(&p.tenants, "tenants", 20, "how many tenants the table shows; 0 for all")
}

func (p *passCommand) addOtherPolicy(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.otherPolicy, "other-policy", false, "go on although the policy here is not that of the last pass that a schedule ran")
}

// reading opens the office for a look. The queue is looked at if it is given.
func (p passCommand) reading(cmd *cobra.Command) (passes.Office, error) {
	o, err := p.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return passes.Office{}, err
	}
	office := p.office(cmd, o)
	if p.site.QueueURL == "" {
		return office, nil
	}
	queue, err := o.Queue()
	office.Pass.Queue = queue
	return office, err
}

// decide opens the clerk's desk for a pass that is carried out, and then brings
// the audit trail home.
func (p passCommand) decide(cmd *cobra.Command, do func(context.Context, passes.Clerk) error) error {
	ask, err := p.asker(cmd)
	if err != nil {
		return err
	}
	o, err := p.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return err
	}
	queue, err := o.Queue()
	if err != nil {
		return err
	}
	trail, flush := o.Trail(cmd.ErrOrStderr(), time.Now)
	defer flush(cmd.Context())
	c := passes.Clerk{Office: p.office(cmd, o), Who: p.who, Ask: ask, OtherPolicy: p.otherPolicy}
	c.Pass.Queue, c.Pass.Audit = queue, trail
	return do(cmd.Context(), c)
}

func (p passCommand) office(cmd *cobra.Command, o site.Opened) passes.Office {
	bar := progressOf(cmd)
	return passes.Office{
		Pass: cleanup.Pass{
			Policy: o.Policy, Candidates: o.Ledger, Documents: o.Ledger, Switch: o.Gate,
			Now: time.Now, Log: slog.New(slog.DiscardHandler),
		},
		Out: cmd.OutOrStdout(), JSON: p.asJSON, Tenants: int(p.tenants),
		Progress: func(stage string, n int64, unit string) {
			bar.Show(meter.State{Stage: stage, Done: n, Unit: unit})
		},
		Clear: bar.Clear,
	}
}
