package reconcile

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
)

// report prints the medians, and the ratio to the better of the rival's plans.
func report(o Options, format string, all []*contender) {
	fmt.Printf("\n%s: %d rows in %d files, %d key lists, %d threads, medians of %d\n", format, o.Rows, inventoryFiles, keyLists, o.Threads, o.Rounds)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tseconds\tCPU s\tpeak MB\ttemp B/row\t")
	for _, c := range all {
		temp := ""
		if c.temp > 0 {
			temp = fmt.Sprintf("%.1f", c.temp)
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%d\t%s\t\n", c.name, median(c.seconds), median(c.cpu), c.peak/1e6, temp)
	}
	_ = w.Flush() // to standard output
	for _, memory := range []string{"1 GB", "no limit"} {
		best := bestOf(all, memory)
		fmt.Printf("%.2f times as fast as DuckDB with %s (%s)\n", median(best.seconds)/median(all[0].seconds), memory, best.name)
	}
}

func bestOf(all []*contender, memory string) *contender {
	var best *contender
	for _, c := range all {
		if strings.HasSuffix(c.name, memory) && (best == nil || median(c.seconds) < median(best.seconds)) {
			best = c
		}
	}
	return best
}
