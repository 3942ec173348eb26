package main

import (
	"context"
	"errors"
	"os"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/holding"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/quarantine"
)

// holdCommand is what the commands about holds have in common.
type holdCommand struct {
	site   site.Site
	bucket string
	decision
}

func newHolds() *cobra.Command {
	p := &holdCommand{}
	cmd := &cobra.Command{
		Use:   "holds",
		Short: "See what the reconciler holds, and decide what becomes of it",
		Long: `A hold is one object version, or one unfinished multipart upload, that the reconciler
found in a bucket and in nobody's records. It deletes nothing; a person decides:
keep it, or approve that it goes. What is approved waits, hidden where that is safe,
and can be restored until a worker has claimed it.

The bucket is given by --bucket or STRANDLINE_BUCKET. The delays are the policy's
(docs/policy.md): give the command the variables that the functions have.

This command shows the names of objects.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.PersistentFlags()
	p.site.AddFlags(f)
	f.StringVar(&p.bucket, "bucket", os.Getenv(policy.EnvPrefix+"BUCKET"), "the bucket (STRANDLINE_BUCKET)")
	f.BoolVar(&p.asJSON, "json", false, "write one hold a line, as JSON")
	cmd.AddCommand(newHoldsList(p), newHoldsShow(p), newHoldsKeep(p), newHoldsApprove(p), newHoldsRestore(p))
	return cmd
}

func newHoldsList(p *holdCommand) *cobra.Command {
	var names []string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the holds of a bucket",
		Long: `Lists the holds of a bucket, those that are closed left out: id, state, since when it
is held, size, whether it is the current version, and the object's name. --json has
all that is known of each.`,
		Example: `  strandline holds list
  strandline holds list --state approved
  strandline holds list --json | jq -r 'select(.size > 1000000) | .id'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			states, err := holding.ParseStates(names)
			if err != nil {
				return err
			}
			office, err := p.open(cmd)
			if err != nil {
				return err
			}
			return office.List(cmd.Context(), states)
		},
	}
	cmd.Flags().StringSliceVar(&names, "state", []string{string(hold.Open), string(hold.Kept), string(hold.Approved)}, "open, kept, approved, closed or all")
	return cmd
}

func newHoldsShow(p *holdCommand) *cobra.Command {
	return &cobra.Command{
		Use:   "show HOLD...",
		Short: "Show all that is known of a hold",
		Long: `Shows what a hold names and its facts, when and by which runs it was seen, whether its
key is an upload's, and what a person has decided about it. A hold is named by its id
or the beginning of it.`,
		Example: `  strandline holds show 3fa4b1c09d2e
  strandline holds show 3fa4b1 77ab02 --json`,
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, ids []string) error {
			office, err := p.open(cmd)
			if err != nil {
				return err
			}
			return office.Show(cmd.Context(), ids)
		},
	}
}

func newHoldsKeep(p *holdCommand) *cobra.Command {
	why := ""
	cmd := &cobra.Command{
		Use:   "keep HOLD...",
		Short: "Say that it stays, and that nobody is to be asked again",
		Long: `Says that what the holds name stays. It shows them and asks; nobody is asked about
them again then, whatever later inventories say. Nothing in the bucket changes. One
that is approved has to be restored first.`,
		Example: `  strandline holds keep 3fa4b1c09d2e --why "the old importer's, still read"
  strandline holds keep 3fa4b1c09d2e --yes`,
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return p.decide(cmd, func(ctx context.Context, c holding.Clerk) error { return c.Keep(ctx, ids, why) })
		},
	}
	cmd.Flags().StringVar(&why, "why", "kept", "the reason; it is written beside the decision")
	p.addFlags(cmd.Flags())
	return cmd
}

func newHoldsApprove(p *holdCommand) *cobra.Command {
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
	p.addFlags(cmd.Flags())
	return cmd
}

func newHoldsRestore(p *holdCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore HOLD...",
		Short: "Take an approval back, and show again what it hid",
		Long: `Takes an approval back while no worker has claimed it. Exactly the delete marker that
the approval placed is removed. An aborted multipart upload cannot be restored.`,
		Example: `  strandline holds restore 3fa4b1c09d2e
  strandline holds list --state approved --json | jq -r .id | xargs strandline holds restore --yes`,
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return p.decide(cmd, func(ctx context.Context, c holding.Clerk) error { return c.Restore(ctx, ids) })
		},
	}
	p.addFlags(cmd.Flags())
	return cmd
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

// open opens the office that shows holds.
func (p *holdCommand) open(cmd *cobra.Command) (holding.Office, error) {
	o, err := p.opened(cmd.Context())
	if err != nil {
		return holding.Office{}, err
	}
	return p.office(cmd, holding.DeskOf(o, time.Now)), nil
}

func (p *holdCommand) office(cmd *cobra.Command, desk quarantine.Desk) holding.Office {
	return holding.Office{Book: desk.Book, Bucket: p.bucket, Now: time.Now, Out: cmd.OutOrStdout(), JSON: p.asJSON}
}

func (p *holdCommand) opened(ctx context.Context) (site.Opened, error) {
	if p.site.Table != "" && p.bucket == "" {
		return site.Opened{}, errors.New("--bucket is not given and STRANDLINE_BUCKET is not set: name the bucket")
	}
	return p.site.Open(ctx, time.Now)
}

func (p *holdCommand) decide(cmd *cobra.Command, do func(context.Context, holding.Clerk) error) error {
	ask, err := p.asker(cmd)
	if err != nil {
		return err
	}
	o, err := p.opened(cmd.Context())
	if err != nil {
		return err
	}
	trail, flush := o.Trail(cmd.ErrOrStderr(), time.Now)
	defer flush(cmd.Context())
	desk := holding.DeskOf(o, time.Now)
	desk.Audit = trail
	return do(cmd.Context(), holding.Clerk{Office: p.office(cmd, desk), Desk: desk, Who: p.who, Ask: ask})
}
