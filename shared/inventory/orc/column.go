package orc

// columnReader reads a column of one stripe: which values there are, and those.
type columnReader struct {
	present *bits // nil: none is null
	values  values
}

// values are the values of a column that are not null.
type values interface {
	// read decodes the next m values to the front of v, which gets room for n.
	read(v *Values, m, n int) error
	// finished is an error when there are more.
	finished() error
}

// next decodes n rows.
func (c *columnReader) next(v *Values, n int) error {
	if c.present == nil {
		v.Null = nil
		return c.values.read(v, n, n)
	}
	v.Null = sized(v.Null, n)
	m, err := c.present.next(v.Null)
	if err != nil {
		return err
	}
	for i := range v.Null {
		v.Null[i] = !v.Null[i]
	}
	if err := c.values.read(v, m, n); err != nil {
		return err
	}
	spread(v.Bytes, v.Null, m)
	spread(v.Longs, v.Null, m)
	spread(v.Bools, v.Null, m)
	spread(v.Times, v.Null, m)
	return nil
}

func (c *columnReader) finished() error {
	if c.present != nil {
		if err := c.present.finished(); err != nil {
			return err
		}
	}
	return c.values.finished()
}

// sized returns a slice of n elements of any content, in s if it is large
// enough. No batch has more than batchRows rows, so n is no claim of a file.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, batchRows)
	}
	return s[:n]
}

// spread moves the m values at the front of s to the rows that are not null.
func spread[T any](s []T, null []bool, m int) {
	if s == nil || m == len(s) {
		return
	}
	var zero T
	for i := len(s) - 1; i >= 0; i-- {
		if null[i] {
			s[i] = zero
			continue
		}
		m--
		s[i] = s[m]
	}
}

type longs struct{ ints *ints }

func (r *longs) read(v *Values, m, n int) error {
	v.Longs = sized(v.Longs, n)
	return r.ints.next(v.Longs[:m])
}

func (r *longs) finished() error { return r.ints.finished() }

// tinies are the one type of whole numbers that is stored in bytes.
type tinies struct{ bytes byteRuns }

func (r *tinies) read(v *Values, m, n int) error {
	v.Longs = sized(v.Longs, n)
	for i := range m {
		b, err := r.bytes.next()
		if err != nil {
			return err
		}
		v.Longs[i] = int64(int8(b))
	}
	return nil
}

func (r *tinies) finished() error { return r.bytes.finished() }

type bools struct{ bits bits }

func (r *bools) read(v *Values, m, n int) error {
	v.Bools = sized(v.Bools, n)
	_, err := r.bits.next(v.Bools[:m])
	return err
}

func (r *bools) finished() error { return r.bits.finished() }
