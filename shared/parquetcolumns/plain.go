package parquetcolumns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/strandline-dev/strandline/shared/snappyblock"
)

// plainPages reads the pages of a column of text or of 64-bit numbers as most
// writers lay them out: one value after the other, each text behind its length,
// packed with Snappy or not at all. They are most of an inventory, and nothing
// is copied or listed of a page here but the page itself. Every other layout is
// read by the library.
type plainPages struct {
	file     Source
	pages    []pageAt    // to come
	taken    []takenPage // that were unpacked, and are not given out
	now      pageAt      // that was given out last
	optional bool
	snappy   bool
	verified bool                  // the file is known to be whole
	unpacker *snappyblock.Unpacker // of the scan
	room     *pageRoom
}

// pageRoom is what pages of a column are read and unpacked in, one row group
// after the other.
type pageRoom struct {
	packed   []byte
	unpacked []byte
	runs     []byte
	levels   []byte
}

// takenPage is a page that was read and unpacked. Of a page of version 2 the
// levels lie ahead of what is packed.
type takenPage struct {
	pageAt
	runs, body []byte
}

// plainOf returns a reader of these pages of a column of a row group, nil if
// they are laid out otherwise.
func (f *File) plainOf(leaf *parquet.Column, group int, pages []pageAt, unpacker *snappyblock.Unpacker, room *pageRoom) *plainPages {
	codec := f.file.Metadata().RowGroups[group].Columns[leaf.Index()].MetaData.Codec
	kind := leaf.Type().Kind()
	if f.library || kind != parquet.ByteArray && kind != parquet.Int64 || leaf.MaxRepetitionLevel() != 0 || leaf.MaxDefinitionLevel() > 1 ||
		codec != format.Snappy && codec != format.Uncompressed {
		return nil
	}
	for _, p := range pages {
		if p.rows == 0 || p.header.encoding != int64(format.Plain) || p.header.repeats != 0 {
			return nil
		}
	}
	return &plainPages{
		file: f.source, pages: pages, optional: leaf.MaxDefinitionLevel() == 1, snappy: codec == format.Snappy, verified: f.verified,
		unpacker: unpacker, room: room,
	}
}

var errPlain = errors.New("a page ends before its values do")

func (p *plainPages) ended() bool { return len(p.taken)+len(p.pages) == 0 }

// next returns how many rows the next page has, their levels, nil if every row
// has a value, and the bytes of its values; where not all rows are wanted,
// perhaps not of all. They hold until the page after it.
func (p *plainPages) next() (rows int, levels, values []byte, err error) {
	if len(p.taken) == 0 {
		if p.taken, err = p.take(); err != nil {
			return 0, nil, nil, err
		}
	}
	page := p.taken[0]
	p.taken, p.now = p.taken[1:], page.pageAt
	runs, values := page.runs, page.body
	if p.optional && page.header.kind != format.DataPageV2 {
		if runs, values, err = levelsAhead(values); err != nil {
			return 0, nil, nil, err
		}
	}
	levels, values, err = p.leveled(page.rows, runs, values)
	return int(page.rows), levels, values, err
}

// whole is the values of the page that next returned last, all of them.
func (p *plainPages) whole() (values []byte, err error) {
	alone := plainPages{
		file: p.file, pages: []pageAt{p.now}, optional: p.optional, snappy: p.snappy, verified: p.verified, room: &pageRoom{},
	}
	_, _, values, err = alone.next()
	return values, err
}

// levelsAhead parts a page of version 1 into its levels, which lie behind their
// length, and its values.
func levelsAhead(page []byte) (runs, values []byte, err error) {
	if len(page) < 4 {
		return nil, nil, errPlain
	}
	n := int64(binary.LittleEndian.Uint32(page))
	if n > int64(len(page))-4 {
		return nil, nil, errPlain
	}
	return page[4 : 4+n], page[4+n:], nil
}

// take reads and unpacks the next page, and with it those behind it where that
// is quicker.
func (p *plainPages) take() ([]takenPage, error) {
	n := 1
	if p.snappy && sideBySide(p.pages) {
		n = snappyblock.Lanes
	}
	pages := p.pages[:n]
	p.pages = p.pages[n:]
	if n == 1 {
		return p.takeOne(pages[0])
	}
	return p.takeMany([snappyblock.Lanes]pageAt(pages))
}

// mostSideBySide are the bytes that pages unpacked side by side may have
// together, unpacked; packed no page of theirs has more.
const mostSideBySide = 4 << 20

