package parquetcolumns

import (
	"errors"
	"fmt"
	"math"
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

// Scan goes through the rows of a file.
type Scan struct {
	file    *File
	columns []int
	values  []Values
	cursors []*cursor
	group   int   // the next row group
	left    int64 // rows of this group
	number  int64 // of the next row
}

// Scan reads the columns at these indexes of Names, none of which is Other.
func (f *File) Scan(columns ...int) *Scan {
	s := &Scan{file: f, columns: columns}
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

// Close lets go of the pages.
func (s *Scan) Close() {
	for _, c := range s.cursors {
		_ = guarded(func() error { c.close(); return nil })
	}
	s.cursors = nil
}

// Number is the number of the next row, from 0.
func (s *Scan) Number() int64 { return s.number }

// Next reads on: the values of the columns, in the order in which they were
// asked for, and how many rows they are. No rows is the end.
func (s *Scan) Next() (values []Values, rows int, err error) {
	err = s.guarded(func() error {
		if rows, err = s.ready(Batch); err != nil {
			return err
		}
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
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	s.passed(rows)
	return s.values, rows, nil
}

// SkipTo passes over the rows before the one with the number. Row groups before
// it are not read, and of the pages before it no value is looked at.
func (s *Scan) SkipTo(number int64) error {
	if number < s.number || number > s.file.Rows() {
		return fmt.Errorf("row %d cannot be looked up: the file has %d, and %d were read", number, s.file.Rows(), s.number)
	}
	return s.guarded(func() error {
		for s.number < number {
			if s.left == 0 {
				groups := s.file.file.RowGroups()
				if s.group >= len(groups) {
					return s.ended()
				}
				if rows := groups[s.group].NumRows(); s.number+rows <= number {
					s.number += rows
					s.group++
					continue
				}
			}
			rows, err := s.ready(int(min(number-s.number, math.MaxInt32)))
			if err != nil {
				return err
			}
			for _, c := range s.cursors {
				c.skip(rows)
			}
			s.passed(rows)
		}
		return nil
	})
}

func (s *Scan) passed(rows int) {
	s.number += int64(rows)
	s.left -= int64(rows)
}

func (s *Scan) guarded(decode func() error) error {
	if err := guarded(decode); err != nil {
		return fmt.Errorf("after row %d: %w", s.number, err)
	}
	return nil
}

// ready returns how many rows all columns have in their pages, most at most; 0
// at the end of the file.
func (s *Scan) ready(most int) (int, error) {
	for s.left == 0 {
		if err := s.leave(); err != nil {
			return 0, err
		}
		if s.group >= len(s.file.file.RowGroups()) {
			return 0, s.ended()
		}
		s.enter()
	}
	most = int(min(int64(most), s.left))
	for _, c := range s.cursors {
		have, err := c.ready()
		if err != nil {
			return 0, err
		}
		most = min(most, have)
	}
	return most, nil
}

// enter opens the next row group.
func (s *Scan) enter() {
	group := s.file.file.RowGroups()[s.group]
	s.group++
	s.left = group.NumRows()
	chunks := group.ColumnChunks()
	for _, column := range s.columns {
		leaf := s.file.columns[column]
		s.cursors = append(s.cursors, newCursor(leaf, chunks[leaf.Index()].Pages()))
	}
}

// leave closes a row group that was read to its end.
func (s *Scan) leave() error {
	for _, c := range s.cursors {
		if err := c.ended(); err != nil {
			return err
		}
	}
	s.Close()
	return nil
}

func (s *Scan) ended() error {
	if s.number != s.file.Rows() {
		return errors.New("the file has another number of rows than its footer states")
	}
	return nil
}
