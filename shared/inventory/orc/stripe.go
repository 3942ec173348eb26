package orc

import "fmt"

// The kinds of streams, as a stripe's footer numbers them.
const (
	streamPresent    = 0
	streamData       = 1
	streamLength     = 2
	streamDictionary = 3
	streamSecondary  = 5
)

// The encodings of columns.
const (
	encodingDirect       = 0
	encodingDictionary   = 1
	encodingDirectV2     = 2
	encodingDictionaryV2 = 3
)

// open reads a stripe's footer and returns a reader of each wanted column.
func (s *scan) open(info stripeInfo) ([]*columnReader, error) {
	foot := int64(info.offset + info.index + info.data)
	all := &stream{r: s.file.r, off: foot, end: foot + int64(info.footer), codec: s.codec}
	b, err := all.readAll(maxFooter)
	if err != nil {
		return nil, err
	}
	t, err := parseStripeFooter(b)
	if err != nil {
		return nil, err
	}
	if t.encrypted {
		return nil, unsupported("it is encrypted")
	}
	places, err := t.places(info)
	if err != nil {
		return nil, err
	}
	if _, ok := places[streamKey{0, streamPresent}]; ok {
		return nil, unsupported("whole rows are null")
	}
	readers := make([]*columnReader, len(s.columns))
	for i, c := range s.columns {
		if c.id >= uint64(len(t.encodings)) {
			return nil, corrupt("column %q has no encoding", c.name)
		}
		part := stripePart{scan: s, column: c, encoding: t.encodings[c.id], places: places, rows: info.rows, zone: t.zone}
		if readers[i], err = part.reader(); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.name, err)
		}
	}
	return readers, nil
}

type streamKey struct{ column, kind uint64 }

type place struct{ off, end int64 }

// places finds where every stream lies: one after the other from the stripe's
// start, indexes first, in the footer's order.
func (t stripeFooter) places(info stripeInfo) (map[streamKey]place, error) {
	at, end := info.offset, info.offset+info.index+info.data
	all := make(map[streamKey]place, len(t.streams))
	for _, s := range t.streams {
		if s.length > end-at {
			return nil, corrupt("a stream reaches past the stripe")
		}
		key := streamKey{s.column, s.kind}
		if _, twice := all[key]; twice {
			return nil, corrupt("a column has two streams of kind %d", s.kind)
		}
		all[key] = place{int64(at), int64(at + s.length)}
		at += s.length
	}
	return all, nil
}

// stripePart is one column in one stripe.
type stripePart struct {
	scan     *scan
	column   column
	encoding encoding
	places   map[streamKey]place
	rows     uint64
	zone     string
}

// stream is the column's stream of a kind. One that is not there is empty.
func (p stripePart) stream(kind uint64) *stream {
	at := p.places[streamKey{p.column.id, kind}]
	return &stream{r: p.scan.file.r, off: at.off, end: at.end, codec: p.scan.codec}
}

func (p stripePart) ints(kind uint64, signed bool) *ints {
	v2 := p.encoding.kind == encodingDirectV2 || p.encoding.kind == encodingDictionaryV2
	return &ints{s: p.stream(kind), signed: signed, v2: v2}
}

func (p stripePart) reader() (*columnReader, error) {
	r := &columnReader{}
	if _, ok := p.places[streamKey{p.column.id, streamPresent}]; ok {
		r.present = &bits{bytes: byteRuns{s: p.stream(streamPresent)}}
	}
	var err error
	r.values, err = p.values()
	return r, err
}

func (p stripePart) values() (values, error) {
	e := p.encoding.kind
	dictionary := e == encodingDictionary || e == encodingDictionaryV2
	kind := p.column.public()
	switch {
	case e > encodingDictionaryV2, dictionary && kind != Bytes:
		return nil, unsupported("encoding %d of type %d", e, p.column.kind)
	case p.column.kind == typeByte:
		return &tinies{bytes: byteRuns{s: p.stream(streamData)}}, nil
	case kind == Bool:
		return &bools{bits: bits{bytes: byteRuns{s: p.stream(streamData)}}}, nil
	case kind == Long:
		return &longs{ints: p.ints(streamData, true)}, nil
	case kind == Time:
		return p.times()
	case dictionary:
		return p.words()
	}
	return &texts{data: p.stream(streamData), lengths: p.ints(streamLength, false), char: p.column.kind == typeChar}, nil
}
