package orc

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// The messages of orc_proto.proto, reduced to the fields that are needed here.

type postscript struct {
	footerLength   uint64
	compression    uint64
	block          uint64
	version        []uint64
	metadataLength uint64
	magic          string
}

type footer struct {
	stripes   []stripeInfo
	types     []typeInfo
	rows      uint64
	encrypted bool
}

type stripeInfo struct {
	offset, index, data, footer, rows uint64
}

type typeInfo struct {
	kind     uint64
	children []uint64
	names    []string
}

type stripeFooter struct {
	streams   []streamInfo
	encodings []encoding
	zone      string
	encrypted bool
}

type streamInfo struct {
	kind, column, length uint64
}

type encoding struct {
	kind, dictionary uint64
}

// field is one field of a message: number is set for varints, bytes for what
// has a length. Other wire types have neither.
type field struct {
	id     protowire.Number
	wire   protowire.Type
	number uint64
	bytes  []byte
}

// fields calls f for every field of a message, in order.
func fields(b []byte, f func(field) error) error {
	for len(b) > 0 {
		id, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return corrupt("bad field in a footer")
		}
		b = b[n:]
		one := field{id: id, wire: wire}
		switch wire {
		case protowire.VarintType:
			one.number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			one.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(id, wire, b)
		}
		if n < 0 {
			return corrupt("bad field in a footer")
		}
		b = b[n:]
		if err := f(one); err != nil {
			return err
		}
	}
	return nil
}

// repeated appends a repeated number's field, packed or not.
func repeated(to []uint64, f field) ([]uint64, error) {
	if f.wire == protowire.VarintType {
		return append(to, f.number), nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 || len(to) > maxList {
			return nil, corrupt("bad list in a footer")
		}
		to, b = append(to, v), b[n:]
	}
	return to, nil
}

// full is an error where a list has become too long: a byte or two of a footer
// make an element of dozens.
func full(n int, err error) error {
	if err == nil && n > maxList {
		return corrupt("a footer lists more than %d of a thing", maxList)
	}
	return err
}

func parsePostscript(b []byte) (p postscript, err error) {
	err = fields(b, func(f field) (err error) {
		switch f.id {
		case 1:
			p.footerLength = f.number
		case 2:
			p.compression = f.number
		case 3:
			p.block = f.number
		case 4:
			p.version, err = repeated(p.version, f)
		case 5:
			p.metadataLength = f.number
		case 8000:
			p.magic = string(f.bytes)
		}
		return err
	})
	return p, err
}

func parseFooter(b []byte) (t footer, err error) {
	err = fields(b, func(f field) error {
		switch f.id {
		case 3:
			s, err := parseStripeInfo(f.bytes)
			t.stripes = append(t.stripes, s)
			return full(len(t.stripes), err)
		case 4:
			// Only the root's columns are needed, of the others their kind.
			y, err := parseType(f.bytes, len(t.types) == 0)
			t.types = append(t.types, y)
			return full(len(t.types), err)
		case 6:
			t.rows = f.number
		case 10:
			t.encrypted = true
		}
		return nil
	})
	return t, err
}

func parseStripeInfo(b []byte) (s stripeInfo, err error) {
	err = fields(b, func(f field) error {
		switch f.id {
		case 1:
			s.offset = f.number
		case 2:
			s.index = f.number
		case 3:
			s.data = f.number
		case 4:
			s.footer = f.number
		case 5:
			s.rows = f.number
		}
		return nil
	})
	return s, err
}

func parseType(b []byte, root bool) (t typeInfo, err error) {
	err = fields(b, func(f field) (err error) {
		switch {
		case f.id == 1:
			t.kind = f.number
		case f.id == 2 && root:
			t.children, err = repeated(t.children, f)
			err = full(len(t.children), err)
		case f.id == 3 && root:
			t.names = append(t.names, string(f.bytes))
			err = full(len(t.names), err)
		}
		return err
	})
	return t, err
}

func parseStripeFooter(b []byte) (t stripeFooter, err error) {
	err = fields(b, func(f field) error {
		switch f.id {
		case 1:
			s, err := parseStream(f.bytes)
			t.streams = append(t.streams, s)
			return full(len(t.streams), err)
		case 2:
			e, err := parseEncoding(f.bytes)
			t.encodings = append(t.encodings, e)
			return full(len(t.encodings), err)
		case 3:
			t.zone = string(f.bytes)
		case 4:
			t.encrypted = true
		}
		return nil
	})
	return t, err
}

func parseStream(b []byte) (s streamInfo, err error) {
	err = fields(b, func(f field) error {
		switch f.id {
		case 1:
			s.kind = f.number
		case 2:
			s.column = f.number
		case 3:
			s.length = f.number
		}
		return nil
	})
	return s, err
}

func parseEncoding(b []byte) (e encoding, err error) {
	err = fields(b, func(f field) error {
		switch f.id {
		case 1:
			e.kind = f.number
		case 2:
			e.dictionary = f.number
		}
		return nil
	})
	return e, err
}
