package inventory

// parquetGroup reads the needed columns of a row group side by side.
type parquetGroup struct {
	columns []*parquetColumn
	left    int64
	version bool // the file has a column of versions
}

func (p *parquetFile) openGroup(index int) (*parquetGroup, error) {
	g := &parquetGroup{version: p.places.has(versionColumn)}
	err := guarded(func() error {
		group := p.file.RowGroups()[index]
		g.left = group.NumRows()
		chunks := group.ColumnChunks()
		for c, place := range p.places {
			if place < 0 {
				continue
			}
			leaf := p.leaves[c]
			col, err := newParquetColumn(column(c), leaf, chunks[leaf.Index()].Pages())
			if err != nil {
				return err
			}
			g.columns = append(g.columns, col)
		}
		return nil
	})
	if err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *parquetGroup) close() {
	for _, c := range g.columns {
		c.close()
	}
}

// read decodes up to len(rows) rows, as many as every column has in its page.
func (g *parquetGroup) read(rows []Row, number int64) (n int, err error) {
	err = guarded(func() error {
		most := min(int64(len(rows)), g.left)
		for _, c := range g.columns {
			have, err := c.ready()
			if err != nil {
				return err
			}
			most = min(most, have)
		}
		rows = startRows(rows, int(most), number, g.version)
		for _, c := range g.columns {
			if err := c.fill(rows); err != nil {
				return err
			}
		}
		return checkKeys(rows)
	})
	if err != nil {
		return 0, err
	}
	g.left -= int64(len(rows))
	return len(rows), nil
}
