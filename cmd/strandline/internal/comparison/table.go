package comparison

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/reconcile"
)

// most bounds the lines of a breakdown; --json has them all.
const most = 12

// Table writes the summary for people.
func (r Result) Table(to io.Writer) error {
	out := &bytes.Buffer{}
	s := r.Summary
	fmt.Fprintf(out, "bucket     %s\n", s.Bucket)
	fmt.Fprintf(out, "inventory  listed %s, %s, %s, %s%s\n", show.Instant(s.Created), r.Inputs.Inventory.Format,
		plural(int64(r.Inputs.Inventory.Files), "file"), plural(s.Rows, "row"), also(s.Duplicates, "identical, counted once"))
	fmt.Fprintf(out, "key lists  taken %s, %s, %s%s\n", show.Instant(s.ManifestAt),
		plural(int64(len(r.Inputs.Manifests)), "list"), plural(s.Entries, "line"), also(s.Unrecorded, "without recorded_at: taken for old"))
	fmt.Fprintf(out, "judged     orphans are older than %s before both; what was recorded later than %s before the listing is left alone\n",
		show.Duration(r.OrphanGrace), show.Duration(r.Settle))
	r.weakened(out)
	r.verdicts(out)
	breakdown(out, "tenant", s.ByTenant, byFindings(s.ByTenant))
	breakdown(out, "age", s.ByAge, youngestFirst(s.ByAge))
	r.close(out)
	_, err := out.WriteTo(to)
	return err
}

// weakened says what makes a comparison say less than it seems to.
func (r Result) weakened(out io.Writer) {
	if !r.Summary.ManifestAt.After(r.Summary.Created) {
		fmt.Fprintln(out, "careful    the key lists were not taken after the inventory began: nothing can be told to be an orphan")
	}
	var judged int64
	for v, n := range r.Summary.Counts {
		if v != reconcile.Ignored {
			judged += n.Count
		}
	}
	if judged == 0 {
		fmt.Fprintln(out, "careful    nothing was compared: on neither side is anything that is not to be ignored")
	}
}

func (r Result) verdicts(out io.Writer) {
	rows := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(rows, "\nverdict\t%12s\t%10s\t\n", "versions", "bytes")
	for _, finding := range []bool{true, false} {
		for _, v := range reconcile.Verdicts() {
			if n := r.Summary.Counts[v]; n.Count > 0 && v.Finding() == finding {
				fmt.Fprintf(rows, "%s\t%12s\t%10s\t%s\n", v, bytesize.Count(n.Count), bytesize.Text(n.Bytes), says(v))
			}
		}
	}
	_ = rows.Flush() // into memory
}

// breakdown writes the findings of one kind of group, the largest first.
func breakdown(out io.Writer, by string, groups map[string]map[reconcile.Verdict]reconcile.Count, order []string) {
	type row struct {
		group   string
		verdict reconcile.Verdict
		reconcile.Count
	}
	var all []row
	for _, group := range order {
		for _, v := range reconcile.Verdicts() {
			if n := groups[group][v]; n.Count > 0 && v.Finding() {
				all = append(all, row{group, v, n})
			}
		}
	}
	if len(all) == 0 {
		return
	}
	rows := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(rows, "\nby %s\tverdict\t%12s\t%10s\n", by, "versions", "bytes")
	for i, line := range all[:min(most, len(all))] {
		name := printable(line.group)
		if i > 0 && all[i-1].group == line.group {
			name = ""
		}
		fmt.Fprintf(rows, "%s\t%s\t%12s\t%10s\n", name, line.verdict, bytesize.Count(line.Count.Count), bytesize.Text(line.Bytes))
	}
	_ = rows.Flush() // into memory
	if more := len(all) - most; more > 0 {
		fmt.Fprintf(out, "and %s more: --json has them all\n", plural(int64(more), "line"))
	}
}

// byFindings sorts groups by how much was found of them.
func byFindings(groups map[string]map[reconcile.Verdict]reconcile.Count) []string {
	found := func(group string) (n int64) {
		for v, c := range groups[group] {
			if v.Finding() {
				n += c.Count
			}
		}
		return n
	}
	names := sorted(groups)
	slices.SortStableFunc(names, func(a, b string) int { return int(min(1, max(-1, found(b)-found(a)))) })
	return names
}

func youngestFirst(groups map[string]map[reconcile.Verdict]reconcile.Count) []string {
	names, bands := sorted(groups), reconcile.AgeBands()
	slices.SortStableFunc(names, func(a, b string) int { return slices.Index(bands, a) - slices.Index(bands, b) })
	return names
}

func sorted(groups map[string]map[reconcile.Verdict]reconcile.Count) (names []string) {
	for name := range groups {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// printable keeps a group's name from moving the cursor, or from being empty.
func printable(name string) string {
	if name == "" {
		return "(none)"
	}
	if quoted := fmt.Sprintf("%q", name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

func (r Result) close(out io.Writer) {
	fmt.Fprintln(out)
	if r.Summary.HoldsBlocked {
		fmt.Fprintf(out, "More than %g %% of the inventory's rows are orphans. A key list that is not complete looks like\nthis: nothing of it may be held before somebody has looked.\n", r.MaxOrphanPercent)
	}
	switch {
	case r.Findings != nil:
		fmt.Fprintf(out, "%s in %s; it names objects, and only you can read it\n", plural(r.Findings.Lines, "line"), r.Findings.File)
	case !r.Clean():
		fmt.Fprintln(out, "which objects these are: --findings FILE.jsonl")
	}
	outcome := "findings"
	if r.Clean() {
		outcome = "clean"
	}
	fmt.Fprintf(out, "%s, in %s\n", outcome, r.Took.Round(10*time.Millisecond))
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return bytesize.Count(n) + " " + strings.TrimSuffix(what, "s") + "s"
}

// also adds a number that is worth a word only if there is one.
func also(n int64, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %s %s", bytesize.Count(n), what)
}
