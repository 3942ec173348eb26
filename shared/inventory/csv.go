package inventory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/strandline-dev/strandline/shared/celltext"
	"github.com/strandline-dev/strandline/shared/inventory/gunzip"
)

const (
	csvBuffer = 256 << 10
	// maxCSVRow: a key has at most 1,024 bytes, three times as many when
	// encoded, and an access control list some ten thousand.
	maxCSVRow = 4 << 20
)

// schema is the order of a CSV inventory's columns.
type schema struct {
	places places
	order  []column // of every field
}

func parseSchema(s string) (schema, error) {
	names := strings.Split(s, ",")
	p, err := placesOf(names)
	if err != nil {
		return schema{}, err
	}
	order := make([]column, len(names))
	for i, name := range names {
		order[i] = columnOf(name)
	}
	return schema{places: p, order: order}, nil
}

// scanCSV yields the rows of a gzip file of any number of members.
func scanCSV(ctx context.Context, file File, s schema) iter.Seq2[[]Row, error] {
	return func(yield func([]Row, error) bool) {
		z := gunzip.NewReader(&stoppable{ctx: ctx, r: io.NewSectionReader(file, 0, file.Size())})
		c := &csvRows{src: z, schema: s, buf: make([]byte, csvBuffer)}
		for {
			rows, err := c.next()
			if len(rows) == 0 && err == nil || !yield(rows, err) || err != nil {
				return
			}
		}
	}
}

// csvRows splits rows in place: nothing is allocated for a row.
type csvRows struct {
	src     io.Reader
	schema  schema
	buf     []byte
	at, end int // what is in buf and not yet split
	ended   bool
	cells   [columnCount][]byte
	key     []byte // the decoded key, where it is encoded
	row     [1]Row
	rows    int64
}

var errIncomplete = errors.New("more of the row is needed")

// next returns the next row, none at the end.
func (c *csvRows) next() ([]Row, error) {
	for {
		c.skipBlankLines()
		if c.at == c.end && c.ended {
			return nil, nil
		}
		n, err := c.split(c.buf[c.at:c.end])
		if errors.Is(err, errIncomplete) {
			if err = c.fill(); err == nil {
				continue
			}
			return nil, err
		}
		if err == nil {
			err = c.fillRow()
		}
		if err != nil {
			return nil, fmt.Errorf("row %s: %w", celltext.Place(c.rows+1), err)
		}
		c.at += n
		c.rows++
		return c.row[:], nil
	}
}

func (c *csvRows) skipBlankLines() {
	for c.at < c.end {
		switch {
		case c.buf[c.at] == '\n':
			c.at++
		case c.buf[c.at] == '\r' && c.at+1 < c.end && c.buf[c.at+1] == '\n':
			c.at += 2
		default:
			return
		}
	}
}

// fill reads on; the rest that is not yet split moves to the front.
func (c *csvRows) fill() error {
	c.end = copy(c.buf, c.buf[c.at:c.end])
	c.at = 0
	if c.end == len(c.buf) {
		if len(c.buf) >= maxCSVRow {
			return fmt.Errorf("row %s: longer than %d bytes", celltext.Place(c.rows+1), maxCSVRow)
		}
		c.buf = append(c.buf, make([]byte, len(c.buf))...)
	}
	for c.end < len(c.buf) {
		n, err := c.src.Read(c.buf[c.end:])
		c.end += n
		if err == io.EOF {
			c.ended = true
			return nil
		}
		if err != nil {
			return fmt.Errorf("after row %s: the gzip file is cut off or damaged: %w", celltext.Place(c.rows), err)
		}
	}
	return nil
}

// split finds the cells of the row that begins b, and returns how many bytes it
// takes with its end.
func (c *csvRows) split(b []byte) (int, error) {
	for field, i := 0, 0; ; field++ {
		cell, next, err := c.cell(b, i)
		if err != nil {
			return 0, err
		}
		if field == len(c.schema.order) {
			return 0, c.wrongCount()
		}
		if at := c.schema.order[field]; at != other {
			c.cells[at] = cell
		}
		i = next
		switch {
		case i == len(b): // only where the file has ended
		case b[i] == ',':
			i++
			continue
		case b[i] == '\n':
			i++
		case b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n':
			i += 2
		default:
			return 0, errors.New("something follows a closing quote")
		}
		if field+1 != len(c.schema.order) {
			return 0, c.wrongCount()
		}
		return i, nil
	}
}

func (c *csvRows) wrongCount() error {
	return fmt.Errorf("not the %d fields of the manifest's fileSchema", len(c.schema.order))
}

// cell returns the cell that begins at i, and where what ends it is.
func (c *csvRows) cell(b []byte, i int) (cell []byte, next int, err error) {
	if i < len(b) && b[i] == '"' {
		return c.quoted(b, i+1)
	}
	for next = i; next < len(b); next++ {
		switch b[next] {
		case ',', '\n':
			return b[i:next], next, nil
		case '\r':
			if next+1 < len(b) && b[next+1] == '\n' {
				return b[i:next], next, nil
			}
		case '"':
			return nil, 0, errors.New("a quote in the middle of a field")
		}
	}
	if !c.ended {
		return nil, 0, errIncomplete
	}
	return b[i:], len(b), nil
}

// quoted returns the cell whose text begins at i, after the quote.
func (c *csvRows) quoted(b []byte, i int) (cell []byte, next int, err error) {
	doubled := false
	for j := i; ; {
		k := bytes.IndexByte(b[j:], '"')
		switch j += k; {
		case k < 0 && c.ended:
			return nil, 0, errors.New("a quote is not closed")
		case k < 0, j+1 == len(b) && !c.ended:
			return nil, 0, errIncomplete
		case j+1 < len(b) && b[j+1] == '"':
			doubled = true
			j += 2
			continue
		}
		cell = b[i:j:j]
		if doubled {
			cell = bytes.ReplaceAll(cell, []byte(`""`), []byte(`"`))
		}
		return cell, j + 1, nil
	}
}

// fillRow makes the row of the cells.
func (c *csvRows) fillRow() (err error) {
	r, p := &c.row[0], &c.schema.places
	*r = Row{Bucket: c.cells[bucketColumn], Size: NoSize, LastModified: NoTime, Number: c.rows}
	if c.key, r.Key, err = decodeKey(c.key, c.cells[keyColumn]); err != nil {
		return err
	}
	for col := versionColumn; col < columnCount; col++ {
		if p.has(col) {
			if err := setText(r, col, c.cells[col]); err != nil {
				return err
			}
		}
	}
	return nil
}

// stoppable reads until the context is over.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
