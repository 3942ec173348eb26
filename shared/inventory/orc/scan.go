package orc

import (
	"context"
	"fmt"
	"iter"
)

// Batch is some rows of a file. It is the reader's and holds until the next
// one.
type Batch struct {
	Rows int
	// Columns are in the order in which they were asked for.
	Columns []Values
}

// Values are a column's values in a batch. Only the slice of the column's kind
// is there, with an element for every row of the batch; where a value is null
// the element is zero.
type Values struct {
	Null []bool // nil where no value can be null
	// Bytes hold as long as the batch. Those of a char column come without the
	// spaces that it is padded with.
	Bytes [][]byte
	Longs []int64
	Bools []bool
	// Times are in Unix milliseconds, rounded down. A timestamp without zone is
	// what a clock showed: it is taken as UTC, which is what S3 means by it and
	// what other readers show in UTC, wherever the writer was.
	Times []int64
}

// Scan yields the asked-for columns of all rows in order. After an error
// nothing more comes, and what came before it is not the file. It reads
// nothing of other columns.
func (f *File) Scan(ctx context.Context, columns []string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		s := scan{file: f}
		if err := s.begin(columns); err != nil {
			yield(nil, err)
			return
		}
		defer s.codec.close()
		for i := range f.stripes {
			more, err := s.stripe(ctx, i, yield)
			if err != nil {
				yield(nil, fmt.Errorf("stripe %d: %w", i, err))
				return
			}
			if !more {
				return
			}
		}
	}
}

type scan struct {
	file    *File
	codec   *codec
	columns []column
	batch   Batch
}

func (s *scan) begin(names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("scan of no columns")
	}
	for _, name := range names {
		c, err := s.file.find(name)
		if err != nil {
			return err
		}
		s.columns = append(s.columns, c)
	}
	s.batch.Columns = make([]Values, len(names))
	var err error
	s.codec, err = newCodec(s.file.kind, s.file.block)
	return err
}

func (f *File) find(name string) (column, error) {
	var found *column
	for i := range f.columns {
		if f.columns[i].name != name {
			continue
		}
		if found != nil {
			return column{}, corrupt("two columns named %q", name)
		}
		found = &f.columns[i]
	}
	if found == nil {
		return column{}, fmt.Errorf("no column %q", name)
	}
	if found.public() == Other {
		return column{}, unsupported("column %q has type number %d", name, found.kind)
	}
	return *found, nil
}

// stripe yields the batches of one stripe. It returns false when the caller
// wants no more.
func (s *scan) stripe(ctx context.Context, i int, yield func(*Batch, error) bool) (bool, error) {
	readers, err := s.open(s.file.stripes[i])
	if err != nil {
		return false, err
	}
	for left := s.file.stripes[i].rows; left > 0; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n := int(min(left, batchRows))
		for c, r := range readers {
			if err := r.next(&s.batch.Columns[c], n); err != nil {
				return false, fmt.Errorf("column %q: %w", s.columns[c].name, err)
			}
		}
		left -= uint64(n)
		// Whether the last batch was the stripe's last is known before it is
		// given away.
		if left == 0 {
			if err := s.finished(readers); err != nil {
				return false, err
			}
		}
		s.batch.Rows = n
		if !yield(&s.batch, nil) {
			return false, nil
		}
	}
	return true, nil
}

// finished finds streams with more in them than the rows need: a damaged
// PRESENT stream shifts all values after it, and this is where it shows.
func (s *scan) finished(readers []*columnReader) error {
	for c, r := range readers {
		if err := r.finished(); err != nil {
			return fmt.Errorf("column %q: %w", s.columns[c].name, err)
		}
	}
	return nil
}