// sideBySide reports whether the first pages are of about one size: the longest
// is alone where the others have ended.
func sideBySide(pages []pageAt) bool {
	if len(pages) < snappyblock.Lanes {
		return false
	}
	least, most := int64(mostSideBySide), int64(0)
	for _, page := range pages[:snappyblock.Lanes] {
		if page.header.plain || page.header.compressed > mostSideBySide {
			return false
		}
		least, most = min(least, page.header.body()), max(most, page.header.body())
	}
	return least > most*3/4 && most <= mostSideBySide/snappyblock.Lanes
}

// enough is how many bytes of a page probably hold the rows that are wanted of
// it: as many of its bytes as of its rows, and some more. In a page of version 1
// the levels are among them.
func (p *plainPages) enough(page pageAt) int64 {
	body := page.header.body()
	if p.optional && page.header.kind != format.DataPageV2 {
		return body
	}
	const more = 4 << 10
	return min(body, body*page.wanted/page.rows*21/20+more)
}

func (p *plainPages) takeMany(pages [snappyblock.Lanes]pageAt) ([]takenPage, error) {
	var sizes [snappyblock.Lanes]snappyblock.Size
	for i, page := range pages {
		h := page.header
		sizes[i] = snappyblock.Size{Ahead: int(h.levels), Packed: int(h.compressed), Unpacked: int(h.body()), Wanted: int(p.enough(page))}
	}
	packed := p.unpacker.Room(sizes)
	for i, page := range pages {
		if err := p.read(packed[i], page); err != nil {
			return nil, err
		}
	}
	unpacked, err := p.unpacker.Unpack(&p.room.unpacked)
	if err != nil {
		return nil, fmt.Errorf("unpack a page: %w", err)
	}
	taken := make([]takenPage, len(pages))
	p.room.runs = p.room.runs[:0] // another column's pages come where these are
	for i, page := range pages {
		p.room.runs = append(p.room.runs, packed[i][:sizes[i].Ahead]...)
		taken[i] = takenPage{page, p.room.runs[len(p.room.runs)-sizes[i].Ahead:], unpacked[i]}
	}
	return taken, nil
}

func (p *plainPages) takeOne(page pageAt) ([]takenPage, error) {
	h := page.header
	p.room.packed = grown(p.room.packed, int(h.compressed))
	if err := p.read(p.room.packed, page); err != nil {
		return nil, err
	}
	runs, packed := p.room.packed[:h.levels], p.room.packed[h.levels:]
	body, err := p.unpack(packed, h.body(), h.plain)
	return []takenPage{{page, runs, body}}, err
}

func (p *plainPages) read(packed []byte, page pageAt) error {
	h := page.header
	if _, err := p.file.ReadAt(packed, page.from+h.length); err != nil {
		return fmt.Errorf("read a page: %w", err)
	}
	if h.checksum != 0 && !p.verified && crc32.ChecksumIEEE(packed) != uint32(h.checksum) {
		return errors.New("the checksum of a page is not that of its bytes")
	}
	return nil
}

func (p *plainPages) unpack(packed []byte, size int64, plain bool) ([]byte, error) {
	if !p.snappy || plain || len(packed) == 0 {
		if int64(len(packed)) != size {
			return nil, errors.New("a page has another length than it states")
		}
		return packed, nil
	}
	if n, err := snappy.DecodedLen(packed); err != nil || int64(n) != size {
		return nil, errors.New("a page unpacks to another length than it states")
	}
	p.room.unpacked = grown(p.room.unpacked, int(size))
	out, err := snappy.Decode(p.room.unpacked, packed)
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
	if head, n := binary.Uvarint(runs); n > 0 && n < len(runs) && head == uint64(rows)<<1 && runs[n] == 1 {
		return nil, values, nil // one run of all rows
	}
	listed := grown(p.room.levels, int(rows))[:0]
	p.room.levels = listed
	all := true
	for int64(len(listed)) < rows {
		head, n := binary.Uvarint(runs)
		if n <= 0 {
			return nil, nil, errPlain
		}
		runs = runs[n:]
		left := uint64(rows) - uint64(len(listed))
		if head&1 == 0 {
			if len(runs) == 0 || runs[0] > 1 || head>>1 == 0 || head>>1 > left {
				return nil, nil, errPlain
			}
			all = all && runs[0] == 1
			for range head >> 1 {
				listed = append(listed, runs[0])
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
			listed = append(listed, level)
		}
		runs = runs[groups:]
	}
	if all {
		return nil, values, nil
	}
	return listed, values, nil
}
