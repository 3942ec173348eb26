package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/demo"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
)

func newDemo() *cobra.Command {
	o, asJSON := demo.Options{Now: time.Now}, false
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole job on a local cloud, and check its numbers",
		Long: `Runs the handlers of scheduler, worker and reconciler over HTTP on a local cloud
that it fetches, starts and stops itself. First the story of 27 chunks, in six ways
it can go on: inventories are written, the three chunks that nobody knows are held,
a lost one is found missing, and held ones are approved, hidden, restored and purged.
Then a population of uploads over several tenants, through pass one and pass two.
The counts are checked against what must be, and what stands against a fresh listing
of the bucket.

AWS_ENDPOINT_URL, or AWS_ENDPOINT_URL_S3, _SQS and _DYNAMODB together, name another
cloud to run on (with AWS_REGION and credentials). The demo works there in names of
its own, removes them at the end, and touches nothing else.`,
		Example: `  strandline demo
  strandline demo --in-memory
  strandline demo --in-memory --json 2>/dev/null | jq .checked
  AWS_ENDPOINT_URL=http://127.0.0.1:4566 strandline demo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			story := under(cmd.OutOrStdout())
			if asJSON {
				story = cmd.ErrOrStderr()
			}
			o.Terminal = isTerminal(story)
			result, err := runDemo(cmd.Context(), o, story)
			if err == nil && asJSON {
				err = show.JSON(cmd.OutOrStdout(), result)
			}
			if err == nil && len(result.Differences) > 0 {
				return errDiffers
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&o.InMemory, "in-memory", false, "use the memory adapters: no cloud, no Python, seconds")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was checked as JSON; the story goes to standard error")
	cmd.Flags().IntVar(&o.Uploads, "uploads", demo.DefaultUploads, "how many uploads the population has, at least")
	return withFindings(cmd, "a number that it checked is not what it must be")
}

func runDemo(ctx context.Context, o demo.Options, out io.Writer) (demo.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o.Out = &ending{out: out, end: cancel}
	result, err := demo.Run(ctx, o)
	if cause := context.Cause(ctx); errors.Is(cause, errOutput) {
		return result, cause
	}
	return result, err
}

// under is what an output writes to: the demo moves the cursor itself, shows
// nobody's names, and sees to it by itself when nobody reads any more.
func under(out io.Writer) io.Writer {
	if o, ok := out.(*output); ok {
		return o.to
	}
	return out
}

// errOutput: nobody reads what is printed any more.
var errOutput = errors.New("output cannot be written; what was started is stopped")

// ending ends the run when its output can no longer be written, so that what
// was made is still removed.
type ending struct {
	out io.Writer
	end context.CancelCauseFunc
}

func (e *ending) Write(p []byte) (int, error) {
	n, err := e.out.Write(p)
	if err != nil {
		e.end(errOutput)
	}
	return n, err
}
