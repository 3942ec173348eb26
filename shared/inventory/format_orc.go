package inventory

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/strandline-dev/strandline/shared/celltext"
	"github.com/strandline-dev/strandline/shared/inventory/orc"
)

// scanORC yields the rows of an ORC file, its footer trusted for names and
// types.
func scanORC(ctx context.Context, file File) iter.Seq2[[]Row, error] {
	return func(yield func([]Row, error) bool) {
		o, err := openORC(ctx, file)
		if err != nil {
			yield(nil, err)
			return
		}
		defer o.stop()
		for {
			rows, err := o.batch()
			if err != nil {
				yield(nil, fmt.Errorf("after row %s: %w", celltext.Place(o.number), err))
				return
			}
			if len(rows) == 0 || !yield(rows, nil) {
				return
			}
		}
	}
}

type orcFile struct {
	columns []column // of a batch, in the order asked for
	next    func() (*orc.Batch, error, bool)
	stop    func()
	version bool // the file has a column of versions
	stated  int64
	rows    []Row
	number  int64 // of the next row
}

func openORC(ctx context.Context, file File) (o *orcFile, err error) {
	o = &orcFile{}
	err = guarded(func() error {
		f, err := orc.Open(file, file.Size())
		if err != nil {
			return err
		}
		names, err := o.findColumns(f.Columns())
		if err != nil {
			return err
		}
		o.stated = f.Rows()
		o.next, o.stop = iter.Pull2(f.Scan(ctx, names))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("its footer: %w", err)
	}
	return o, nil
}

// orcKinds are the types that a column may have beside text.
var orcKinds = map[column]orc.Kind{
	sizeColumn: orc.Long, modifiedColumn: orc.Time, latestColumn: orc.Bool, markerColumn: orc.Bool,
}

// findColumns returns the names of the needed columns.
func (o *orcFile) findColumns(columns []orc.Column) (needed []string, err error) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	p, err := placesOf(names)
	if err != nil {
		return nil, err
	}
	o.version = p.has(versionColumn)
	for c, place := range p {
		if place < 0 {
			continue
		}
		if kind := columns[place].Kind; kind != orc.Bytes && kind != orcKinds[column(c)] || kind == orc.Other {
			return nil, fmt.Errorf("column %s is of a type that it cannot have", names[place])
		}
		o.columns = append(o.columns, column(c))
		needed = append(needed, names[place])
	}
	return needed, nil
}

// batch decodes the next rows, none at the end.
func (o *orcFile) batch() (rows []Row, err error) {
	err = guarded(func() error {
		batch, err, ok := o.next()
		switch {
		case !ok && o.number != o.stated:
			return fmt.Errorf("the file ends, its footer states %s rows", celltext.Place(o.stated))
		case !ok || err != nil:
			return err
		}
		rows, err = o.fill(batch)
		return err
	})
	o.number += int64(len(rows))
	return rows, err
}

func (o *orcFile) fill(batch *orc.Batch) ([]Row, error) {
	o.rows = startRows(o.rows, batch.Rows, o.number, o.version)
	for i, c := range o.columns {
		values := &batch.Columns[i]
		for j := range o.rows {
			if j < len(values.Null) && values.Null[j] {
				continue
			}
			if err := setORC(&o.rows[j], c, values, j); err != nil {
				return nil, err
			}
		}
	}
	return o.rows, checkKeys(o.rows)
}

// setORC sets one field of a row.
func setORC(row *Row, c column, v *orc.Values, j int) error {
	switch {
	case v.Bytes != nil:
		return setText(row, c, v.Bytes[j])
	case c == sizeColumn:
		row.Size = v.Longs[j]
		if row.Size < 0 {
			return errNegative
		}
	case c == modifiedColumn:
		row.LastModified = v.Times[j]
	case c == latestColumn:
		row.Latest = answerOf(v.Bools[j])
	case c == markerColumn:
		row.Marker = answerOf(v.Bools[j])
	}
	return nil
}

func answerOf(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

var errNegative = errors.New("a size is negative")

// guarded turns a panic of a decoder into an error: it was written for files
// that are whole.
func guarded(decode func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the file is damaged: its decoder gave up")
		}
	}()
	return decode()
}
