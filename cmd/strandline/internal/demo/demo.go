package demo

import (
	"context"
	"fmt"
	"io"
	"time"
)

// DefaultUploads is how many uploads the population has: at least 2,000, of at
// least 20,000 object versions.
const DefaultUploads = 2_400

// Options say what to run and where.
type Options struct {
	InMemory bool
	Uploads  int
	Out      io.Writer
	Terminal bool // Out is one: progress may be written over
	// Now is the real clock; the stories run on clocks of their own.
	Now func() time.Time
}

// Bounds of the population: enough for some of every kind, and no more than a
// demo should put on a cloud.
const (
	minUploads = 400
	maxUploads = 100_000
)

// Result is what a run has checked.
type Result struct {
	Cloud   string `json:"cloud"`
	Uploads int    `json:"uploads"` // of the population, at least
	Checked int    `json:"checked"`
	// Differences says of each number that differs from what it must be what it
	// is; each has been printed.
	Differences []string `json:"differences"`
	Seconds     float64  `json:"seconds"`
}

// Run tells both stories. An error means that they could not be told.
func Run(ctx context.Context, o Options) (r Result, err error) {
	if o.Uploads < minUploads || o.Uploads > maxUploads {
		return r, fmt.Errorf("--uploads is %d: expected %d to %d", o.Uploads, minUploads, maxUploads)
	}
	began := o.Now()
	c, err := openCloud(ctx, o)
	if err != nil {
		return r, err
	}
	defer func() {
		if closing := c.close(); err == nil {
			err = closing
		}
	}()
	out := &checks{out: o.Out, failed: []string{}}
	fmt.Fprintf(o.Out, "Strandline's demo, on %s\n\nThe story of 27 chunks: three sessions, and three objects that nobody knows.\n%s\n", c, aboutTheClock)
	for _, k := range storyCases() {
		before := len(out.failed)
		found, err := tellStory(ctx, c, k, out)
		if err != nil {
			return r, fmt.Errorf("case %q: %w", k.name, err)
		}
		fmt.Fprintf(o.Out, "  %-42s kept %2d  deleted %d  held %d  run %-8s %s\n", k.name, found.kept, found.deleted, found.held, found.state, verdict(len(out.failed) == before))
		printAftermath(o.Out, found.rows)
	}
	fmt.Fprintf(o.Out, "\nA population of %d uploads\n", o.Uploads)
	bar := newProgress(o.Out, o.Terminal, o.Now)
	w, err := tellPopulation(ctx, c, o.Uploads, out, bar)
	if err != nil {
		return r, err
	}
	w.print(o.Out)
	took := o.Now().Sub(began).Round(100 * time.Millisecond)
	r = Result{Cloud: fmt.Sprint(c), Uploads: o.Uploads, Checked: out.passed + len(out.failed), Differences: out.failed, Seconds: took.Seconds()}
	fmt.Fprintf(o.Out, "\n%d numbers checked, %d differ; %s\n", r.Checked, len(r.Differences), took)
	return r, nil
}

// aboutTheClock says what is not as it would be: nobody waits two days for it.
const aboutTheClock = `The story's clock is moved on. Its inventories are written on that clock: a time in them is
the store's, moved by as much as the clock was ahead when the object was written.`

// printAftermath shows what the reconciler found after pass two, and what came
// of the decisions about it.
func printAftermath(out io.Writer, rows []row) {
	for i, r := range rows {
		branch := "├"
		if i == len(rows)-1 {
			branch = "└"
		}
		fmt.Fprintf(out, "    %s %-42s %s\n", branch, r.what, r.found)
	}
}

func verdict(ok bool) string {
	if ok {
		return "as it must be"
	}
	return "DIFFERS"
}
