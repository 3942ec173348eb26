package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/demo"
)

func newDemo() *cobra.Command {
	o := demo.Options{Now: time.Now}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole job on a local cloud, and check its numbers",
		Long: `Runs the scheduler's and the worker's own handlers over HTTP on a local cloud
that it fetches, starts and stops itself: first the story of 27 chunks, six ways
it can go on, then a population of uploads over several tenants, through pass one
and pass two. Every number is checked against a fresh listing of the bucket.

AWS_ENDPOINT_URL, or AWS_ENDPOINT_URL_S3, _SQS and _DYNAMODB, name another cloud
to run on. The demo works there in names of its own, removes them at the end, and
touches nothing else.`,
		Example: `  strandline demo
  strandline demo --in-memory
  AWS_ENDPOINT_URL=http://127.0.0.1:4566 strandline demo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out = cmd.OutOrStdout()
			return runDemo(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.InMemory, "in-memory", false, "use the memory adapters: no cloud, no Python, seconds")
	cmd.Flags().IntVar(&o.Uploads, "uploads", demo.DefaultUploads, "how many uploads the population has, at least")
	return cmd
}

func runDemo(ctx context.Context, o demo.Options) error {
	differences, err := demo.Run(ctx, o)
	if err == nil && differences > 0 {
		return errDiffers
	}
	return err
}
