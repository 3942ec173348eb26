package reconcile

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// LeastRows are enough for one difference of each kind.
const LeastRows = 10_000

// Options are what is compared, and where it lies. What fills them is the
// command's.
type Options struct {
	Rows    int64 // of the inventory
	Rounds  int
	Threads int // of either side
	Formats []string
	Dir     string // where the data is kept
	Tools   string // where DuckDB is installed
}

// Check says in one line what cannot be.
func (o Options) Check() error {
	if o.Rows < LeastRows || o.Rounds < 1 || o.Threads < 1 {
		return errors.New("at least 10,000 rows, one round and one thread are needed")
	}
	for _, format := range o.Formats {
		if format != "csv" && format != "parquet" {
			return fmt.Errorf("format %q: csv or parquet", format)
		}
	}
	return nil
}

// Run measures, and prints.
func Run(ctx context.Context, o Options) error {
	ours, err := buildOurs(ctx, o.Dir)
	if err != nil {
		return err
	}
	rival, err := installRival(ctx, o.Tools)
	if err != nil {
		return err
	}
	for _, format := range o.Formats {
		if err := makeData(ctx, o, format); err != nil {
			return err
		}
		if err := compare(ctx, o, format, ours, rival); err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
	}
	return nil
}

// Generate only makes the data.
func Generate(o Options) error {
	for _, format := range o.Formats {
		if err := writeData(o.data(format), format, newShape(o.Rows)); err != nil {
			return err
		}
	}
	return nil
}

// data is the folder of one format's data.
func (o Options) data(format string) string {
	return filepath.Join(o.Dir, fmt.Sprintf("%s-%d", format, o.Rows))
}
