package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/listing"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/meter"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects/s3"
)

func newInventory() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inventory",
		Short: "Write an inventory of a bucket whose store makes none",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newInventoryWrite())
	return cmd
}

func newInventoryWrite() *cobra.Command {
	o, cloud, asJSON := listing.Options{Now: time.Now}, site.Cloud{}, false
	cmd := &cobra.Command{
		Use:   "write --bucket BUCKET --out DIR",
		Short: "List a bucket's versions and write them as S3 Inventory does",
		Long: `Lists all versions of a bucket, delete markers included, and writes them below a
folder in the layout of S3 Inventory: for stores that have no inventory of their own
(MinIO, R2, LocalStack), for tests, and for a look at a small bucket now. What it
writes is named by the manifest.json that it prints, and is read by
"strandline reconcile". Files can be read only by you: they name objects.

Profile, region and endpoint are the flags', or else those of the AWS variables
(AWS_ENDPOINT_URL for another store than S3). A listing of S3 costs one request for
each 1,000 versions.`,
		Example: `  strandline inventory write --bucket uploads-eu --out inventories
  AWS_ENDPOINT_URL=http://127.0.0.1:9000 strandline inventory write --bucket uploads --out inv --format parquet`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Check(); err != nil {
				return err
			}
			cfg, err := cloud.Config(cmd.Context())
			if err != nil {
				return err
			}
			bar := progressOf(cmd)
			o.Progress = func(rows int64) { bar.Show(meter.State{Stage: "list", Done: rows, Unit: "versions"}) }
			written, err := listing.Write(cmd.Context(), s3.New(awsconf.S3(cfg)), o)
			bar.Clear()
			if err != nil {
				return err
			}
			if asJSON {
				return show.JSON(cmd.OutOrStdout(), written)
			}
			return written.Print(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	cloud.AddFlags(f)
	f.StringVar(&o.Bucket, "bucket", "", "the bucket to list")
	f.StringVar(&o.Out, "out", "", "the folder to write below; made if it is not there")
	f.StringVar(&o.Format, "format", "csv", "csv or parquet")
	f.StringVar(&o.Config, "config", "strandline", "the inventory's configuration id: a folder of the layout")
	f.StringVar(&o.Prefix, "prefix", "", "list only keys that begin with this")
	f.BoolVar(&asJSON, "json", false, "print what was written as JSON")
	return cmd
}
