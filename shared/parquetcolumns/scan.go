package parquetcolumns

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/strandline-dev/strandline/shared/snappyblock"
)

// None stands for a number or an instant that is not there.
const None = int64(math.MinInt64)

// Batch is how many rows a scan gives out at a time, at most.
const Batch = 256

// Values are those of one column, for the rows of one batch; only the field of
// the column's kind is set. They hold until the scan goes on.
type Values struct {
	Kind    Kind
	Bytes   [][]byte // nil: not there
	Numbers []int64  // Whole and Instant; None: not there
	Truths  []int8   // 1, 0; -1: not there
}

// Scan goes through rows of a file.
type Scan struct {
	file    *File
	columns []int
	values  []Values

	cursors  []*cursor
	rooms    []pageRoom // of the columns
	unpacker snappyblock.Unpacker
	group    int   // the next row group
	first    int64 // row of this group,
	rows     int64 // and how many it has
	number   int64 // of the next row

	some   bool // only the rows wanted are read, which ascend
	wanted []int64
	last   int64 // row that was given out of them
}

// Scan reads all rows of the columns at these indexes of Names, none of which
// is Other.
func (f *File) Scan(columns ...int) *Scan {
	s := &Scan{file: f, columns: columns, rooms: make([]pageRoom, len(columns)), last: -1}
	for _, c := range columns {
		v := Values{Kind: f.Kind(c)}
		switch v.Kind {
		case Bytes:
			v.Bytes = make([][]byte, Batch)
		case Whole, Instant:
			v.Numbers = make([]int64, Batch)
		case Truth:
			v.Truths = make([]int8, Batch)
		}
		s.values = append(s.values, v)
	}
	return s
}

// Lookup reads only the rows with the numbers, which ascend, and one at a time.
// Of each column only the pages that hold one of them are read.
func (f *File) Lookup(numbers []int64, columns ...int) (*Scan, error) {
	if !slices.IsSorted(numbers) || len(numbers) > 0 && numbers[0] < 0 {
		return nil, errors.New("the numbers of the rows to look up do not ascend from 0")
	}
	if n := len(numbers); n > 0 && numbers[n-1] >= f.Rows() {
		return nil, fmt.Errorf("the file has %d rows: row %d is not there", f.Rows(), numbers[n-1]+1)
	}
	s := f.Scan(columns...)
	s.some, s.wanted = true, numbers
	return s, nil
}

// Close lets go of the pages.
func (s *Scan) Close() {
	for _, c := range s.cursors {
		_ = guarded(func() error { c.close(); return nil })
	}
	s.cursors = nil
}

// Next reads on: the values of the columns, in the order in which they were
// asked for, the number of their first row, and how many rows they are. No rows
// is the end.
func (s *Scan) Next() (values []Values, number int64, rows int, err error) {
	err = guarded(func() error {
		if s.some {
			rows, err = s.seek()
		} else {
			rows, err = s.ready()
		}
		return err
	})
	if err == nil && (!s.some || rows > 0 && s.number != s.last) {
		err = guarded(func() error { s.fill(rows); return nil })
	}
	if err != nil {
		return nil, s.number, 0, fmt.Errorf("row group %d: %w", s.group, err)
	}
	number, s.last = s.number, s.number
	if !s.some {
		s.number += int64(rows)
	}
	return s.values, number, rows, nil
}

func (s *Scan) fill(rows int) {
	for i, c := range s.cursors {
		v := &s.values[i]
		switch v.Kind {
		case Bytes:
			v.Bytes = v.Bytes[:rows]
			c.bytes(v.Bytes)
		case Whole, Instant:
			v.Numbers = v.Numbers[:rows]
			c.numbers(v.Numbers, None)
		case Truth:
			v.Truths = v.Truths[:rows]
			c.truths(v.Truths)
		}
	}
}

