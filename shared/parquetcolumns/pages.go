package parquetcolumns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

// Bounds on what a page may make its decoder allocate. Writers make pages of
// about a megabyte; some write a whole row group as one.
const (
	maxPageBytes  = 256 << 20
	maxPageValues = 16 << 20
	// No codec of Parquet's makes a page so much smaller, save that of a page
	// that is small anyway.
	maxPageRatio = 2_000
	smallPage    = 1 << 20
)

// What the decoder gets wrong (parquet-go v0.32.0) is refused before it has it.
// A run of truths it takes for an eighth of them, and shifts those behind it:
// that is the wrong verdict, not an error. S3 writes neither.
var (
	errTruthsInRuns = errors.New("its truth values are run-length encoded, which is not read: write it with data pages of version 1")
	errLZ4          = errors.New("it is packed with LZ4, which is not read: write it with Snappy, gzip or zstd")
)

// pageAt is where a page of a column lies.
type pageAt struct {
	from, size int64 // in the file, with its header
	first      int64 // row of the row group
	rows       int64 // 0 for a dictionary
	wanted     int64 // of the rows only the first so many
	header     pageHeader
}

// walkPages reads the headers of a column chunk's pages. It finds where which
// rows are, and refuses what would make the decoder allocate without bound or
// come to other rows than the row group states.
func walkPages(file Source, chunk *format.ColumnChunk, rows int64) ([]pageAt, error) {
	m := &chunk.MetaData
	if m.Codec == format.Lz4Raw {
		return nil, errLZ4
	}
	at := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		at = m.DictionaryPageOffset
	}
	end := at + m.TotalCompressedSize
	if at < 0 || end < at || end > file.Size() {
		return nil, errors.New("it reaches out of the file")
	}
	var pages []pageAt
	var head [4096]byte
	for row := int64(0); at < end; {
		h, err := readPageHeader(file, head[:], at, end)
		if err != nil {
			return nil, fmt.Errorf("the header of page %d: %w", len(pages)+1, err)
		}
		if err := h.check(at, end, rows-row, m.Codec); err != nil {
			return nil, fmt.Errorf("page %d: %w", len(pages)+1, err)
		}
		if m.Type == format.Boolean && h.encoding == int64(format.RLE) {
			return nil, errTruthsInRuns
		}
		page := pageAt{from: at, size: h.length + h.compressed, first: row, header: h}
		page.header.start = nil
		if h.kind != format.DictionaryPage {
			page.rows, page.wanted = h.values, h.values
		}
		pages = append(pages, page)
		row += page.rows
		at += page.size
		if at == end && row != rows {
			return nil, fmt.Errorf("it has %d rows, its row group %d", row, rows)
		}
	}
	if len(pages) == 0 && rows > 0 {
		return nil, errors.New("it has no pages")
	}
	return pages, nil
}

// pageHeader is what is needed of a page's header.
type pageHeader struct {
	kind                     format.PageType
	compressed, uncompressed int64
	values                   int64
	encoding                 int64  // of the values
	levels                   int64  // bytes before the compressed ones, of a page of version 2
	repeats                  int64  // of these of repetition, which only a list needs
	checksum                 int64  // CRC-32 of what follows the header; 0 if none
	plain                    bool   // a page of version 2 that is not compressed
	length                   int64  // of the header itself
	start                    []byte // of what follows it, while it is at hand
}

// body is how many bytes the values have, and in a page of version 1 the levels.
func (h *pageHeader) body() int64 { return h.uncompressed - h.levels }

// readPageHeader reads the header at an offset. Statistics in it may be long.
func readPageHeader(file Source, buf []byte, at, end int64) (pageHeader, error) {
	for {
		b := buf[:min(int64(len(buf)), end-at)]
		if _, err := file.ReadAt(b, at); err != nil {
			return pageHeader{}, err
		}
		h, err := parsePageHeader(b)
		if err == errThriftShort && int64(len(b)) < end-at && len(buf) < smallPage { //nolint:errorlint // it is never wrapped
			buf = make([]byte, len(buf)*16)
			continue
		}
		return h, err
	}
}

