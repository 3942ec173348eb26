package main

import (
	"github.com/spf13/cobra"
)

func newPlan() *cobra.Command {
	p := &passCommand{}
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Show what a pass would do now, and write nothing",
		Long: `Plans and judges as the scheduler's next pass would, from the same records with the
same code, and writes nothing at all: no run, no cursor, no record, no message.

Shows whether a pass would carry its plan out, only report (the gate is closed), be
paused (a bucket is over its limit) or be stopped; what it would mark, repair and
ask the workers to delete, by reason and by tenant, in uploads, object versions and
bytes; the oldest instant at which one of them was due; and each bucket beside its
limit: what is planned and what was published in the last 24 hours, against the
larger of MaxDeletePercent of the census and MaxDeleteCount.

In report-only mode this is everything that is due; in delete mode it is what no pass
has taken yet. What becomes due or is revived before a pass runs is not in it. The
delays and limits are the policy's (docs/policy.md); it says whether they are those of
the last pass that a schedule ran.`,
		Example: `  strandline plan
  strandline plan --tenants 0 --queue-url https://sqs.eu-central-1.amazonaws.com/123456789012/strandline-purge
  strandline plan --json | jq '.buckets[] | select(.over)'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			office, err := p.reading(cmd)
			if err != nil {
				return err
			}
			return office.Plan(cmd.Context())
		},
	}
	p.site.AddFlags(cmd.Flags())
	p.addJSON(cmd.Flags(), "the plan's numbers")
	p.addTenants(cmd)
	return cmd
}
