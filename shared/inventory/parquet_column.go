package inventory

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// parquetColumn reads one column of a row group. What it yields lies in the
// page, which is released when the next one is read.
type parquetColumn struct {
	column column
	name   string
	kind   parquet.Kind
	perMs  int64 // units of a timestamp in a millisecond; 0 seconds never occur
	level  byte  // the definition level of a value that is there
	pages  parquet.Pages
	page   parquet.Page

	rows, at int    // of the page
	levels   []byte // of each row; empty where every row has a value
	next     int    // value
	indexes  []int32
	values   values

	first  int64   // row of the group that the page begins with,
	firsts []int64 // and those of the pages to come: where only some are read
}

// values are a page's or a dictionary's, in the layout of their type.
type values struct {
	text    []byte
	offsets []uint32
	longs   []int64
	ints    []int32
	int96s  []deprecated.Int96
	bits    []byte
}

func newParquetColumn(c column, leaf *parquet.Column) (*parquetColumn, error) {
	col := &parquetColumn{column: c, name: leaf.Name(), kind: leaf.Type().Kind(), level: byte(leaf.MaxDefinitionLevel())}
	ok := false
	switch c {
	case sizeColumn:
		ok = col.kind == parquet.Int64 || col.kind == parquet.Int32
	case modifiedColumn:
		col.perMs = unitsPerMilli(leaf.Type())
		ok = col.kind == parquet.Int96 || col.kind == parquet.Int64 && col.perMs > 0
	case latestColumn, markerColumn:
		ok = col.kind == parquet.Boolean
	}
	if !ok && col.kind != parquet.ByteArray {
		return nil, errors.New("it is of a type that it cannot have")
	}
	return col, nil
}

// unitsPerMilli returns how many units of a timestamp a millisecond has, 0 if
// it is none.
func unitsPerMilli(t parquet.Type) int64 {
	if l := t.LogicalType(); l != nil {
		if stamp, ok := l.Value.(*format.TimestampType); ok {
			switch stamp.Unit.Value.(type) {
			case *format.MilliSeconds:
				return 1
			case *format.MicroSeconds:
				return 1_000
			case *format.NanoSeconds:
				return 1_000_000
			}
		}
	}
	if c := t.ConvertedType(); c != nil {
		switch *c {
		case deprecated.TimestampMillis:
			return 1
		case deprecated.TimestampMicros:
			return 1_000
		}
	}
	return 0
}

func (c *parquetColumn) close() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	c.pages.Close()
}

// seek goes on to a row of the group that lies in one of the pages wanted.
func (c *parquetColumn) seek(row int64) error {
	for c.page == nil || row >= c.first+int64(c.rows) {
		if len(c.firsts) == 0 {
			return fmt.Errorf("column %s has no row %s", c.name, grouped(row+1))
		}
		c.at = c.rows // what is left of the page is not wanted
		if _, err := c.ready(); err != nil {
			return err
		}
		c.first, c.firsts = c.firsts[0], c.firsts[1:]
	}
	for int64(c.at) < row-c.first {
		c.index()
	}
	return nil
}

// ready returns how many rows the page still has, after reading on if none.
func (c *parquetColumn) ready() (int64, error) {
	for c.at == c.rows {
		if c.page != nil {
			parquet.Release(c.page)
			c.page = nil
		}
		page, err := c.pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("column %s ends before its row group does", c.name)
		}
		if err != nil {
			return 0, fmt.Errorf("column %s: %w", c.name, err)
		}
		c.turn(page)
	}
	return int64(c.rows - c.at), nil
}

func (c *parquetColumn) turn(page parquet.Page) {
	c.page, c.at, c.next, c.indexes = page, 0, 0, nil
	c.rows = int(page.NumRows())
	c.levels = page.DefinitionLevels()
	data := page.Data()
	if dictionary := page.Dictionary(); dictionary != nil {
		c.indexes = data.Int32()
		data = dictionary.Page().Data()
	}
	c.values = valuesOf(c.kind, data)
}

func valuesOf(kind parquet.Kind, data encoding.Values) (v values) {
	switch kind {
	case parquet.ByteArray:
		v.text, v.offsets = data.ByteArray()
	case parquet.Int64:
		v.longs = data.Int64()
	case parquet.Int32:
		v.ints = data.Int32()
	case parquet.Int96:
		v.int96s = data.Int96()
	case parquet.Boolean:
		v.bits = data.Boolean()
	}
	return v
}

// index returns where the next row's value is, -1 if it has none.
func (c *parquetColumn) index() int {
	if len(c.levels) > 0 && c.levels[c.at] != c.level {
		c.at++
		return -1
	}
	c.at++
	i := c.next
	c.next++
	if c.indexes != nil {
		return int(c.indexes[i])
	}
	return i
}

// fill sets the column's field of every row.
func (c *parquetColumn) fill(rows []Row) error {
	if c.kind == parquet.ByteArray {
		return c.fillText(rows)
	}
	switch c.column {
	case sizeColumn:
		return c.fillSizes(rows)
	case modifiedColumn:
		c.fillTimes(rows)
	case latestColumn:
		for i := range rows {
			rows[i].Latest = c.answer()
		}
	case markerColumn:
		for i := range rows {
			rows[i].Marker = c.answer()
		}
	}
	return nil
}

func (c *parquetColumn) fillText(rows []Row) error {
	v := &c.values
	for i := range rows {
		at := c.index()
		if at < 0 {
			continue
		}
		from, to := v.offsets[at], v.offsets[at+1]
		if err := setText(&rows[i], c.column, v.text[from:to:to]); err != nil {
			return err
		}
	}
	return nil
}

func (c *parquetColumn) fillSizes(rows []Row) error {
	for i := range rows {
		at := c.index()
		if at < 0 {
			continue
		}
		if c.kind == parquet.Int64 {
			rows[i].Size = c.values.longs[at]
		} else {
			rows[i].Size = int64(c.values.ints[at])
		}
		if rows[i].Size < 0 {
			return errNegative
		}
	}
	return nil
}

func (c *parquetColumn) fillTimes(rows []Row) {
	for i := range rows {
		at := c.index()
		if at < 0 {
			continue
		}
		if c.kind == parquet.Int96 {
			rows[i].LastModified = int96Millis(c.values.int96s[at])
		} else {
			rows[i].LastModified = floorDiv(c.values.longs[at], c.perMs)
		}
	}
}

func (c *parquetColumn) answer() Answer {
	at := c.index()
	switch {
	case at < 0:
		return Unknown
	case c.values.bits[at>>3]>>(at&7)&1 == 1:
		return Yes
	}
	return No
}

// int96Millis reads the old timestamps of Hive and Spark: nanoseconds of a day,
// then the Julian day.
func int96Millis(v deprecated.Int96) int64 {
	const julian1970 = 2440588
	nanos := int64(v[1])<<32 | int64(v[0])
	return (int64(v[2])-julian1970)*86_400_000 + floorDiv(nanos, 1_000_000)
}

func floorDiv(n, by int64) int64 {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}
