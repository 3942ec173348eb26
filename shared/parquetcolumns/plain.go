package parquetcolumns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// plainPages reads the pages of a column of text or of 64-bit numbers as most
// writers lay them out: one value after the other, each text behind its length,
// packed with Snappy or not at all. They are most of an inventory, and nothing
// is copied or listed of a page here but the page itself. Every other layout is
// read by the library.
type plainPages struct {
	file     Source
	pages    []pageAt // to come
	packed   []byte
	unpacked []byte
	levels   []byte
	optional bool
	snappy   bool
	verified bool // the file is known to be whole
}

// plainOf returns a reader of these pages of a column of a row group, nil if
// they are laid out otherwise.
func (f *File) plainOf(leaf *parquet.Column, group int, pages []pageAt) *plainPages {
	codec := f.file.Metadata().RowGroups[group].Columns[leaf.Index()].MetaData.Codec
	kind := leaf.Type().Kind()
	if f.library || kind != parquet.ByteArray && kind != parquet.Int64 || leaf.MaxRepetitionLevel() != 0 || leaf.MaxDefinitionLevel() > 1 ||
		codec != format.Snappy && codec != format.Uncompressed {
		return nil
	}
	for _, p := range pages {
		if p.rows == 0 || p.header.encoding != int64(format.Plain) {
			return nil
		}
	}
	return &plainPages{
		file: f.source, pages: pages, optional: leaf.MaxDefinitionLevel() == 1, snappy: codec == format.Snappy, verified: f.verified,
	}
}

var errPlain = errors.New("a page ends before its values do")

// next returns the levels of the next page, nil if every row has a value, and
// the bytes of its values. They hold until the page after it.
func (p *plainPages) next() (levels, values []byte, err error) {
	page := p.pages[0]
	p.pages = p.pages[1:]
	h := page.header
	p.packed = grown(p.packed, int(h.compressed))
	if _, err := p.file.ReadAt(p.packed, page.from+h.length); err != nil {
		return nil, nil, fmt.Errorf("read a page: %w", err)
	}
	if h.checksum != 0 && !p.verified && crc32.ChecksumIEEE(p.packed) != uint32(h.checksum) {
		return nil, nil, errors.New("the checksum of a page is not that of its bytes")
	}
	if h.kind == format.DataPageV2 {
		if values, err = p.unpack(p.packed[h.levels:], h.uncompressed-h.levels, h.plain); err != nil {
			return nil, nil, err
		}
		return p.leveled(page.rows, p.packed[:h.levels], values)
	}
	if values, err = p.unpack(p.packed, h.uncompressed, false); err != nil || !p.optional {
		return nil, values, err
	}
	if len(values) < 4 {
		return nil, nil, errPlain
	}
	n := int64(binary.LittleEndian.Uint32(values))
	if n > int64(len(values))-4 {
		return nil, nil, errPlain
	}
	return p.leveled(page.rows, values[4:4+n], values[4+n:])
}

func (p *plainPages) unpack(packed []byte, size int64, plain bool) ([]byte, error) {
	if !p.snappy || plain {
		if int64(len(packed)) != size {
			return nil, errors.New("a page has another length than it states")
		}
		return packed, nil
	}
	if n, err := snappy.DecodedLen(packed); err != nil || int64(n) != size {
		return nil, errors.New("a page unpacks to another length than it states")
	}
	p.unpacked = grown(p.unpacked, int(size))
	out, err := snappy.Decode(p.unpacked, packed)
	if err != nil {
		return nil, fmt.Errorf("unpack a page: %w", err)
	}
	return out, nil
}

func grown(b []byte, n int) []byte {
	if cap(b) < n {
		b = make([]byte, n+n/8)
	}
	return b[:n]
}

// leveled reads the definition levels of a page: runs of one level, and levels
// of a bit each.
func (p *plainPages) leveled(rows int64, runs, values []byte) (levels, rest []byte, err error) {
	if !p.optional {
		return nil, values, nil
	}
	p.levels = grown(p.levels, int(rows))[:0]
	all := true
	for int64(len(p.levels)) < rows {
		head, n := binary.Uvarint(runs)
		if n <= 0 {
			return nil, nil, errPlain
		}
		runs = runs[n:]
		left := uint64(rows) - uint64(len(p.levels))
		if head&1 == 0 {
			if len(runs) == 0 || runs[0] > 1 || head>>1 == 0 || head>>1 > left {
				return nil, nil, errPlain
			}
			all = all && runs[0] == 1
			for range head >> 1 {
				p.levels = append(p.levels, runs[0])
			}
			runs = runs[1:]
			continue
		}
		groups := head >> 1
		if groups == 0 || groups > uint64(len(runs)) {
			return nil, nil, errPlain
		}
		for i := range min(groups*8, left) {
			level := runs[i>>3] >> (i & 7) & 1
			all = all && level == 1
			p.levels = append(p.levels, level)
		}
		runs = runs[groups:]
	}
	if all {
		return nil, values, nil
	}
	return p.levels, values, nil
}
