package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"

	"github.com/strandline-dev/strandline/cmd/bench/internal/reconcile"
)

// bench is one thing that is measured. Its run parses its own flags, -short
// among them, and prints one block; see [show].
type bench struct {
	name, what string
	run        func(ctx context.Context, args []string) error
}

var benches = []bench{
	{"reconcile", "the comparison with an inventory, beside DuckDB", reconcile.Run},
	{"purge", "the worker over the wire, over slow stores, and its memory", runPurge},
	{"plan", "planning a million due entries, and how fairly a backlog is passed", runPlan},
	{"cost", "what AWS would bill for a million abandoned uploads, counted on the wire", runCost},
	{"start", "how long each function takes from its start to its answer to a first event", runStart},
}

const shortFlag = "-short"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage()
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		if b := slices.IndexFunc(benches, func(b bench) bool { return b.name == args[0] }); b >= 0 {
			return benches[b].run(ctx, args[1:])
		}
		if args[0] == "" || args[0][0] != '-' {
			usage()
			return fmt.Errorf("nothing is called %q", args[0])
		}
	}
	var all error
	for _, b := range benches {
		if ctx.Err() != nil {
			break
		}
		if err := b.run(ctx, own(b.name, args)); err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", b.name, err))
		}
	}
	return all
}

// own is what a bench gets of flags that name none.
func own(name string, args []string) []string {
	switch {
	case name == "reconcile":
		return args
	case slices.Contains(args, shortFlag):
		return []string{shortFlag}
	}
	return nil
}

func usage() {
	fmt.Fprintln(os.Stderr, "bench [NAME] [FLAGS]; without a name, all of:")
	for _, b := range benches {
		fmt.Fprintf(os.Stderr, "  %-10s %s\n", b.name, b.what)
	}
}
