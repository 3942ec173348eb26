package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup/look"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/meter"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/policy"
)

// checkupCommand is what doctor is told.
type checkupCommand struct {
	site                           site.Site
	prefix                         string
	buckets, passes                []string
	stored, releases, releasesDead string
	asJSON                         bool
}

func newDoctor() *cobra.Command {
	c := &checkupCommand{}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look whether the installation is in order, and say how to mend what is not",
		Long: `Looks at everything an installation stands on: whether its services answer, this
machine's clock, the table with its index and recovery, the queues, the buckets
(versioning, MFA delete, object lock, lifecycle rules), functions and schedules, the
gate, the census, and each right that the functions and this command need.

It changes nothing. Rights are tried where that has no effect, and asked of IAM where
it would have one; what a bucket's or a queue's own policy denies IAM does not know.
What could not be looked at is a finding too. The buckets are those that are given,
and those in which the census counts something.

Give it the variables that the functions have: it says where they differ.`,
		Example: `  strandline doctor
  strandline doctor --table acme-ledger --bucket my-uploads/app/ --bucket my-media
  strandline doctor --json | jq -r '.checks[] | select(.fix) | .on + ": " + .fix'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	f := cmd.Flags()
	c.site.AddFlags(f)
	f.StringVar(&c.prefix, "prefix", "", "what the names of functions and schedules begin with; the table's, if that ends in -ledger")
	f.StringSliceVar(&c.buckets, "bucket", strings.FieldsFunc(os.Getenv(policy.EnvPrefix+"SOURCE_BUCKETS"), isComma),
		"a bucket that uploads go to, or bucket/prefix; may be given again (STRANDLINE_SOURCE_BUCKETS)")
	f.StringSliceVar(&c.passes, "schedule", []string{"pass"}, "the name of a schedule of the cleanup, less the prefix; may be given again")
	f.StringVar(&c.stored, "stored-url", os.Getenv(policy.EnvPrefix+"STORED_URL"), "the queue of stored objects, if not named like the dead letters' (STRANDLINE_STORED_URL)")
	f.StringVar(&c.releases, "releases-url", os.Getenv(policy.EnvPrefix+"RELEASES_URL"), "the queue of releases, if not named like the dead letters' (STRANDLINE_RELEASES_URL)")
	f.StringVar(&c.releasesDead, "releases-dead-url", os.Getenv(policy.EnvPrefix+"RELEASES_DEAD_URL"), "the queue of releases that were not read (STRANDLINE_RELEASES_DEAD_URL)")
	f.BoolVar(&c.asJSON, "json", false, "write the report as one JSON document")
	return withFindings(cmd, "there are findings; each is printed with its fix")
}

func isComma(r rune) bool { return r == ',' }

func (c *checkupCommand) run(cmd *cobra.Command) error {
	prefix, err := c.named()
	if err != nil {
		return err
	}
	opened, err := c.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return err
	}
	bar := progressOf(cmd)
	facts := look.Gather(cmd.Context(), look.Options{
		Site: c.site, Config: opened.Config, Policy: opened.Policy, Prefix: prefix,
		StoredURL: c.stored, ReleasesURL: c.releases, ReleasesDeadURL: c.releasesDead,
		Buckets: places(c.buckets), Passes: c.passes, Now: time.Now,
		Looked: func(n int64) { bar.Show(meter.State{Stage: "look", Done: n, Unit: "things"}) },
	})
	bar.Clear()
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	report := checkup.ReportOf(facts)
	if err := c.write(cmd, report.Text, report.JSON); err != nil {
		return err
	}
	if report.Findings > 0 {
		return errFindings
	}
	return nil
}

// write writes a report as it was asked for.
func (c *checkupCommand) write(cmd *cobra.Command, text, document func(io.Writer) error) error {
	if c.asJSON {
		return document(cmd.OutOrStdout())
	}
	return text(cmd.OutOrStdout())
}

// named is the prefix of the installation's names.
func (c *checkupCommand) named() (string, error) {
	if c.prefix != "" {
		return c.prefix, nil
	}
	prefix, ours := strings.CutSuffix(c.site.Table, "-ledger")
	if c.site.Table != "" && !ours {
		return "", errors.New("--prefix is not given and the table's name does not end in -ledger: say what the names of functions and schedules begin with")
	}
	return prefix, nil
}

// places splits bucket/prefix.
func places(given []string) []look.Place {
	all := make([]look.Place, len(given))
	for i, one := range given {
		all[i].Bucket, all[i].Prefix, _ = strings.Cut(one, "/")
	}
	return all
}
