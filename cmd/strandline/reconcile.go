package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/comparison"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/meter"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/reconcile"
)

// errFindings: the comparison came to its end and found something. It has been
// printed.
var errFindings = errors.New("there are findings")

func newReconcile() *cobra.Command {
	o, cloud, asJSON := comparison.Defaults(), site.Cloud{}, false
	o.Now = time.Now
	memory := bytesize.Size(o.Memory)
	cmd := &cobra.Command{
		Use:   "reconcile --inventory MANIFEST.JSON --manifest FILE --manifest-time T",
		Short: "Compare an S3 Inventory with a list of what should be there",
		Long: `Compares an S3 Inventory with key lists of your own, both ways: what stands in the
bucket and nobody owns (orphans), what you own and is not there (missing), and what
is there and is not as it should be. It reads, and deletes nothing. Inventory and
lists are paths, or s3://bucket/key; without the latter no AWS is asked.

The inventory is named by its manifest.json; its files are verified before they are
read. Key lists are JSON Lines, CSV with a header, or Parquet (.gz of the first two):
bucket and key, and optionally key_base64, version_id, size, etag, recorded_at, state
(live or deleted), tenant, upload. --manifest-time is when the lists were taken: what
was written after that is in no list and is no orphan.

Exit code 2 means that there is no findings file. See docs/reconcile.md.`,
		Example: `  strandline reconcile --inventory inv/uploads-eu/daily/2026-11-28T01-00Z/manifest.json \
      --manifest keys.csv --manifest-time 2026-11-29T12:00:00Z --findings findings.jsonl
  strandline reconcile --inventory s3://inventories/inv/uploads-eu/daily/2026-11-28T01-00Z/manifest.json \
      --manifest s3://exports/keys-1.parquet --manifest s3://exports/keys-2.parquet \
      --manifest-time 2026-11-29T12:00:00Z --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Memory, o.Buckets = int64(memory), comparison.Buckets(cloud, o.TempDir)
			return runReconcile(cmd, o, asJSON)
		},
	}
	f := cmd.Flags()
	cloud.AddFlags(f)
	f.StringVar(&o.Inventory, "inventory", "", "the inventory's manifest.json")
	f.StringArrayVar(&o.Manifests, "manifest", nil, "a key list; may be given again")
	f.StringVar(&o.ManifestTime, "manifest-time", "", "when the key lists were taken, RFC 3339")
	f.StringVar(&o.Findings, "findings", "", "write the findings to this file, JSON Lines; one that exists is not overwritten")
	f.BoolVar(&o.All, "all", false, "also write what is no finding: ok, gone, ignored, marker, too_fresh, unsettled")
	f.BoolVar(&asJSON, "json", false, "print the summary as JSON")
	f.StringVar(&o.Prefix, "prefix", "", "compare only keys that begin with this")
	f.DurationVar(&o.OrphanGrace, "orphan-grace", o.OrphanGrace, "what nobody owns is an orphan only if it is older than this before both lists; at least 24h")
	f.DurationVar(&o.Settle, "settle", o.Settle, "what was recorded later than this before the inventory began is not judged")
	f.DurationVar(&o.MaxInventoryAge, "max-inventory-age", o.MaxInventoryAge, "refuse an inventory that is older than this before --manifest-time")
	f.Float64Var(&o.MaxOrphanPercent, "max-orphan-percent", o.MaxOrphanPercent, "above this share of orphans the report says that nothing may be held")
	f.BoolVar(&o.AllowEmpty, "allow-empty", false, "accept an inventory without a single row, and call everything missing")
	f.IntVar(&o.Threads, "threads", runtime.GOMAXPROCS(0), "how many files are read at once")
	f.Var(&memory, "memory", "how much memory to use, about")
	f.StringVar(&o.TempDir, "tmp", os.TempDir(), "where to put what does not fit into the memory")
	return withFindings(cmd, "there are findings")
}

func runReconcile(cmd *cobra.Command, o comparison.Options, asJSON bool) error {
	errs, bar := cmd.ErrOrStderr(), progressOf(cmd)
	o.Progress = func(p reconcile.Progress) { bar.Show(shown(p)) }
	if isTerminal(errs) {
		o.Announce = func(disk int64) {
			fmt.Fprintf(errs, "may put up to %s into %s, and removes it at the end\n", bytesize.Text(disk), o.TempDir)
		}
	}
	result, err := compare(cmd.Context(), o)
	bar.Clear()
	if err != nil {
		return err
	}
	if asJSON {
		err = result.JSON(cmd.OutOrStdout())
	} else {
		err = result.Table(cmd.OutOrStdout())
	}
	if err != nil {
		return errors.Join(err, result.Forget())
	}
	if !result.Clean() {
		return errFindings
	}
	return nil
}

// shown is how far a comparison is. Only reading has an end that is known.
func shown(p reconcile.Progress) meter.State {
	s := meter.State{Stage: p.Stage, Done: p.Rows, Unit: "rows"}
	if p.Stage == "read" {
		s.Bytes, s.Total = p.Bytes, p.Total
	}
	return s
}

func compare(ctx context.Context, o comparison.Options) (comparison.Result, error) {
	defer limitMemory(o.Memory)()
	return comparison.Run(ctx, o)
}
