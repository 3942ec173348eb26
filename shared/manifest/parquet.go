package manifest

import (
	"errors"
	"fmt"
	"io"

	"github.com/strandline-dev/strandline/shared/celltext"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/parquetcolumns"
)

// parquetRows reads a Parquet list: only our columns, found by name.
type parquetRows struct {
	scan    *parquetcolumns.Scan
	file    *parquetcolumns.File
	columns []column // that the list has,
	indexes []int    // and where in the file
	entries [parquetcolumns.Batch]Entry
	at64    int // the column of key_base64, -1 if there is none
	keys    [parquetcolumns.Batch][]byte
	first   int64 // row of the batch,
	row     int   // and how many of it were gone through
}

func newParquet(file inventory.File) (*parquetRows, error) {
	r := &parquetRows{at64: -1}
	f, err := parquetcolumns.Open(file)
	if err != nil {
		return r, err
	}
	var has [columns]bool
	for i, name := range f.Names() {
		c := columnOf([]byte(name))
		if c == noColumn || f.Kind(i) == parquetcolumns.Nothing {
			continue
		}
		if has[c] {
			return r, fmt.Errorf("two columns are named %s", c)
		}
		has[c] = true
		if err := suits(c, f.Kind(i)); err != nil {
			return r, err
		}
		if c == key64Column {
			r.at64 = len(r.indexes)
		}
		r.indexes = append(r.indexes, i)
		r.columns = append(r.columns, c)
	}
	if err := header(has, f.Names()); err != nil {
		return r, err
	}
	r.file, r.scan = f, f.Scan(r.indexes...)
	return r, nil
}

// only reads only the rows with these numbers.
func (r *parquetRows) only(numbers []int64) (err error) {
	r.scan, err = r.file.Lookup(numbers, r.indexes...)
	return err
}

// suits refuses a column whose type cannot be what its name says.
func suits(c column, kind parquetcolumns.Kind) error {
	switch {
	case kind == parquetcolumns.Bytes,
		c == sizeColumn && kind == parquetcolumns.Whole,
		c == recordedColumn && kind == parquetcolumns.Instant:
		return nil
	case c == sizeColumn:
		return errors.New("the column size is neither a whole number nor text")
	case c == recordedColumn:
		return errors.New("the column recorded_at is neither a timestamp nor text")
	}
	return fmt.Errorf("the column %s is not text", c)
}

func (r *parquetRows) close() {
	if r.scan != nil {
		r.scan.Close()
	}
}

func (r *parquetRows) at() string {
	if r.scan == nil {
		return ""
	}
	return "row " + celltext.Place(r.first+int64(r.row))
}

// next reads on, column by column.
func (r *parquetRows) next() ([]Entry, error) {
	values, first, n, err := r.scan.Next()
	r.first, r.row = first, 0
	if err != nil {
		r.row = 1
		return nil, err
	}
	if n == 0 {
		return nil, io.EOF
	}
	entries := r.entries[:n]
	clear(entries)
	for i := range entries {
		e := &entries[i]
		e.Size, e.RecordedAt, e.Number = NoSize, NoTime, r.first+int64(i)
	}
	for i, c := range r.columns {
		if row, err := fill(entries, c, &values[i]); err != nil {
			r.row = row + 1
			return nil, err
		}
	}
	if r.at64 >= 0 {
		if err := r.decodeKeys(values[r.at64].Bytes); err != nil {
			return nil, err
		}
	}
	for r.row = range entries {
		if err := r.check(&entries[r.row]); err != nil {
			r.row++
			return nil, err
		}
	}
	return entries, nil
}

// fill sets one field of all entries.
func fill(entries []Entry, c column, v *parquetcolumns.Values) (row int, err error) {
	switch c {
	case sizeColumn, recordedColumn, stateColumn:
		return fillFacts(entries, c, v)
	case bucketColumn:
		for i, text := range v.Bytes {
			entries[i].Bucket = text
		}
	case keyColumn:
		for i, text := range v.Bytes {
			entries[i].Key = text
		}
	case versionColumn:
		for i, text := range v.Bytes {
			entries[i].VersionID = text
		}
	case etagColumn:
		for i, text := range v.Bytes {
			entries[i].ETag = celltext.ETag(text)
		}
	case tenantColumn:
		for i, text := range v.Bytes {
			entries[i].Tenant = text
		}
	case uploadColumn:
		for i, text := range v.Bytes {
			entries[i].Upload = text
		}
	}
	return 0, nil
}

// fillFacts sets what has a meaning of its own: a number, an instant, a state.
func fillFacts(entries []Entry, c column, v *parquetcolumns.Values) (row int, err error) {
	if v.Kind != parquetcolumns.Bytes {
		for i, n := range v.Numbers {
			switch {
			case n == parquetcolumns.None:
			case c == recordedColumn:
				entries[i].RecordedAt = n
			case n < 0:
				return i, errSize
			default:
				entries[i].Size = n
			}
		}
		return 0, nil
	}
	for i, text := range v.Bytes {
		if err := entries[i].fact(c, text); err != nil {
			return i, err
		}
	}
	return 0, nil
}

// decodeKeys puts the keys of key_base64 to the entries that have one.
func (r *parquetRows) decodeKeys(coded [][]byte) error {
	for i, text := range coded {
		e := &r.entries[i]
		var err error
		if len(text) != 0 {
			e.Key, err = decodeKey(e.Key, text, &r.keys[i])
		} else if !celltext.Valid(e.Key) {
			err = errKeyText
		}
		if err != nil {
			r.row = i + 1
			return err
		}
	}
	return nil
}

func (r *parquetRows) check(e *Entry) error {
	switch {
	case len(e.Bucket) == 0:
		return errNoBucket
	case len(e.Key) == 0:
		return errNoKey
	case r.at64 < 0 && !celltext.Valid(e.Key):
		return errKeyText
	}
	return e.meant()
}
