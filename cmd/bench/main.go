package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/strandline-dev/strandline/cmd/bench/internal/reconcile"
)

// bench is one thing that is measured. Its run parses its own flags, -short
// among them, and prints blocks; see [show].
type bench struct {
	name, what string
	run        func(ctx context.Context, args []string) error
}

var benches = []bench{
	{"reconcile", "the comparison with an inventory, beside DuckDB", runReconcile},
	{"purge", "the worker over the wire, over slow stores, and its memory", runPurge},
	{"plan", "planning a million due entries, and how fairly ten million are passed", runPlan},
	{"publish", "100,000 commands into the queue, beside the bare calls", runPublish},
	{"cost", "what AWS would bill for a million abandoned uploads, counted on the wire", runCost},
	{"start", "how long each function takes from its start to its answer to a first event", runStart},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // whoever interrupts again does not wait for the cleaning up
	err := run(ctx, os.Args[1:])
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprint(os.Stderr, "bench: ", strings.TrimSpace(line), "\n")
	}
	os.Exit(1)
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return runAll(ctx, args)
	}
	i := slices.IndexFunc(benches, func(b bench) bool { return b.name == args[0] })
	if i < 0 {
		usage(os.Stderr)
		return fmt.Errorf("nothing is called %q", args[0])
	}
	return benches[i].named(ctx, args[1:])
}

// named runs it; its errors say which it was.
func (b bench) named(ctx context.Context, args []string) error {
	if err := b.run(ctx, args); err != nil {
		return fmt.Errorf("%s: %w", b.name, err)
	}
	return nil
}

// runAll goes on after a bench that misses its bound, or fails.
func runAll(ctx context.Context, args []string) error {
	f := flagsOf("all")
	rows := f.Int64("rows", 10_000_000, "rows of the inventory that reconcile compares")
	short := f.Bool("short", false, "a smaller size of everything")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		usage(os.Stdout)
		return err
	} else if err != nil || f.NArg() > 0 {
		return fmt.Errorf("%s: bench [-short] [-rows N], or a name first; bench -h lists them", strings.Join(args, " "))
	} else if *rows < reconcile.LeastRows {
		return fmt.Errorf("-rows %d: at least %d are needed", *rows, reconcile.LeastRows)
	}
	var all error
	for _, b := range benches {
		var own []string
		if b.name == "reconcile" {
			own = append(own, "-rows", strconv.FormatInt(*rows, 10))
		}
		if *short {
			own = append(own, "-short")
		}
		begun := time.Now()
		all = errors.Join(all, b.named(ctx, own))
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(os.Stderr, "(%s took %.0f s)\n", b.name, time.Since(begun).Seconds())
	}
	return all
}

func usage(to io.Writer) {
	fmt.Fprint(to, "bench [-short] [-rows N]   all of these, reconcile with so many rows\n",
		"bench NAME [FLAGS]         one of them; with -h it lists its flags\n\n")
	for _, b := range benches {
		fmt.Fprintf(to, "  %-10s %s\n", b.name, b.what)
	}
}
