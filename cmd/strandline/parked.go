package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/waiting"
	"github.com/strandline-dev/strandline/shared/upload"
)

func newParked() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "parked",
		Short: "See the purges whose attempts are used up, and let them go on",
		Long: `A purge that has failed MaxAttempts times is parked: no pass looks at it, an alarm
rings, and a person decides. Mend the cause first (most often a right that is
missing, "strandline doctor" looks), then retry.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newParkedList(), newParkedRetry())
	return cmd
}

func newParkedList() *cobra.Command {
	w := &waitingCommand{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List every parked purge, with its last failure",
		Long: `Lists every upload whose purge is parked: since when, after how many attempts, what it
holds, and its last failure. What is parked is in no index, so the whole table is read
once; a bounded part of it is held.`,
		Example: `  strandline parked list
  strandline parked list --tenant acme
  strandline parked list --json | jq -r .last_error | sort | uniq -c`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			office, _, err := w.open(cmd)
			if err != nil {
				return err
			}
			return foundAny(office.Parked(cmd.Context()))
		},
	}
	w.addFlags(cmd, "one upload a line")
	return withFindings(cmd, "purges are parked")
}

func newParkedRetry() *cobra.Command {
	w, all, why := &waitingCommand{}, false, ""
	cmd := &cobra.Command{
		Use:   "retry {TENANT UPLOAD | --all}",
		Short: "Let a parked purge go on, or all of them, once the cause is mended",
		Long: `Lets a parked purge go on: its attempts begin at zero and it is due now, so that the
next passes hand it to a worker, which tries again to delete for good what is left of
it. The upload was condemned long before; nothing else is.

It shows what is parked and asks, and says what happens next and what is in its way.
With --all everything goes on that is parked when the command begins (with --tenant, of
that tenant); what is parked while it asks is not of it. If it is interrupted, give it
again: what has gone on is not parked any more.`,
		Example: `  strandline parked retry acme 0192f7c4-5a7e-7d31-b5a6-3f0e5a4f9c11
  strandline parked retry --all --tenant acme --why "the worker's role has its right again"
  strandline parked retry --all --yes --json | jq -r .outcome | sort | uniq -c`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return errors.New("--all is given, and an upload: name one, or all")
			case !all && len(args) != 2:
				return errors.New("name one upload, by its tenant and its id, or give --all")
			case !all && w.tenant != "":
				return errors.New("--tenant goes with --all")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.decide(cmd, why, func(clerk waiting.Clerk) error {
				if all {
					return clerk.RetryAll(cmd.Context())
				}
				return clerk.Retry(cmd.Context(), upload.ID{Tenant: args[0], Upload: args[1]})
			})
		},
	}
	w.addFlags(cmd, "one upload a line")
	w.decision.addFlags(cmd.Flags())
	cmd.Flags().BoolVar(&all, "all", false, "everything that is parked")
	cmd.Flags().StringVar(&why, "why", "retried", "the reason; it is written beside the decision")
	return cmd
}

// decide does something with the clerk, and then brings the trail home.
func (w waitingCommand) decide(cmd *cobra.Command, why string, do func(waiting.Clerk) error) error {
	ask, err := w.asker(cmd)
	if err != nil {
		return err
	}
	office, o, err := w.open(cmd)
	if err != nil {
		return err
	}
	trail, flush := o.Trail(cmd.ErrOrStderr(), time.Now)
	defer flush(cmd.Context())
	return do(waiting.Clerk{Office: office, Around: sourcesOf(o), Who: w.who, Why: why, Audit: trail, Ask: ask})
}
