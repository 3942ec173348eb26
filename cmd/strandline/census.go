package main

import (
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/census"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/meter"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/cleanup"
)

// censusCommand is what the commands about the census have in common.
type censusCommand struct {
	site site.Site
	decision
}

func newCensus() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "census",
		Short: "See what the buckets were counted to hold, or count again",
		Long: `The census is how many objects and bytes each bucket holds by the ledger's records:
what MaxDeletePercent is a percentage of. A schedule counts it daily. Without one
younger than CensusMaxAge a pass publishes nothing for deletion.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCensusShow(), newCensusRecount())
	return cmd
}

func newCensusShow() *cobra.Command {
	c := &censusCommand{}
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show the census that is stored",
		Long: `Shows what each bucket was counted to hold, when, and how many object versions of it
may be published for deletion in a day without anybody's approval: the larger of
MaxDeletePercent of it and MaxDeleteCount.`,
		Example: `  strandline census show
  strandline census show --json | jq '.buckets[] | {bucket, objects}'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			office, err := c.office(cmd)
			if err != nil {
				return err
			}
			return office.Show(cmd.Context())
		},
	}
	c.site.AddFlags(cmd.Flags())
	c.addJSON(cmd.Flags(), "the census")
	return cmd
}

func newCensusRecount() *cobra.Command {
	c := &censusCommand{}
	cmd := &cobra.Command{
		Use:   "recount",
		Short: "Count every bucket again, from the ledger",
		Long: `Reads every record of the ledger (four kilobytes of it are a read unit) and stores
what each bucket holds. Nothing is stored unless every record was read. Refused where
this machine's clock is not the store's: a census is dated by it.

A schedule does this daily. By hand it is for a new installation, and for after a
large import.`,
		Example: `  strandline census recount
  strandline census recount --yes --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ask, err := c.asker(cmd)
			if err != nil {
				return err
			}
			office, err := c.office(cmd)
			if err != nil {
				return err
			}
			office.Ask, office.Census.By = ask, c.who
			return office.Recount(cmd.Context())
		},
	}
	c.site.AddFlags(cmd.Flags())
	c.addFlags(cmd.Flags())
	c.addJSON(cmd.Flags(), "the census")
	return cmd
}

func (c censusCommand) office(cmd *cobra.Command) (census.Office, error) {
	o, err := c.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return census.Office{}, err
	}
	bar := progressOf(cmd)
	return census.Office{
		Census: cleanup.Census{Ledger: o.Ledger, Now: time.Now, Log: slog.New(slog.DiscardHandler)},
		Policy: o.Policy, Clock: o.Gate, Out: cmd.OutOrStdout(), JSON: c.asJSON,
		Progress: func(n int64) { bar.Show(meter.State{Stage: "count", Done: n, Unit: "uploads"}) },
		Clear:    bar.Clear,
	}, nil
}
