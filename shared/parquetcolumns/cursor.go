package parquetcolumns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// cursor goes through one column of a row group. What it gives out lies in its
// page, which is released when it turns to the next.
type cursor struct {
	name  string
	kind  parquet.Kind
	perMs int64 // units of a timestamp in a millisecond; 0 if it is none
	level byte  // the definition level of a value that is there
	pages parquet.Pages
	page  parquet.Page

	plain  *plainPages // instead of pages, of text in its plain layout:
	values []byte      // what is left of the page's values

	first  int64   // the page's first row, in the group,
	firsts []int64 // and those of the pages to come: where only some are read

	rows, at int    // of the page
	levels   []byte // of each row; empty where every row has a value
	next     int    // value
	indexes  []int32

	text    []byte
	offsets []uint32
	longs   []int64
	ints    []int32
	int96s  []deprecated.Int96
	bits    []byte
}

func newCursor(c *parquet.Column) *cursor {
	return &cursor{
		name: c.Name(), kind: c.Type().Kind(), perMs: unitsPerMilli(c.Type()), level: byte(c.MaxDefinitionLevel()),
	}
}

func (c *cursor) close() {
	c.release()
	if c.pages != nil {
		c.pages.Close()
	}
}

func (c *cursor) release() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
}

// ready returns how many rows the page still has, after turning it if none.
func (c *cursor) ready() (int, error) {
	for c.at == c.rows {
		if c.plain != nil {
			if err := c.turnPlain(); err != nil {
				return 0, fmt.Errorf("column %s: %w", c.name, err)
			}
			continue
		}
		c.release()
		page, err := c.pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("column %s ends before its row group does", c.name)
		}
		if err != nil {
			return 0, fmt.Errorf("column %s: %w", c.name, err)
		}
		c.turn(page)
	}
	return c.rows - c.at, nil
}

var errEndsEarly = errors.New("it ends before its row group does")

func (c *cursor) turnPlain() (err error) {
	if c.plain.ended() {
		return errEndsEarly
	}
	c.at = 0
	c.rows, c.levels, c.values, err = c.plain.next()
	return err
}

// valueOfRow takes the next row's value of a plain page; nil if it has none. A
// length that reaches out of the page panics, which is an error of the file.
func (c *cursor) valueOfRow() []byte {
	c.at++
	if len(c.levels) > 0 && c.levels[c.at-1] == 0 {
		return nil
	}
	if c.kind == parquet.Int64 {
		v := c.values[:8]
		c.values = c.values[8:]
		return v
	}
	n := binary.LittleEndian.Uint32(c.values)
	v := c.values[4 : 4+uint64(n) : 4+uint64(n)]
	c.values = c.values[4+uint64(n):]
	return v
}

func (c *cursor) plainBytes(out [][]byte) {
	if len(c.levels) > 0 {
		for i := range out {
			out[i] = c.valueOfRow()
		}
		return
	}
	values, at := c.values, uint64(0)
	for i := range out {
		from := at + 4
		at = from + uint64(binary.LittleEndian.Uint32(values[at:from]))
		out[i] = values[from:at:at]
	}
	c.values = values[at:] // panics where one reached out of the page
	c.at += len(out)
}

func (c *cursor) plainNumbers(out []int64, none int64) {
	if len(c.levels) == 0 {
		values := c.values[:8*len(out)]
		for i := range out {
			out[i] = int64(binary.LittleEndian.Uint64(values[8*i:]))
			if c.perMs > 1 {
				out[i] = floorDiv(out[i], c.perMs)
			}
		}
		c.values = c.values[8*len(out):]
		c.at += len(out)
		return
	}
	for i := range out {
		out[i] = none
		if v := c.valueOfRow(); v != nil {
			out[i] = int64(binary.LittleEndian.Uint64(v))
			if c.perMs > 1 {
				out[i] = floorDiv(out[i], c.perMs)
			}
		}
	}
}

// seek goes on to a row of the group that lies in one of the pages that are
// read.
func (c *cursor) seek(row int64) error {
	for c.rows == 0 || row >= c.first+int64(c.rows) {
		if len(c.firsts) == 0 {
			return fmt.Errorf("column %s has no such row", c.name)
		}
		c.at = c.rows // what is left of the page is not wanted
		if _, err := c.ready(); err != nil {
			return err
		}
		c.first, c.firsts = c.firsts[0], c.firsts[1:]
	}
	if c.plain != nil {
		return c.seekPlain(int(row - c.first))
	}
	c.skip(int(row-c.first) - c.at)
	return nil
}

