package inventory

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/parquet-go/parquet-go"
)

// batchRows is how many rows are decoded at a time.
const batchRows = 256

// scanParquet yields the rows of a Parquet file, its footer trusted for names
// and types. Only the needed columns are read, page by page in lock step.
func scanParquet(ctx context.Context, file File, withoutETag bool) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		p, err := openParquet(file)
		if err != nil {
			yield(nil, err)
			return
		}
		if withoutETag {
			p.places[etagColumn] = -1
		}
		for group := range p.file.RowGroups() {
			if !p.yieldGroup(ctx, group, yield) {
				return
			}
		}
		if p.number != p.file.NumRows() {
			yield(nil, fmt.Errorf("it has %s rows, its footer states %s", grouped(p.number), grouped(p.file.NumRows())))
		}
	}
}

type parquetFile struct {
	bytes  File
	file   *parquet.File
	places places // by the index of the leaf column
	leaves [columnCount]*parquet.Column
	rows   [batchRows]Row
	number int64 // of the next row
}

func openParquet(file File) (p *parquetFile, err error) {
	p = &parquetFile{bytes: file}
	if err := checkFooter(file); err != nil {
		return nil, fmt.Errorf("its footer: %w", err)
	}
	err = guarded(func() error {
		p.file, err = parquet.OpenFile(file, file.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
		if err != nil {
			return err
		}
		return p.findColumns()
	})
	if err != nil {
		return nil, fmt.Errorf("its footer: %w", err)
	}
	return p, nil
}

func (p *parquetFile) findColumns() error {
	columns := p.file.Root().Columns()
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name()
	}
	at, err := placesOf(names)
	if err != nil {
		return err
	}
	p.places = at
	for c, i := range at {
		if i < 0 {
			continue
		}
		leaf := columns[i]
		if !leaf.Leaf() || leaf.Repeated() {
			return fmt.Errorf("column %s is not a plain one", leaf.Name())
		}
		p.leaves[c] = leaf
	}
	return nil
}

// yieldGroup yields a row group's rows, and reports whether to go on.
func (p *parquetFile) yieldGroup(ctx context.Context, group int, yield func(*Row, error) bool) bool {
	g, err := p.openGroup(group, nil)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer g.close()
	for g.left > 0 {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return false
		}
		n, err := g.read(p.rows[:], p.number)
		if err != nil {
			yield(nil, fmt.Errorf("after row %s: %w", grouped(p.number), err))
			return false
		}
		p.number += int64(n)
		for i := range n {
			if !yield(&p.rows[i], nil) {
				return false
			}
		}
	}
	return true
}

// guarded turns a panic of the decoder into an error: it was written for files
// that are whole.
func guarded(decode func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the file is damaged: its decoder gave up")
		}
	}()
	return decode()
}
