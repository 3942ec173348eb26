package reconcile

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// shortRows is what -short compares, once.
const shortRows = 200_000

type options struct {
	rows    int64
	rounds  int
	threads int
	formats []string
	dir     string
	tools   string
	short   bool
}

// Run measures as the flags say, and prints.
func Run(ctx context.Context, args []string) error {
	o, formats, generate := options{}, "", ""
	f := flag.NewFlagSet("reconcile", flag.ContinueOnError)
	f.Int64Var(&o.rows, "rows", 10_000_000, "rows of the inventory, 10,000 or more")
	f.IntVar(&o.rounds, "rounds", 3, "how often each is run; medians are printed")
	f.IntVar(&o.threads, "threads", 2, "of either side")
	f.StringVar(&formats, "formats", "parquet,csv", "which to compare")
	f.StringVar(&o.dir, "dir", filepath.Join(os.TempDir(), "strandline-bench"), "where the data is kept")
	f.StringVar(&o.tools, "tools", ".tools", "where DuckDB is installed")
	f.BoolVar(&o.short, "short", false, fmt.Sprintf("%d rows, one round", shortRows))
	f.StringVar(&generate, "generate", "", "only make the data of this format (used by the command itself)")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.formats = strings.Split(formats, ",")
	if o.short {
		o.rows, o.rounds = shortRows, 1
	}
	return run(ctx, o, generate)
}

func run(ctx context.Context, o options, generate string) error {
	if o.rows < 10_000 || o.rounds < 1 || o.threads < 1 {
		return errors.New("at least 10,000 rows, one round and one thread are needed")
	}
	if generate != "" {
		return writeData(o.data(generate), generate, newShape(o.rows))
	}
	rival, err := installRival(ctx, o.tools)
	if err != nil {
		return err
	}
	ours, err := buildOurs(ctx, o.dir)
	if err != nil {
		return err
	}
	for _, format := range o.formats {
		if format != "csv" && format != "parquet" {
			return fmt.Errorf("format %q: csv or parquet", format)
		}
		if err := makeData(ctx, o, format); err != nil {
			return err
		}
		if err := compare(ctx, o, format, ours, rival); err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
	}
	return nil
}

// data is the folder of one format's data.
func (o options) data(format string) string {
	return filepath.Join(o.dir, fmt.Sprintf("%s-%d", format, o.rows))
}
