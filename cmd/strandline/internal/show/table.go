package show

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Table is rows under heads, in columns as wide as their widest cell, two
// blanks apart. Columns of numbers stand at their right edge.
type Table struct {
	heads   []string
	numbers []bool
	rows    [][]string
}

// NewTable begins a table. A head that begins with ">" is that of numbers.
func NewTable(heads ...string) *Table {
	t := &Table{}
	for _, head := range heads {
		text, number := strings.CutPrefix(head, ">")
		t.heads, t.numbers = append(t.heads, text), append(t.numbers, number)
	}
	return t
}

// Add adds a row; it has a cell for each head. Each stays in its line, whatever
// somebody has written into it.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = Plain(cell)
	}
	t.rows = append(t.rows, row)
}

// Rows is how many rows there are under the heads.
func (t *Table) Rows() int { return len(t.rows) }

// Write writes the table. No line ends in blanks.
func (t *Table) Write(out io.Writer) error {
	widths := make([]int, len(t.heads))
	all := append([][]string{t.heads}, t.rows...)
	for _, row := range all {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range all {
		var line strings.Builder
		for i, width := range widths {
			blanks := strings.Repeat(" ", width-utf8.RuneCountInString(row[i]))
			if t.numbers[i] {
				line.WriteString(blanks + row[i] + "  ")
				continue
			}
			line.WriteString(row[i] + blanks + "  ")
		}
		if _, err := io.WriteString(out, strings.TrimRight(line.String(), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}
