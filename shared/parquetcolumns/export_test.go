package parquetcolumns

import "github.com/parquet-go/parquet-go"

// ByLibrary has every page read by the library.
func (f *File) ByLibrary() *File {
	f.library = true
	return f
}

// Plain counts the columns of the first row group that are read without it.
func (f *File) Plain() (n int) {
	for i := range f.columns {
		s := f.Scan(i)
		if s.group == 0 && s.enter() == nil && s.open(nil) == nil && len(s.cursors) == 1 && s.cursors[0].plain != nil {
			n++
		}
		s.Close()
	}
	return n
}

// Reach is whether a row is there when only so many bytes of a page's values
// are, and where it begins: of text, or of numbers.
func Reach(values []byte, levels []byte, numbers bool, row int) (from int, ok bool) {
	c := cursor{kind: parquet.ByteArray, values: values, levels: levels}
	if numbers {
		c.kind = parquet.Int64
	}
	ok = c.reach(row)
	return len(values) - len(c.values), ok
}
