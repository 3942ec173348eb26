package orc

import "bytes"

// texts are strings that stand one after the other, with their lengths.
type texts struct {
	data    *stream
	lengths *ints
	char    bool
	sizes   []int64
	blob    []byte
}

func (r *texts) read(v *Values, m, n int) error {
	v.Bytes = sized(v.Bytes, n)
	r.sizes = sized(r.sizes, n)
	if err := r.lengths.next(r.sizes[:m]); err != nil {
		return err
	}
	total, err := sum(r.sizes[:m], maxBatchBytes)
	if err != nil {
		return err
	}
	if r.blob, err = r.data.appendTo(r.blob[:0], total); err != nil {
		return err
	}
	at := int64(0)
	for i, size := range r.sizes[:m] {
		v.Bytes[i] = cut(r.blob, at, at+size, r.char)
		at += size
	}
	return nil
}

func (r *texts) finished() error {
	if err := r.lengths.finished(); err != nil {
		return err
	}
	return r.data.finished()
}

// cut is a value of a blob, which cannot grow into the next one.
func cut(blob []byte, from, to int64, char bool) []byte {
	b := blob[from:to:to]
	if char {
		return bytes.TrimRight(b, " ")
	}
	return b
}

// sum adds lengths up that were not checked yet.
func sum(sizes []int64, limit int64) (int64, error) {
	total := int64(0)
	for _, n := range sizes {
		if n < 0 || n > limit-total {
			return 0, corrupt("strings of more than %d bytes", limit)
		}
		total += n
	}
	return total, nil
}

// words are strings that refer to the stripe's dictionary.
type words struct {
	refs    *ints
	offsets []int64
	blob    []byte
	char    bool
	picks   []int64
}

// words reads the dictionary of a stripe. It grows with what is read, whatever
// the footer says of its size.
func (p stripePart) words() (*words, error) {
	size := p.encoding.dictionary
	if size > p.rows {
		return nil, corrupt("a dictionary has %d words for %d rows", size, p.rows)
	}
	if size > maxDictionary/8 {
		return nil, corrupt("a dictionary is larger than %d bytes", maxDictionary)
	}
	w := &words{refs: p.ints(streamData, false), offsets: []int64{0}, char: p.column.kind == typeChar}
	lengths := p.ints(streamLength, false)
	total := int64(0)
	for left := size; left > 0; {
		w.picks = sized(w.picks, int(min(left, batchRows)))
		if err := lengths.next(w.picks); err != nil {
			return nil, err
		}
		for _, n := range w.picks {
			if n < 0 || n > maxDictionary-int64(size)*8-total {
				return nil, corrupt("a dictionary is larger than %d bytes", maxDictionary)
			}
			total += n
			w.offsets = append(w.offsets, total)
		}
		left -= uint64(len(w.picks))
	}
	if err := lengths.finished(); err != nil {
		return nil, err
	}
	blob := p.stream(streamDictionary)
	var err error
	if w.blob, err = blob.appendTo(nil, total); err != nil {
		return nil, err
	}
	return w, blob.finished()
}

func (r *words) read(v *Values, m, n int) error {
	v.Bytes = sized(v.Bytes, n)
	r.picks = sized(r.picks, n)
	if err := r.refs.next(r.picks[:m]); err != nil {
		return err
	}
	for i, w := range r.picks[:m] {
		if w < 0 || w >= int64(len(r.offsets)-1) {
			return corrupt("a reference past the dictionary of %d words", len(r.offsets)-1)
		}
		v.Bytes[i] = cut(r.blob, r.offsets[w], r.offsets[w+1], r.char)
	}
	return nil
}

func (r *words) finished() error { return r.refs.finished() }