func parsePageHeader(b []byte) (h pageHeader, err error) {
	t := &thriftReader{b: b}
	number := func(to *int64) (bool, error) {
		*to, err = t.varint()
		return true, err
	}
	var kind int64
	err = t.structure(0, func(id int, typ byte) (bool, error) {
		switch {
		case id == 1 && typ == thriftI32:
			return number(&kind)
		case id == 2 && typ == thriftI32:
			return number(&h.uncompressed)
		case id == 3 && typ == thriftI32:
			return number(&h.compressed)
		case id == 4 && typ == thriftI32:
			return number(&h.checksum)
		case (id == 5 || id == 7 || id == 8) && typ == thriftStruct:
			v2 := id == 8
			return true, t.structure(1, func(id int, typ byte) (bool, error) {
				var part int64
				switch {
				case id == 1 && typ == thriftI32:
					return number(&h.values)
				case typ == thriftI32 && (v2 && id == 4 || !v2 && id == 2):
					return number(&h.encoding)
				case v2 && (id == 5 || id == 6) && typ == thriftI32:
					_, err := number(&part)
					h.levels += part
					if id == 6 {
						h.repeats = part
					}
					return true, err
				case v2 && id == 7 && typ == thriftFalse:
					h.plain = true
				}
				return false, nil
			})
		}
		return false, nil
	})
	h.kind, h.length, h.start = format.PageType(kind), int64(t.at), b[t.at:]
	return h, err
}

// check holds a header against the chunk that ends at end and the rows that are
// left of it.
func (h *pageHeader) check(at, end, rows int64, codec format.CompressionCodec) error {
	switch {
	case h.compressed < 0 || h.uncompressed < 0 || h.values < 0 || h.levels < 0,
		h.compressed > end-at-h.length, h.levels > h.compressed:
		return errors.New("it reaches out of its column")
	case h.uncompressed > maxPageBytes || h.values > maxPageValues,
		h.uncompressed > smallPage && h.uncompressed/maxPageRatio > h.compressed:
		return fmt.Errorf("its %d bytes, %d unpacked, with %d values are not plausible", h.compressed, h.uncompressed, h.values)
	case h.kind == format.DictionaryPage:
	case h.kind != format.DataPage && h.kind != format.DataPageV2:
		return errors.New("it is of a kind that has no rows")
	case h.values > rows:
		return errors.New("it has more rows than its row group")
	case h.kind != format.DataPageV2 && (h.levels > 0 || h.plain):
		return errors.New("its header is that of another version")
	}
	if codec == format.Snappy && !h.plain && h.compressed > h.levels {
		return h.checkSnappy()
	}
	return nil
}

// checkSnappy compares the length that Snappy's own header states with the
// page's: the decoder allocates by it.
func (h *pageHeader) checkSnappy() error {
	if h.levels >= int64(len(h.start)) {
		return nil // too far away to look; levels are as long only in large pages
	}
	n, size := binary.Uvarint(h.start[h.levels:])
	if size <= 0 || int64(n) != h.body() {
		return errors.New("it unpacks to another length than it states")
	}
	return nil
}

// checkFooter refuses a footer whose lists are longer than the footer itself:
// the decoder allocates by them.
func checkFooter(file Source) error {
	const tail = 8 // length and magic
	var end [tail]byte
	if file.Size() < tail+4 {
		return errors.New("it is not a Parquet file")
	}
	if _, err := file.ReadAt(end[:], file.Size()-tail); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end[:4]))
	if string(end[4:]) != "PAR1" || n > file.Size()-tail-4 || n > maxFooter {
		return errors.New("it is not a Parquet file, or an encrypted one")
	}
	footer := make([]byte, n)
	if _, err := file.ReadAt(footer, file.Size()-tail-n); err != nil {
		return err
	}
	return (&thriftReader{b: footer}).structure(0, nil)
}

const maxFooter = 64 << 20

// pieces is a file of which only some pieces are to be read, one after the
// other from the place of the first.
type pieces struct {
	file  io.ReaderAt
	first int64
	pages []pageAt
}

func (p *pieces) ReadAt(b []byte, off int64) (n int, err error) {
	at := p.first
	for _, page := range p.pages {
		if inside := off - at; inside < page.size {
			part := b[n:min(int64(len(b)), int64(n)+page.size-inside)]
			k, err := p.file.ReadAt(part, page.from+inside)
			n += k
			off += int64(k)
			if k < len(part) {
				return n, err
			}
			if n == len(b) {
				return n, nil
			}
		}
		at += page.size
	}
	return n, io.EOF
}

// pagesWith returns the dictionary and the pages that have a row wanted, and of
// these how far they are.
func pagesWith(pages []pageAt, wanted []int64) []pageAt {
	var some []pageAt
	for _, page := range pages {
		for len(wanted) > 0 && wanted[0] < page.first {
			wanted = wanted[1:]
		}
		n, _ := slices.BinarySearch(wanted, page.first+page.rows)
		if n > 0 {
			page.wanted = wanted[n-1] - page.first + 1
		}
		if n > 0 || page.rows == 0 {
			some = append(some, page)
		}
	}
	return some
}
