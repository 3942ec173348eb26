package checkup

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
)

// Report is what was looked at, and what came of it.
type Report struct {
	Table    string    `json:"table"`
	Region   string    `json:"region"`
	Caller   string    `json:"caller,omitempty"`
	At       time.Time `json:"at"`
	Findings int       `json:"findings"`
	Checks   []Result  `json:"checks"`
}

// ReportOf judges the facts.
func ReportOf(f Facts) Report {
	all := Judge(f)
	return Report{
		Table: f.Table.Got.Name, Region: f.Region, Caller: f.Caller.Got.ARN, At: f.Now.UTC().Truncate(time.Second),
		Findings: Findings(all), Checks: all,
	}
}

// JSON writes the report as one document.
func (r Report) JSON(out io.Writer) error { return show.JSON(out, r) }

// Text writes the report for people: findings first, each with its fix below,
// then the notes, then what is in order, a line for each check.
func (r Report) Text(out io.Writer) error {
	as := r.Caller
	if as == "" {
		as = "an unknown caller"
	}
	fmt.Fprintf(out, "table %s in %s, as %s\n", r.Table, r.Region, as)
	for _, l := range []Level{Wrong, Unchecked, Note} {
		for _, one := range r.Checks {
			if one.Level == l {
				detail(out, one)
			}
		}
	}
	if err := r.fine(out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", r.verdict())
	return err
}

// fine shows what is in order; where nothing is, it does not say so either.
func (r Report) fine(out io.Writer) error {
	all := r.inOrder()
	if len(all) == 0 {
		return nil
	}
	rows := show.NewTable("in order", "")
	for _, one := range all {
		rows.Add(string(one.Check), one.Says)
	}
	fmt.Fprintln(out)
	return rows.Write(out)
}

func detail(out io.Writer, r Result) {
	on := r.On + ": "
	if r.On == string(r.Check) {
		on = ""
	}
	fmt.Fprintf(out, "\n%s: %s: %s%s\n", r.Level, r.Check, on, r.Says)
	if r.Fix != "" {
		fmt.Fprintf(out, "  fix: %s\n", r.Fix)
	}
}

// inOrder folds what is ok into one line for each check that has nothing else
// to say.
func (r Report) inOrder() []Result {
	var all []Result
	for _, c := range Checks() {
		var fine []Result
		clean := true
		for _, one := range r.Checks {
			if one.Check != c {
				continue
			}
			clean = clean && !one.Finding()
			if one.Level == OK {
				fine = append(fine, one)
			}
		}
		if clean && len(fine) > 0 {
			all = append(all, Result{Check: c, Says: folded(fine)})
		}
	}
	return all
}

// folded keeps a line readable: what is the same of several is said once, and
// of what is not, the first few.
func folded(all []Result) string {
	const few = 3
	var things, says []string
	same := true
	for _, one := range all {
		same = same && one.Says == all[0].Says
		things, says = append(things, one.On), append(says, one.On+": "+one.Says)
	}
	switch {
	case same:
		return strings.Join(things, ", ") + ": " + all[0].Says
	case len(says) <= few:
		return strings.Join(says, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(says[:few], "; "), len(says)-few)
}

func (r Report) verdict() string {
	if r.Findings == 0 {
		return "nothing is wrong"
	}
	return show.Counted(int64(r.Findings), "finding")
}