// seekPlain goes on to a row of a plain page; where what was unpacked of it ends
// before, in the whole page.
func (c *cursor) seekPlain(row int) (err error) {
	if c.reach(row) {
		return nil
	}
	if c.values, err = c.plain.whole(); err != nil {
		return fmt.Errorf("column %s: %w", c.name, err)
	}
	if c.at = 0; !c.reach(row) {
		return fmt.Errorf("column %s: %w", c.name, errPlain)
	}
	return nil
}

// reach passes over the rows before a row of the page, and reports whether they
// and it are there.
func (c *cursor) reach(row int) bool {
	at := uint64(0)
	if c.kind == parquet.Int64 && len(c.levels) == 0 {
		at = 8 * uint64(row-c.at)
	} else {
		for i := c.at; i < row; i++ {
			at += c.length(i, at)
		}
	}
	if at+c.length(row, at) > uint64(len(c.values)) {
		return false
	}
	c.values, c.at = c.values[at:], row
	return true
}

// length is how many bytes a row's value takes, which begins there in what is
// left of the page: more than are left if not even its length is there.
func (c *cursor) length(row int, at uint64) uint64 {
	const prefix = 4
	switch {
	case len(c.levels) > 0 && c.levels[row] == 0:
		return 0
	case c.kind == parquet.Int64:
		return 8
	case at+prefix > uint64(len(c.values)):
		return prefix
	}
	return prefix + uint64(binary.LittleEndian.Uint32(c.values[at:]))
}

func (c *cursor) turn(page parquet.Page) {
	c.page, c.at, c.next, c.indexes = page, 0, 0, nil
	c.rows = int(page.NumRows())
	c.levels = page.DefinitionLevels()
	data := page.Data()
	if dictionary := page.Dictionary(); dictionary != nil {
		c.indexes = data.Int32()
		data = dictionary.Page().Data()
	}
	switch c.kind {
	case parquet.ByteArray:
		c.text, c.offsets = data.ByteArray()
	case parquet.Int64:
		c.longs = data.Int64()
	case parquet.Int32:
		c.ints = data.Int32()
	case parquet.Int96:
		c.int96s = data.Int96()
	case parquet.Boolean:
		c.bits = data.Boolean()
	}
}

// skip passes over n rows of the page.
func (c *cursor) skip(n int) {
	if len(c.levels) == 0 {
		c.next += n
	} else {
		for _, level := range c.levels[c.at : c.at+n] {
			if level == c.level {
				c.next++
			}
		}
	}
	c.at += n
}

// index returns where the next row's value is, -1 if it has none.
func (c *cursor) index() int {
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

// bytes gives out the next rows' values; nil is none.
func (c *cursor) bytes(out [][]byte) {
	if c.plain != nil {
		c.plainBytes(out)
		return
	}
	for i := range out {
		out[i] = nil
		if at := c.index(); at >= 0 {
			from, to := c.offsets[at], c.offsets[at+1]
			out[i] = c.text[from:to:to]
		}
	}
}

// numbers gives out the next rows' values, and none where there is none.
func (c *cursor) numbers(out []int64, none int64) {
	if c.plain != nil {
		c.plainNumbers(out, none)
		return
	}
	for i := range out {
		at := c.index()
		switch {
		case at < 0:
			out[i] = none
		case c.kind == parquet.Int96:
			out[i] = int96Millis(c.int96s[at])
		case c.kind == parquet.Int32:
			out[i] = int64(c.ints[at])
		case c.perMs > 1:
			out[i] = floorDiv(c.longs[at], c.perMs)
		default:
			out[i] = c.longs[at]
		}
	}
}

// truths gives out the next rows' values: 1 and 0, -1 for none.
func (c *cursor) truths(out []int8) {
	for i := range out {
		out[i] = -1
		if at := c.index(); at >= 0 {
			out[i] = int8(c.bits[at>>3] >> (at & 7) & 1)
		}
	}
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
