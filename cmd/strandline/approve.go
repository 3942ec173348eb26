package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/passes"
)

func newApprove() *cobra.Command {
	p := &passCommand{}
	cmd := &cobra.Command{
		Use:   "approve RUN DIGEST",
		Short: "Let the plan of a paused run go, after a look at it",
		Long: `A pass that would delete more than its limit is paused, its plan stored. This shows
that plan (what is marked, repaired and purged, by reason, tenant and bucket, in
uploads, object versions and bytes, and since when the oldest is due), asks, and lets
exactly it go: once, and within 24 hours of the pause.

"strandline runs list --state paused" shows what waits, and "runs show" the plan with
its digest. The digest is the whole of it: any other is refused, so that nobody
approves what they have not seen. What has changed since is skipped, and workers
decide about each upload again. What is approved does not count against the limits
of later passes.

Refused while the gate is closed, another pass runs, or this machine's clock or
policy is not the installation's.`,
		Example: `  strandline approve '2026-11-30T12:15:00.000Z#every-15m' 3fa4b1c09d2e…
  strandline approve '2026-11-30T12:15:00.000Z#every-15m' 3fa4b1c09d2e… --yes --who "ann, #1842"`,
		Args: runAndDigest,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.decide(cmd, func(ctx context.Context, c passes.Clerk) error { return c.Approve(ctx, args[0], args[1]) })
		},
	}
	p.site.AddFlags(cmd.Flags())
	p.addFlags(cmd.Flags())
	p.addJSON(cmd.Flags(), "the run")
	p.addTenants(cmd)
	p.addOtherPolicy(cmd)
	return cmd
}

func runAndDigest(_ *cobra.Command, args []string) error {
	if len(args) != 2 {
		return errors.New("give a run and the digest of its plan; \"strandline runs list --state paused\" shows the runs that wait, \"runs show\" the digest")
	}
	return nil
}
