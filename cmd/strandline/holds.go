package main

import (
	"context"
	"errors"
	"os"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/holding"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/quarantine"
)

// place says where an operator's holds are, and who the operator is.
type place struct {
	table, bucket, region, who string
	asJSON                     bool
	yes                        bool
}

func newHolds() *cobra.Command {
	p := &place{}
	cmd := &cobra.Command{
		Use:   "holds",
		Short: "See what the reconciler holds, and decide what becomes of it",
		Long: `A hold is one object version, or one unfinished multipart upload, that the reconciler
found in a bucket and in nobody's records. It deletes nothing; a person decides:
keep it, or approve that it goes. What is approved waits, hidden where that is safe,
and can be restored until a worker has claimed it.

The ledger's table and the bucket are given by --table and --bucket, or by
STRANDLINE_TABLE and STRANDLINE_BUCKET; region, credentials and endpoints by the
AWS variables. The delays are the policy's (docs/policy.md): give the command the
variables that the functions have.

This command shows the names of objects. It refuses with one line and exit code 2.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&p.table, "table", os.Getenv("STRANDLINE_TABLE"), "the ledger's table (STRANDLINE_TABLE)")
	f.StringVar(&p.bucket, "bucket", os.Getenv("STRANDLINE_BUCKET"), "the bucket (STRANDLINE_BUCKET)")
	f.StringVar(&p.region, "region", "", "the region, if not AWS_REGION's")
	f.BoolVar(&p.asJSON, "json", false, "write one hold a line, as JSON")
	cmd.AddCommand(newHoldsList(p), newHoldsShow(p), newHoldsKeep(p), newHoldsApprove(p), newHoldsRestore(p))
	return cmd
}

func newHoldsList(p *place) *cobra.Command {
	var names []string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the holds of a bucket",
		Example: `  strandline holds list
  strandline holds list --state approved
  strandline holds list --json | jq -r 'select(.size > 1000000) | .id'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			states, err := holding.ParseStates(names)
			if err != nil {
				return err
			}
			office, _, err := p.open(cmd)
			if err != nil {
				return err
			}
			return office.List(cmd.Context(), states)
		},
	}
	cmd.Flags().StringSliceVar(&names, "state", []string{string(hold.Open), string(hold.Kept), string(hold.Approved)}, "open, kept, approved, closed or all")
	return cmd
}

func newHoldsShow(p *place) *cobra.Command {
	return &cobra.Command{
		Use:     "show HOLD...",
		Short:   "Show all that is known of a hold",
		Example: `  strandline holds show 3fa4b1c09d2e`,
		Args:    atLeastOne,
		RunE: func(cmd *cobra.Command, ids []string) error {
			office, _, err := p.open(cmd)
			if err != nil {
				return err
			}
			return office.Show(cmd.Context(), ids)
		},
	}
}

func newHoldsKeep(p *place) *cobra.Command {
	why := ""
	cmd := &cobra.Command{
		Use:   "keep HOLD...",
		Short: "Say that it stays, and that nobody is to be asked again",
		Example: `  strandline holds keep 3fa4b1c09d2e --why "the old importer's, still read"
  strandline holds keep 3fa4b1c09d2e --yes`,
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return p.decide(cmd, func(ctx context.Context, c holding.Clerk) error { return c.Keep(ctx, ids, why) })
		},
	}
	cmd.Flags().StringVar(&why, "why", "kept", "the reason; it is written beside the decision")
	p.decisionFlags(cmd)
	return cmd
}

func newHoldsApprove(p *place) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approve HOLD...",
		Short: "Let it go: hidden where that is safe, and deleted after the quarantine",
		Long: `Checks everything that the hold was opened on once more, shows what would happen,
and asks. The version then becomes a cancelled record of the ledger: hidden by a
delete marker where nobody owns its key and it is the current version, deleted by
the worker after QuarantineFor, and restored by "holds restore" until then.

Refused where it has come to life since, where its facts are not what they were, and
where its key is changed: it may be all that is left. One that is refused refuses all.`,
		Example: `  strandline holds approve 3fa4b1c09d2e
  strandline holds list --state open --json | jq -r .id | xargs strandline holds approve --yes`,
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return p.decide(cmd, func(ctx context.Context, c holding.Clerk) error { return c.Approve(ctx, ids) })
		},
	}
	p.decisionFlags(cmd)
	return cmd
}

func newHoldsRestore(p *place) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "restore HOLD...",
		Short:   "Take an approval back, and show again what it hid",
		Long:    `Takes an approval back while no worker has claimed it. Exactly the delete marker that the approval placed is removed.`,
		Example: `  strandline holds restore 3fa4b1c09d2e`,
		Args:    atLeastOne,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return p.decide(cmd, func(ctx context.Context, c holding.Clerk) error { return c.Restore(ctx, ids) })
		},
	}
	p.decisionFlags(cmd)
	return cmd
}

func (p *place) decisionFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.yes, "yes", false, "do not ask")
	cmd.Flags().StringVar(&p.who, "who", operator(), "who decides; it is written beside the decision")
}

// operator is the name that a decision is written down under.
func operator() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "operator"
}

func atLeastOne(_ *cobra.Command, ids []string) error {
	if len(ids) == 0 {
		return errors.New("name a hold by its id, or the beginning of it; \"strandline holds list\" shows them")
	}
	return nil
}

// open opens the desk, and the office that shows its holds.
func (p *place) open(cmd *cobra.Command) (holding.Office, quarantine.Desk, error) {
	desk, err := holding.Open(cmd.Context(), holding.Place{Table: p.table, Bucket: p.bucket, Region: p.region}, time.Now)
	return holding.Office{Book: desk.Book, Bucket: p.bucket, Now: time.Now, Out: cmd.OutOrStdout(), JSON: p.asJSON}, desk, err
}

func (p *place) decide(cmd *cobra.Command, do func(context.Context, holding.Clerk) error) error {
	if p.who == "" {
		return errors.New("--who is empty: say who decides")
	}
	if p.asJSON && !p.yes {
		return errors.New("--json needs --yes: a question would stand between the lines")
	}
	office, desk, err := p.open(cmd)
	if err != nil {
		return err
	}
	clerk := holding.Clerk{Office: office, Desk: desk, Who: p.who}
	if !p.yes {
		clerk.Ask = asking(cmd.InOrStdin(), cmd.OutOrStdout())
	}
	return do(cmd.Context(), clerk)
}
