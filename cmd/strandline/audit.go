package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/meter"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/reclaim"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/reclaim/look"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/source"
)

// auditCommand is what audit is told.
type auditCommand struct {
	checkupCommand
	sources string
	sample  int
}

func newAudit() *cobra.Command {
	c := &auditCommand{}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "See, table by table, whether objects follow when the rows that name them go",
		Long: `Judges each source, a table of an application or an outbox, with the evidence:

  reclaimed  objects follow their rows
  fragile    they do, or may, and something can go wrong that nobody would see
  orphaned   they stay

Looked at are: the stream and who reads it, what relay and worker are told of the
source, a sample of its rows read as the relay reads them, the index by which rows are
asked before a deletion, the last event, how long the oldest release waits that is a
record of its own, what was parked, and how many of the orphans that inventories have
shown look like its keys.

It changes nothing; dead letters that it looks through are given back. All of the due
index and, for what is parked, the whole table of the ledger is read once. The sources
are those of the file that --sources names, else those of STRANDLINE_SOURCES; what
could not be looked at makes a source fragile.`,
		Example: `  strandline audit
  strandline audit --sources sources.json --table acme-ledger
  strandline audit --json | jq -r '.sources[] | select(.verdict != "reclaimed") | .name'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	f := cmd.Flags()
	c.site.AddFlags(f)
	f.StringVar(&c.sources, "sources", "", "a file with the sources, as JSON; without it they are STRANDLINE_SOURCES")
	f.StringVar(&c.prefix, "prefix", "", "what the names of the functions begin with; the table's, if that ends in -ledger")
	f.StringVar(&c.releases, "releases-url", os.Getenv(policy.EnvPrefix+"RELEASES_URL"), "the queue of releases, if not named like the dead letters' (STRANDLINE_RELEASES_URL)")
	f.StringVar(&c.releasesDead, "releases-dead-url", os.Getenv(policy.EnvPrefix+"RELEASES_DEAD_URL"), "the queue of releases that were not read (STRANDLINE_RELEASES_DEAD_URL)")
	f.IntVar(&c.sample, "sample", 200, "how many rows of each table to read")
	f.BoolVar(&c.asJSON, "json", false, "write the report as one JSON document")
	return withFindings(cmd, "a source is fragile or orphaned")
}

const (
	maxSources = 1 << 20 // bytes of a file
	maxSample  = 10_000
)

func (c *auditCommand) run(cmd *cobra.Command) error {
	prefix, err := c.named()
	if err != nil {
		return err
	}
	if err := c.site.Named(); err != nil {
		return err
	}
	if c.sample < 1 || c.sample > maxSample {
		return fmt.Errorf("--sample is %d: expected 1 to %d rows", c.sample, maxSample)
	}
	all, err := c.given()
	if err != nil {
		return err
	}
	opened, err := c.site.Open(cmd.Context(), time.Now)
	if err != nil {
		return err
	}
	bar := progressOf(cmd)
	facts := look.Gather(cmd.Context(), look.Options{
		Site: c.site, Opened: opened, Prefix: prefix, Sources: all, Sample: c.sample,
		ReleasesURL: c.releases, ReleasesDeadURL: c.releasesDead, Now: time.Now,
		Looked: func(n int64) { bar.Show(meter.State{Stage: "look", Done: n, Unit: "things"}) },
	})
	bar.Clear()
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	report := reclaim.ReportOf(facts)
	if err := c.write(cmd, report.Text, report.JSON); err != nil {
		return err
	}
	if !report.Reclaimed() {
		return errFindings
	}
	return nil
}

// given are the sources of the file, or else of the environment.
func (c *auditCommand) given() ([]source.Source, error) {
	const variable = policy.EnvPrefix + "SOURCES"
	text, from := []byte(os.Getenv(variable)), variable
	if c.sources != "" {
		info, err := os.Stat(c.sources)
		if err == nil && info.Size() > maxSources {
			err = fmt.Errorf("%s has %d bytes: expected at most %d", c.sources, info.Size(), maxSources)
		}
		if err == nil {
			text, err = os.ReadFile(c.sources)
		}
		if err != nil {
			return nil, fmt.Errorf("--sources: %w", err)
		}
		from = "--sources: " + c.sources
	}
	all, err := source.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", from, err)
	case len(all) == 0 && c.sources == "":
		return nil, errors.New("--sources is not given and " + variable + " is not set: name the file with the sources that were deployed")
	case len(all) == 0:
		return nil, fmt.Errorf("%s: there is no source in it", from)
	}
	return all, nil
}
