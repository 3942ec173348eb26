package bill

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Sum adds prices up.
func Sum(lines ...Line) float64 {
	total := 0.0
	for _, l := range lines {
		total += l.Dollars
	}
	return total
}

// Total is all but what is kept.
func (b Bill) Total() float64 { return Sum(b.Calls...) + Sum(b.Logs...) + Sum(b.Time...) }

// Lines are all lines of the bill with their sums, in the order of the table.
func (b Bill) Lines() []Line {
	calls := Line{What: "**counted calls**", Dollars: Sum(b.Calls...)}
	all := append(append([]Line{}, b.Calls...), calls)
	all = append(append(all, b.Logs...), b.Time...)
	whole := Line{What: "**together**", Dollars: b.Total()}
	return append(all, whole, b.Kept)
}

// Table is the bill as docs/costs.md has it.
func (b Bill) Table() string {
	var t strings.Builder
	t.WriteString("| for a million uploads | requests | billed | price |\n|---|---|---|---|\n")
	for _, l := range b.Lines() {
		fmt.Fprintf(&t, "| %s | %s | %s | $%.3f |\n", l.What, amount(l.Requests), strings.TrimSpace(amount(l.Units)+" "+l.Unit), l.Dollars)
	}
	return t.String()
}

// amount has three digits that matter, in groups of three; nothing is no text.
func amount(v float64) string {
	switch {
	case v == 0:
		return ""
	case v < 100:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	step := math.Pow(10, math.Floor(math.Log10(v))-2)
	digits := strconv.FormatFloat(math.Round(v/step)*step, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
