package orc

import (
	"io"
	"math"
)

// Kind is what a column's values come as.
type Kind uint8

// The kinds of columns. Other cannot be asked for.
const (
	Other Kind = iota
	Bool
	Long  // tinyint, smallint, int, bigint
	Bytes // string, varchar, char, binary
	Time  // timestamp, timestamp with local time zone
)

// Column is one column of a file.
type Column struct {
	Name string
	Kind Kind
}

// File is an ORC file whose footer was read. It may be scanned by several
// goroutines at once.
type File struct {
	r       io.ReaderAt
	kind    uint64 // of compression
	block   uint64
	stripes []stripeInfo
	columns []column
	rows    int64
}

// column is a column of the root; id numbers it among all types of the file.
type column struct {
	name string
	id   uint64
	kind uint64
}

// The types that columns have, as the footer numbers them.
const (
	typeBoolean   = 0
	typeByte      = 1
	typeShort     = 2
	typeInt       = 3
	typeLong      = 4
	typeString    = 7
	typeBinary    = 8
	typeTimestamp = 9
	typeStruct    = 12
	typeVarchar   = 16
	typeChar      = 17
	typeInstant   = 18
)

func (c column) public() Kind {
	switch c.kind {
	case typeBoolean:
		return Bool
	case typeByte, typeShort, typeInt, typeLong:
		return Long
	case typeString, typeBinary, typeVarchar, typeChar:
		return Bytes
	case typeTimestamp, typeInstant:
		return Time
	}
	return Other
}

// Columns are the file's columns in its order.
func (f *File) Columns() []Column {
	all := make([]Column, len(f.columns))
	for i, c := range f.columns {
		all[i] = Column{Name: c.name, Kind: c.public()}
	}
	return all
}

// Rows is how many rows the file has, by its footer. Scan yields exactly as
// many, or an error.
func (f *File) Rows() int64 { return f.rows }

// Open reads the footer of a file of size bytes. The reader is kept for Scan.
func Open(r io.ReaderAt, size int64) (*File, error) {
	p, start, err := readPostscript(r, size)
	if err != nil {
		return nil, err
	}
	if err := p.check(r, start); err != nil {
		return nil, err
	}
	c, err := newCodec(p.compression, p.block)
	if err != nil {
		return nil, err
	}
	defer c.close()
	from := start - int64(p.footerLength)
	s := &stream{r: r, off: from, end: start, codec: c}
	b, err := s.readAll(maxFooter)
	if err != nil {
		return nil, err
	}
	t, err := parseFooter(b)
	if err != nil {
		return nil, err
	}
	f := &File{r: r, kind: p.compression, block: p.block}
	if err := f.take(t, from-int64(p.metadataLength)); err != nil {
		return nil, err
	}
	return f, nil
}

// readPostscript also returns where the postscript starts. Its length is the
// file's last byte.
func readPostscript(r io.ReaderAt, size int64) (postscript, int64, error) {
	var last [1]byte
	if size < 2 {
		return postscript{}, 0, corrupt("%d bytes are no file", size)
	}
	if err := readAt(r, last[:], size-1); err != nil {
		return postscript{}, 0, err
	}
	start := size - 1 - int64(last[0])
	if start < 0 {
		return postscript{}, 0, corrupt("the postscript is longer than the file")
	}
	b := make([]byte, last[0])
	if err := readAt(r, b, start); err != nil {
		return postscript{}, 0, err
	}
	p, err := parsePostscript(b)
	return p, start, err
}

// check looks at everything the postscript says. The oldest writers put the
// magic at the file's head only.
func (p postscript) check(r io.ReaderAt, start int64) error {
	if p.magic == "" {
		var head [3]byte
		if err := readAt(r, head[:], 0); err != nil {
			return err
		}
		p.magic = string(head[:])
	}
	if p.magic != "ORC" {
		return corrupt("it has no magic")
	}
	if len(p.version) > 0 && p.version[0] != 0 {
		return unsupported("its version begins with %d, expected 0.11 or 0.12", p.version[0])
	}
	if p.footerLength > uint64(start) || p.metadataLength > uint64(start)-p.footerLength {
		return corrupt("the footer is longer than the file")
	}
	return nil
}

// take checks a footer and keeps what is needed of it. The stripes lie before
// end.
func (f *File) take(t footer, end int64) error {
	if t.encrypted {
		return unsupported("it is encrypted")
	}
	if err := f.takeColumns(t.types); err != nil {
		return err
	}
	f.stripes = t.stripes
	at, rows := uint64(0), uint64(0)
	for i, s := range f.stripes {
		if s.offset < at {
			return corrupt("stripe %d overlaps the one before", i)
		}
		at = s.offset
		for _, n := range []uint64{s.index, s.data, s.footer} {
			if at > uint64(end) || n > uint64(end)-at {
				return corrupt("stripe %d reaches past the file's body", i)
			}
			at += n
		}
		if s.rows > math.MaxInt64-rows {
			return corrupt("stripe %d has %d rows", i, s.rows)
		}
		rows += s.rows
	}
	if rows != t.rows {
		return corrupt("its stripes have %d rows, its footer says %d", rows, t.rows)
	}
	f.rows = int64(rows)
	return nil
}

// takeColumns lists the columns below the root, whose types may be anything.
func (f *File) takeColumns(types []typeInfo) error {
	if len(types) == 0 {
		return corrupt("it has no schema")
	}
	root := types[0]
	if root.kind != typeStruct {
		return unsupported("its rows are no structs")
	}
	if len(root.names) != len(root.children) {
		return corrupt("%d columns have %d names", len(root.children), len(root.names))
	}
	last := uint64(0)
	for i, id := range root.children {
		if id <= last || id >= uint64(len(types)) {
			return corrupt("column %d has a wrong number", i)
		}
		last = id
		f.columns = append(f.columns, column{name: root.names[i], id: id, kind: types[id].kind})
	}
	return nil
}
