package parquetcolumns

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
