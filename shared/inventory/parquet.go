package inventory

import (
	"context"
	"fmt"
	"iter"

	"github.com/strandline-dev/strandline/shared/celltext"
	"github.com/strandline-dev/strandline/shared/parquetcolumns"
)

// scanParquet yields the rows of a Parquet file, its footer trusted for names
// and types. Only the needed columns are read.
func scanParquet(ctx context.Context, file File, withoutETag bool) iter.Seq2[[]Row, error] {
	return func(yield func([]Row, error) bool) {
		p, err := openParquet(file, withoutETag)
		if err != nil {
			yield(nil, err)
			return
		}
		p.yieldAll(ctx, p.file.Scan(p.indexes...), yield)
	}
}

// lookupParquet yields the rows with the numbers, which ascend. Of each column
// only the pages that hold one of them are read.
func lookupParquet(ctx context.Context, file File, numbers []int64, withoutETag bool) iter.Seq2[[]Row, error] {
	return func(yield func([]Row, error) bool) {
		p, err := openParquet(file, withoutETag)
		if err != nil {
			yield(nil, err)
			return
		}
		scan, err := p.file.Lookup(numbers, p.indexes...)
		if err != nil {
			yield(nil, err)
			return
		}
		p.yieldAll(ctx, scan, yield)
	}
}

type parquetFile struct {
	file    *parquetcolumns.File
	columns []column // those that are needed and there,
	indexes []int    // and where in the file
	version bool     // it has a column of versions
	rows    []Row
}

func openParquet(file File, withoutETag bool) (p *parquetFile, err error) {
	p = &parquetFile{}
	if p.file, err = parquetcolumns.OpenVerified(file); err != nil {
		return nil, err
	}
	at, err := placesOf(p.file.Names())
	if err != nil {
		return nil, fmt.Errorf("its footer: %w", err)
	}
	p.version = at.has(versionColumn)
	for c, index := range at {
		if index < 0 || withoutETag && column(c) == etagColumn {
			continue
		}
		if !suits(column(c), p.file.Kind(index)) {
			return nil, fmt.Errorf("its footer: column %s is of a type that it cannot have", p.file.Names()[index])
		}
		p.columns = append(p.columns, column(c))
		p.indexes = append(p.indexes, index)
	}
	return p, nil
}

func suits(c column, kind parquetcolumns.Kind) bool {
	switch c {
	case sizeColumn:
		return kind == parquetcolumns.Bytes || kind == parquetcolumns.Whole
	case modifiedColumn:
		return kind == parquetcolumns.Bytes || kind == parquetcolumns.Instant
	case latestColumn, markerColumn:
		return kind == parquetcolumns.Bytes || kind == parquetcolumns.Truth
	}
	return kind == parquetcolumns.Bytes
}

func (p *parquetFile) yieldAll(ctx context.Context, scan *parquetcolumns.Scan, yield func([]Row, error) bool) {
	defer scan.Close()
	for {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		values, number, n, err := scan.Next()
		if err == nil {
			p.rows = startRows(p.rows, n, number, p.version)
			err = p.fill(values)
		}
		if err != nil {
			yield(nil, fmt.Errorf("after row %s: %w", celltext.Place(number), err))
			return
		}
		if n == 0 || !yield(p.rows, nil) {
			return
		}
	}
}

// fill sets what the columns say of every row.
func (p *parquetFile) fill(values []parquetcolumns.Values) error {
	for i, c := range p.columns {
		if err := fillColumn(p.rows, c, &values[i]); err != nil {
			return err
		}
	}
	return checkKeys(p.rows)
}

func fillColumn(rows []Row, c column, v *parquetcolumns.Values) error {
	switch {
	case v.Kind == parquetcolumns.Bytes:
		return fillText(rows, c, v.Bytes)
	case c == sizeColumn:
		return fillSizes(rows, v.Numbers)
	case c == modifiedColumn:
		for i := range rows {
			rows[i].LastModified = v.Numbers[i] // none is NoTime
		}
	case c == latestColumn:
		for i := range rows {
			rows[i].Latest = answer(v.Truths[i])
		}
	case c == markerColumn:
		for i := range rows {
			rows[i].Marker = answer(v.Truths[i])
		}
	}
	return nil
}

// fillText is setText for a column. Every row has a bucket and a key, and most
// have a version: those are set without asking again what they are.
func fillText(rows []Row, c column, texts [][]byte) error {
	texts = texts[:len(rows)]
	switch c {
	case bucketColumn:
		for i, text := range texts {
			rows[i].Bucket = text
		}
		return nil
	case keyColumn:
		for i, text := range texts {
			rows[i].Key = text
		}
		return nil
	case versionColumn:
		for i, text := range texts {
			rows[i].VersionID = versionOf(text)
		}
		return nil
	}
	for i, text := range texts {
		if text == nil {
			continue
		}
		if err := setText(&rows[i], c, text); err != nil {
			return err
		}
	}
	return nil
}

func fillSizes(rows []Row, sizes []int64) error {
	for i := range rows {
		switch {
		case sizes[i] == parquetcolumns.None:
		case sizes[i] < 0:
			return errNegative
		default:
			rows[i].Size = sizes[i]
		}
	}
	return nil
}

func answer(truth int8) Answer {
	switch truth {
	case 1:
		return Yes
	case 0:
		return No
	}
	return Unknown
}
