package inventory

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"
)

// parquetGroup reads the needed columns of a row group side by side.
type parquetGroup struct {
	columns []*parquetColumn
	left    int64
	version bool // the file has a column of versions
}

// openGroup begins a row group: all of it, or only the pages with the rows
// wanted, which ascend.
func (p *parquetFile) openGroup(index int, wanted []int64) (*parquetGroup, error) {
	g := &parquetGroup{version: p.places.has(versionColumn)}
	err := guarded(func() error {
		group := p.file.RowGroups()[index]
		g.left = group.NumRows()
		if g.left < 0 {
			return errors.New("its row group states a negative number of rows")
		}
		for c, place := range p.places {
			if place < 0 {
				continue
			}
			col, err := p.openColumn(column(c), index, group, wanted)
			if err != nil {
				return fmt.Errorf("column %s: %w", p.leaves[c].Name(), err)
			}
			g.columns = append(g.columns, col)
		}
		return nil
	})
	if err != nil {
		g.close()
		return nil, fmt.Errorf("row group %d: %w", index+1, err)
	}
	return g, nil
}

func (p *parquetFile) openColumn(c column, index int, group parquet.RowGroup, wanted []int64) (*parquetColumn, error) {
	leaf := p.leaves[c]
	chunk, ok := group.ColumnChunks()[leaf.Index()].(*parquet.FileColumnChunk)
	if !ok {
		return nil, errors.New("it is not stored in the file")
	}
	pages, err := walkPages(p.bytes, &p.file.Metadata().RowGroups[index].Columns[leaf.Index()], group.NumRows())
	if err != nil {
		return nil, err
	}
	col, err := newParquetColumn(c, leaf)
	if err != nil {
		return nil, err
	}
	if wanted == nil {
		col.pages = chunk.PagesFrom(p.bytes)
		return col, nil
	}
	some := &pieces{file: p.bytes, first: pages[0].from, pages: pagesWith(pages, wanted)}
	for _, page := range some.pages {
		if page.rows > 0 {
			col.firsts = append(col.firsts, page.first)
		}
	}
	col.pages = chunk.PagesFrom(some)
	return col, nil
}

// pagesWith returns the dictionary and the pages that have a row wanted.
func pagesWith(pages []pageAt, wanted []int64) []pageAt {
	var some []pageAt
	for _, page := range pages {
		for len(wanted) > 0 && wanted[0] < page.first {
			wanted = wanted[1:]
		}
		if page.rows == 0 || len(wanted) > 0 && wanted[0] < page.first+page.rows {
			some = append(some, page)
		}
	}
	return some
}

func (g *parquetGroup) close() {
	for _, c := range g.columns {
		c.close()
	}
}

// read decodes up to len(rows) rows, as many as every column has in its page.
func (g *parquetGroup) read(rows []Row, number int64) (int, error) {
	err := guarded(func() error {
		most := min(int64(len(rows)), g.left)
		for _, c := range g.columns {
			have, err := c.ready()
			if err != nil {
				return err
			}
			most = min(most, have)
		}
		rows = startRows(rows, int(most), number, g.version)
		return g.fill(rows)
	})
	if err != nil {
		return 0, err
	}
	g.left -= int64(len(rows))
	return len(rows), nil
}

func (g *parquetGroup) fill(rows []Row) error {
	for _, c := range g.columns {
		if err := c.fill(rows); err != nil {
			return err
		}
	}
	return checkKeys(rows)
}

// readAt decodes one row of the group, which comes after those read before.
func (g *parquetGroup) readAt(at int64, rows []Row, number int64) error {
	return guarded(func() error {
		for _, c := range g.columns {
			if err := c.seek(at); err != nil {
				return err
			}
		}
		return g.fill(startRows(rows, 1, number, g.version))
	})
}