// ready returns how many rows all columns have in their pages; 0 at the end of
// the file.
func (s *Scan) ready() (int, error) {
	for s.number == s.first+s.rows {
		if s.group == len(s.file.file.RowGroups()) {
			if s.number != s.file.Rows() {
				return 0, fmt.Errorf("the file has %d rows, its footer states %d", s.number, s.file.Rows())
			}
			return 0, nil
		}
		if err := s.enter(); err != nil {
			return 0, err
		}
		if err := s.open(nil); err != nil {
			return 0, err
		}
	}
	most := min(Batch, s.first+s.rows-s.number)
	for _, c := range s.cursors {
		have, err := c.ready()
		if err != nil {
			return 0, err
		}
		most = min(most, int64(have))
	}
	return int(most), nil
}

// seek goes to the next row that is wanted.
func (s *Scan) seek() (rows int, err error) {
	if len(s.wanted) == 0 {
		return 0, nil
	}
	s.number = s.wanted[0]
	for opened := s.number < s.first+s.rows; !opened; {
		if s.group == len(s.file.file.RowGroups()) {
			return 0, fmt.Errorf("row %d is not there", s.number+1)
		}
		if err := s.enter(); err != nil {
			return 0, err
		}
		if n, _ := slices.BinarySearch(s.wanted, s.first+s.rows); n > 0 {
			opened = true
			if err := s.open(s.wanted[:n]); err != nil {
				return 0, err
			}
		}
	}
	s.wanted = s.wanted[1:]
	if s.number == s.last {
		return 1, nil
	}
	for _, c := range s.cursors {
		if err := c.seek(s.number - s.first); err != nil {
			return 0, err
		}
	}
	return 1, nil
}

// enter goes on to the next row group.
func (s *Scan) enter() error {
	s.Close()
	s.first += s.rows
	s.rows = s.file.file.RowGroups()[s.group].NumRows()
	s.group++
	if s.rows < 0 {
		return errors.New("it states a negative number of rows")
	}
	return nil
}

// open begins the columns of the row group: all of it, or only the pages with
// the rows wanted.
func (s *Scan) open(wanted []int64) error {
	if s.rows == 0 {
		return nil
	}
	inGroup := make([]int64, len(wanted))
	for i, n := range wanted {
		inGroup[i] = n - s.first
	}
	for i, column := range s.columns {
		c, err := s.column(s.file.columns[column], inGroup, &s.rooms[i])
		if err != nil {
			return fmt.Errorf("column %s: %w", s.file.columns[column].Name(), err)
		}
		s.cursors = append(s.cursors, c)
	}
	return nil
}

func (s *Scan) column(leaf *parquet.Column, wanted []int64, room *pageRoom) (*cursor, error) {
	index := s.group - 1
	chunk, ok := s.file.file.RowGroups()[index].ColumnChunks()[leaf.Index()].(*parquet.FileColumnChunk)
	if !ok {
		return nil, errors.New("it is not stored in the file")
	}
	pages, err := walkPages(s.file.source, &s.file.file.Metadata().RowGroups[index].Columns[leaf.Index()], s.rows)
	if err != nil {
		return nil, err
	}
	c := newCursor(leaf)
	read := pages
	if len(wanted) > 0 {
		read = pagesWith(pages, wanted)
	}
	if c.plain = s.file.plainOf(leaf, index, read, &s.unpacker, room); c.plain != nil {
		if len(wanted) > 0 {
			c.plain.verified = true // when the file was read whole
			c.firsts = firstsOf(read)
		}
		return c, nil
	}
	if len(wanted) == 0 {
		c.pages = chunk.PagesFrom(s.file.source)
		return c, nil
	}
	c.firsts = firstsOf(read)
	c.pages = chunk.PagesFrom(&pieces{file: s.file.source, first: pages[0].from, pages: read})
	return c, nil
}

// firstsOf lists the first row of each page that has rows.
func firstsOf(pages []pageAt) (firsts []int64) {
	for _, page := range pages {
		if page.rows > 0 {
			firsts = append(firsts, page.first)
		}
	}
	return firsts
}
