package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"
)

// figure is a number that was measured, beside what it has to reach.
type figure struct {
	what     string  // in words, with the size
	measured float64 // in unit
	unit     string
	baseline float64 // of the same run, in unit; 0: there is none
	bound    bound
}

// bound is the most or the least that a figure, or its ratio to the baseline,
// may be. The zero bound is none.
type bound struct {
	least, ratio bool
	value        float64
}

func atMost(v float64) bound       { return bound{value: v} }
func atLeast(v float64) bound      { return bound{value: v, least: true} }
func ratioAtMost(v float64) bound  { return bound{value: v, ratio: true} }
func ratioAtLeast(v float64) bound { return bound{value: v, ratio: true, least: true} }

func (b bound) String() string {
	if b == (bound{}) {
		return ""
	}
	sign, times := "<= ", ""
	if b.least {
		sign = ">= "
	}
	if b.ratio {
		times = " x"
	}
	return sign + number(b.value) + times
}

func (f figure) verdict() string {
	v := f.measured
	if f.bound.ratio {
		v = f.measured / f.baseline
	}
	switch {
	case f.bound == (bound{}):
		return ""
	case f.bound.least == (v >= f.bound.value) || v == f.bound.value:
		return "ok"
	}
	return misses
}

// show prints one block: a title that says of what, and a line for each figure.
// The error names the figures that miss their bounds.
func show(title string, figures ...figure) error {
	printTo(os.Stdout, title, figures...)
	return missed(figures)
}

func missed(figures []figure) error {
	var all error
	for _, f := range figures {
		if f.verdict() == misses {
			all = errors.Join(all, fmt.Errorf("misses its bound of %s: %s", f.bound, f.what))
		}
	}
	return all
}

const misses = "misses"

func printTo(to io.Writer, title string, figures ...figure) {
	fmt.Fprintf(to, "\n%s\n", title)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  figure\tmeasured\tbaseline\tratio\tbound\t")
	for _, f := range figures {
		baseline, ratio := "", ""
		if f.baseline != 0 {
			baseline, ratio = number(f.baseline)+" "+f.unit, strconv.FormatFloat(f.measured/f.baseline, 'f', 2, 64)
		}
		fmt.Fprintf(w, "  %s\t%s %s\t%s\t%s\t%s\t%s\n", f.what, number(f.measured), f.unit, baseline, ratio, f.bound, f.verdict())
	}
	_ = w.Flush() // to standard output
}

// number has three digits that matter, or all of those before the point.
func number(v float64) string {
	if v >= 100 || v <= -100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
