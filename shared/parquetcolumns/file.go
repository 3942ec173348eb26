package parquetcolumns

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// Kind is what the values of a column are.
type Kind uint8

const (
	// Other is a column that is not read: nested, repeated, or of another type.
	Other Kind = iota
	// Bytes are text or binary.
	Bytes
	// Whole are 32 or 64 bits, signed.
	Whole
	// Instant is a timestamp, given in Unix milliseconds.
	Instant
	// Truth is a boolean.
	Truth
	// Nothing is a column without a value, written by who did not know its
	// type: pandas and Arrow, of a column that is empty.
	Nothing
)

// Source is where a file lies.
type Source interface {
	io.ReaderAt
	Size() int64
}

// File is an opened Parquet file. Scans of it may go on side by side.
type File struct {
	source   Source
	file     *parquet.File
	columns  []*parquet.Column
	kinds    []Kind
	verified bool
	library  bool // tests: every page is read by the library
}

// OpenVerified is Open for a file whose digest agreed with one that was stated:
// the checksums of its pages have nothing to add.
func OpenVerified(source Source) (*File, error) {
	f, err := Open(source)
	if err == nil {
		f.verified = true
	}
	return f, err
}

// Open reads the footer, which is trusted for names and types.
func Open(source Source) (*File, error) {
	f := &File{source: source}
	err := guarded(func() (err error) {
		if err := checkFooter(source); err != nil {
			return err
		}
		f.file, err = parquet.OpenFile(source, source.Size(),
			parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
		if err == nil {
			f.columns = f.file.Root().Columns()
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("its footer: %w", err)
	}
	for _, c := range f.columns {
		f.kinds = append(f.kinds, kindOf(c))
	}
	return f, nil
}

// Rows is how many rows the footer states.
func (f *File) Rows() int64 { return f.file.NumRows() }

// Names of all columns.
func (f *File) Names() []string {
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i] = c.Name()
	}
	return names
}

// Kind is what the column at an index of Names holds.
func (f *File) Kind(column int) Kind { return f.kinds[column] }

// kindOf is Other too for a column whose footer contradicts itself, such as a
// list of nothing: the library panics when it is asked for its type.
func kindOf(c *parquet.Column) (kind Kind) {
	_ = guarded(func() error {
		kind = kindOfType(c)
		return nil
	})
	return kind
}

func kindOfType(c *parquet.Column) Kind {
	if !c.Leaf() || c.Repeated() {
		return Other
	}
	if l := c.Type().LogicalType(); l != nil {
		if _, ok := l.Value.(*format.NullType); ok {
			return Nothing
		}
	}
	switch c.Type().Kind() {
	case parquet.ByteArray:
		return Bytes
	case parquet.Int96:
		return Instant
	case parquet.Int64:
		if unitsPerMilli(c.Type()) > 0 {
			return Instant
		}
		return Whole
	case parquet.Int32:
		return Whole
	case parquet.Boolean:
		return Truth
	}
	return Other
}

// unitsPerMilli returns how many units of a timestamp a millisecond has, 0 if
// it is none.
func unitsPerMilli(t parquet.Type) int64 {
	if l := t.LogicalType(); l != nil {
		if stamp, ok := l.Value.(*format.TimestampType); ok {
			switch stamp.Unit.Value.(type) {
			case *format.MilliSeconds:
				return 1
			case *format.MicroSeconds:
				return 1_000
			case *format.NanoSeconds:
				return 1_000_000
			}
		}
	}
	if c := t.ConvertedType(); c != nil {
		switch *c {
		case deprecated.TimestampMillis:
			return 1
		case deprecated.TimestampMicros:
			return 1_000
		}
	}
	return 0
}

// guarded turns a panic of the decoder into an error.
func guarded(decode func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the file is damaged: its decoder gave up")
		}
	}()
	return decode()
}
