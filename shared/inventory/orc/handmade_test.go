package orc

import (
	"bytes"
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// handmade is a file that is put together by hand, to be wrong in one place:
// struct<key:string,n:bigint,at:timestamp>, three rows in one stripe.
type handmade struct {
	compression, block uint64
	version            []uint64
	magic              string
	head               string
	types              []typeInfo
	streams            []handmadeStream
	encodings          []encoding
	zone               string
	rows               uint64 // by the footer
	stripeRows         uint64 // by the stripe
	repeat             int    // how often the stripe is listed
	shift              uint64 // added to the stripe's offset
	footer             []byte // more fields of the footer
	stripe             []byte // more fields of the stripe's footer
	tail               func(*postscript)
	wrap               func([]byte) []byte // makes chunks
}

type handmadeStream struct {
	streamInfo
	bytes []byte
}

func sound() *handmade {
	return &handmade{
		version: []uint64{0, 12}, magic: "ORC", head: "ORC", repeat: 1, rows: 3, stripeRows: 3,
		types: []typeInfo{
			{kind: typeStruct, children: []uint64{1, 2, 3}, names: []string{"key", "n", "at"}},
			{kind: typeString}, {kind: typeLong}, {kind: typeTimestamp},
		},
		streams: []handmadeStream{
			handmadeOf(1, streamData, "aabbbc"),
			handmadeOf(1, streamLength, "\x46\x02\x23\x10"), // 4 bits: 2, 3, 1
			handmadeOf(2, streamData, "\xc0\x02\x0e\x02"),   // 7, 8, 9
			handmadeOf(3, streamData, "\x00\x00"),           // 2015-01-01
			handmadeOf(3, streamSecondary, "\x00\x00"),
		},
		encodings: []encoding{{}, {kind: encodingDirectV2}, {kind: encodingDirectV2}, {kind: encodingDirectV2}},
	}
}

func handmadeOf(column, kind uint64, data string) handmadeStream {
	return handmadeStream{streamInfo{kind: kind, column: column, length: uint64(len(data))}, []byte(data)}
}

// asStored puts bytes into one chunk that says it is not compressed.
func asStored(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return append(chunkHead(len(b), true), b...)
}

func chunkHead(n int, original bool) []byte {
	h := uint32(n) << 1
	if original {
		h |= 1
	}
	return binary.LittleEndian.AppendUint32(nil, h)[:3]
}

func (h *handmade) bytes() []byte {
	wrap := h.wrap
	if wrap == nil {
		wrap = func(b []byte) []byte { return b }
	}
	b := []byte(h.head)
	var infos []byte
	for _, s := range h.streams {
		b = append(b, s.bytes...)
		infos = message(infos, 1, numbered(1, s.kind), numbered(2, s.column), numbered(3, s.length))
	}
	for _, e := range h.encodings {
		infos = message(infos, 2, numbered(1, e.kind), numbered(2, e.dictionary))
	}
	if h.zone != "" {
		infos = message(infos, 3, []byte(h.zone))
	}
	data := uint64(len(b) - len(h.head))
	stripeFooter := wrap(append(infos, h.stripe...))
	b = append(b, stripeFooter...)
	footer := wrap(h.fileFooter(data, uint64(len(stripeFooter))))
	b = append(b, footer...)
	p := postscript{footerLength: uint64(len(footer)), compression: h.compression, block: h.block}
	if h.tail != nil {
		h.tail(&p)
	}
	last := bytes.Join([][]byte{numbered(1, p.footerLength), numbered(2, p.compression), numbered(3, p.block), numbered(5, p.metadataLength)}, nil)
	for _, v := range h.version {
		last = append(last, numbered(4, v)...)
	}
	if h.magic != "" {
		last = message(last, 8000, []byte(h.magic))
	}
	return append(append(b, last...), byte(len(last)))
}

func (h *handmade) fileFooter(data, footer uint64) []byte {
	var b []byte
	for range h.repeat {
		b = message(b, 3, numbered(1, uint64(len(h.head))+h.shift), numbered(2, 0), numbered(3, data), numbered(4, footer), numbered(5, h.stripeRows))
	}
	for _, t := range h.types {
		fields := [][]byte{numbered(1, t.kind)}
		for _, c := range t.children {
			fields = append(fields, numbered(2, c))
		}
		for _, n := range t.names {
			fields = append(fields, message(nil, 3, []byte(n)))
		}
		b = message(b, 4, fields...)
	}
	return append(append(b, numbered(6, h.rows)...), h.footer...)
}

func numbered(id protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, id, protowire.VarintType), v)
}

func message(b []byte, id protowire.Number, fields ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, id, protowire.BytesType), bytes.Join(fields, nil))
}
