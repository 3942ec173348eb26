// Command strandline is the operator's command: it shows what an installation
// does and would do, stops it and lets it go, and takes a person's decisions
// about what waits for one. Without an installation it compares inventories with
// key lists (reconcile, inventory), and shows what Strandline does (demo).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // ORC writers name their zone, and a machine may have no zone files

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/controls"
)

// Exit codes; the table is in README.md.
const (
	exitOK          = 0
	exitFindings    = 1 // a comparison or a check of the command's own found something
	exitFailed      = 2 // wrong usage, something missing, or a failure
	exitInterrupted = 130
)

// errDiffers: the command ran to its end, and a number it checked is not what
// it must be. It has been printed.
var errDiffers = errors.New("a number differs from what it must be")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	signal.Ignore(syscall.SIGPIPE) // a reader that goes away must not keep the demo from removing what it made
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	shown := &output{to: out}
	root.SetOut(shown)
	root.SetErr(errs)
	dress(root)
	err := shown.orLost(root.ExecuteContext(ctx))
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil && errors.Is(err, controls.ErrUnsettled):
		fmt.Fprintln(errs, "strandline: interrupted:", oneLine(err))
		return exitInterrupted
	case ctx.Err() != nil && !errors.Is(err, errOutput):
		fmt.Fprintln(errs, "strandline: interrupted; what was started is stopped")
		return exitInterrupted
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, errDiffers):
		fmt.Fprintln(errs, "strandline:", oneLine(err))
		return exitFindings
	}
	fmt.Fprintln(errs, "strandline:", oneLine(err)+lead(err))
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "strandline",
		Short: "Find and clear what uploads leave stranded in S3, and never delete anything live",
		Long: `Strandline finds and clears what uploads leave stranded in S3 (abandoned chunks,
released and superseded objects), version by exact version, and never deletes
anything live.

Where an installation is, every command is told by its flags, or by variables,
most of which the functions have too: STRANDLINE_TABLE, STRANDLINE_GATE,
STRANDLINE_QUEUE_URL, STRANDLINE_DEAD_LETTER_URL, STRANDLINE_EVENTS_URL,
STRANDLINE_STORED_URL, STRANDLINE_RELEASES_URL, STRANDLINE_RELEASES_DEAD_URL,
STRANDLINE_AUDIT_GROUP, and those of AWS (AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL).
Begin with "strandline doctor". The delays and limits are the policy's, STRANDLINE_...
(docs/policy.md): give the command what the functions have. What changes something
says what it will do and asks, unless it only stops; --yes answers for a script.`,
		Version:           buildVersion(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: refuseEmptyFilters,
		Args:              cobra.NoArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(newPlan(), newRun(), newRuns(), newApprove(), newCensus(), newReconcile(), newInventory(), newHolds(), newDLQ(),
		newExplain(), newStuck(), newParked(),
		newMode(), newPause(), newResume(), newRate(), newDoctor(), newAudit(), newDemo(), newVersion())
	return root
}
