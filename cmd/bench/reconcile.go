package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/strandline-dev/strandline/cmd/bench/internal/reconcile"
)

// shortRows is what -short compares, once.
const shortRows = 200_000

// runReconcile compares the comparison with DuckDB.
func runReconcile(ctx context.Context, args []string) error {
	o, formats, generate := reconcile.Options{}, "", ""
	f := flagsOf("reconcile")
	f.Int64Var(&o.Rows, "rows", 10_000_000, "rows of the inventory, 10,000 or more")
	f.IntVar(&o.Rounds, "rounds", 3, "how often each is run; medians are printed")
	f.IntVar(&o.Threads, "threads", 2, "of either side")
	f.StringVar(&formats, "formats", "parquet,csv", "which to compare")
	f.StringVar(&o.Dir, "dir", filepath.Join(os.TempDir(), "strandline-bench"), "where the data is kept")
	f.StringVar(&o.Tools, "tools", ".tools", "where DuckDB is installed")
	f.StringVar(&generate, "generate", "", "only make the data of this format (used by the command itself)")
	short := f.Bool("short", false, "200,000 rows, one round")
	if err := parse(f, args); err != nil {
		return err
	}
	if *short {
		o.Rows, o.Rounds = shortRows, 1
	}
	o.Formats = strings.Split(cmp.Or(generate, formats), ",")
	if err := o.Check(); err != nil {
		return err
	}
	if generate != "" {
		return reconcile.Generate(o)
	}
	return reconcile.Run(ctx, o)
}
