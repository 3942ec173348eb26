package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// csvRows reads a list whose first line names its columns (RFC 4180; lines may
// end in a line feed alone, and blank ones are none).
type csvRows struct {
	lines *lines
	// columns is what each cell of a line is.
	columns []column
	cells   cells
}

func newCSV(from io.Reader) (*csvRows, error) {
	r := &csvRows{lines: newLines(from)}
	line, err := r.line()
	if errors.Is(err, io.EOF) {
		return r, errors.New("it is empty: a CSV list begins with the names of its columns")
	}
	if err != nil {
		return r, err
	}
	var (
		has   [columns]bool
		found []string
		twice string
	)
	err = split(line, func(_ int, name []byte) error {
		c := columnOf(name)
		if c != noColumn {
			if len(bytes.TrimSpace(name)) != len(name) {
				return fmt.Errorf("the name of column %s has blanks around it, and so may its cells: write the list without", c)
			}
			if has[c] {
				twice = c.String()
			}
			has[c] = true
		}
		r.columns = append(r.columns, c)
		found = append(found, string(name))
		return nil
	})
	if err != nil {
		return r, err
	}
	if twice != "" {
		return r, fmt.Errorf("two columns are named %s", twice)
	}
	return r, header(has, found)
}

// line returns the next line that is not blank.
func (r *csvRows) line() ([]byte, error) {
	for {
		line, err := r.lines.nextQuoted()
		if err != nil || len(line) != 0 {
			return line, err
		}
	}
}

func (r *csvRows) at() string { return lineAt(r.lines.line) }

func (r *csvRows) next() (*cells, error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	n := 0
	if bytes.IndexByte(line, '"') < 0 {
		n = r.plain(line)
	} else {
		err = split(line, func(i int, cell []byte) error {
			if n++; i < len(r.columns) && r.columns[i] != noColumn {
				r.cells[r.columns[i]] = cell
			}
			return nil
		})
	}
	if err == nil && n != len(r.columns) {
		err = fmt.Errorf("it has %d cells, the first line names %d columns", n, len(r.columns))
	}
	if err == nil && r.cells.names() {
		err = errors.New("it names columns again, as the first line did: give each list by itself")
	}
	return &r.cells, err
}

// names reports whether a row is the first line of another list, which may have
// its columns in another order.
func (c *cells) names() bool {
	return columnOf(c[bucketColumn]) != noColumn && (columnOf(c[keyColumn]) != noColumn || columnOf(c[key64Column]) != noColumn)
}

// plain takes apart a line that has no quotes.
func (r *csvRows) plain(line []byte) int {
	n := 0
	for {
		i := bytes.IndexByte(line, ',')
		cell := line
		if i >= 0 {
			cell = line[:i]
		}
		if n < len(r.columns) && r.columns[n] != noColumn {
			r.cells[r.columns[n]] = cell
		}
		n++
		if i < 0 {
			return n
		}
		line = line[i+1:]
	}
}

// split gives out every cell of a line, quoted ones without their quotes. It
// writes to the line.
func split(line []byte, each func(i int, cell []byte) error) error {
	for i := 0; ; i++ {
		cell, rest, more, err := cut(line)
		if err != nil {
			return err
		}
		if err := each(i, cell); err != nil || !more {
			return err
		}
		line = rest
	}
}

// cut takes the first cell off a line.
func cut(line []byte) (cell, rest []byte, more bool, err error) {
	if len(line) == 0 || line[0] != '"' {
		cell, rest, more = bytes.Cut(line, []byte{','})
		if bytes.IndexByte(cell, '"') >= 0 {
			err = errors.New(`a cell that is not quoted holds a quote: write it "like ""this"""`)
		}
		return cell, rest, more, err
	}
	text, kept := line[1:], 0
	for {
		i := bytes.IndexByte(text[kept:], '"')
		if i < 0 {
			return nil, nil, false, errors.New("a quoted cell is not closed")
		}
		kept += i
		switch {
		case kept+1 == len(text):
			return text[:kept], nil, false, nil
		case text[kept+1] == ',':
			return text[:kept], text[kept+2:], true, nil
		case text[kept+1] != '"':
			return nil, nil, false, errors.New("a quoted cell goes on behind its closing quote")
		}
		text = append(text[:kept+1], text[kept+2:]...)
		kept++
	}
}
