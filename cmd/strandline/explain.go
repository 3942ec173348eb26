package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/explanation"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/upload"
)

func newExplain() *cobra.Command {
	place, out, keys := &site.Site{}, &decision{}, 20
	cmd := &cobra.Command{
		Use:   "explain TENANT UPLOAD",
		Short: "Say what is known of an upload, and what becomes of it when and why",
		Long: `Says in words what the ledger knows of one upload: its record, its life as far as
the record knows, what keeps it now, what the next passes decide about it, from when
on and why, and what of the installation is in the way (a closed gate, an old census,
a plan that waits for approval). Passes are asked what they would do: what is said
here is what they do, if nothing else happens to the upload until then.

It shows the names of the upload's objects, which no log, plan or report does.

It reads, and changes nothing. An upload that the tenant does not have is answered
too, with "exists": false as JSON. What happened between the instants that the record
knows is in the audit trail, by tenant and upload.`,
		Example: `  strandline explain acme 0192f7c4-5a7e-7d31-b5a6-3f0e5a4f9c11
  strandline explain acme 0192f7c4-5a7e-7d31-b5a6-3f0e5a4f9c11 --keys -1
  strandline explain acme 0192f7c4-5a7e-7d31-b5a6-3f0e5a4f9c11 --json | jq '.next[0]'`,
		Args: oneUpload,
		RunE: func(cmd *cobra.Command, args []string) error {
			if keys < explanation.AllKeys {
				return fmt.Errorf("--keys is %d: expected a number, or %d for all", keys, explanation.AllKeys)
			}
			o, err := place.Open(cmd.Context(), time.Now)
			if err != nil {
				return err
			}
			facts, err := sourcesOf(o).Gather(cmd.Context(), upload.ID{Tenant: args[0], Upload: args[1]})
			if err != nil {
				return err
			}
			if out.asJSON {
				return facts.JSON(cmd.OutOrStdout(), keys)
			}
			return facts.Text(cmd.OutOrStdout(), keys)
		},
	}
	place.AddFlags(cmd.Flags())
	out.addJSON(cmd.Flags(), "one document")
	cmd.Flags().IntVar(&keys, "keys", keys, "how many of its objects' names to show; -1 for all")
	return cmd
}

func sourcesOf(o site.Opened) explanation.Sources {
	return explanation.Sources{Ledger: o.Ledger, Gate: o.Gate, Policy: o.Policy, Now: time.Now}
}

func oneUpload(_ *cobra.Command, args []string) error {
	if len(args) != 2 {
		return errors.New("name one upload: its tenant, and its id")
	}
	return nil
}
