package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

type options struct {
	rows    int64
	rounds  int
	threads int
	formats []string
	dir     string
	tools   string
}

func main() {
	o, formats, generate := options{}, "", ""
	flag.Int64Var(&o.rows, "rows", 10_000_000, "rows of the inventory, 10,000 or more")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each is run; medians are printed")
	flag.IntVar(&o.threads, "threads", 2, "of either side")
	flag.StringVar(&formats, "formats", "parquet,csv", "which to compare")
	flag.StringVar(&o.dir, "dir", filepath.Join(os.TempDir(), "strandline-bench"), "where the data is kept")
	flag.StringVar(&o.tools, "tools", ".tools", "where DuckDB is installed")
	flag.StringVar(&generate, "generate", "", "only make the data of this format (used by the command itself)")
	flag.Parse()
	o.formats = strings.Split(formats, ",")
	if err := interruptible(o, generate); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func interruptible(o options, generate string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
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
