package manifest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/inventory/gunzip"
)

// format is how a list is written.
type format uint8

const (
	unknown format = iota
	csvFormat
	jsonFormat
	parquetFormat
)

var errNoBytes = errors.New("it is empty: export it again, or leave it out")

// formatOf knows a list by its name.
func formatOf(name string) format {
	name = strings.ToLower(name)
	switch path.Ext(strings.TrimSuffix(name, ".gz")) {
	case ".csv":
		return csvFormat
	case ".jsonl", ".ndjson":
		return jsonFormat
	case ".parquet":
		return parquetFormat
	}
	return unknown
}

// sniff knows a list by its beginning.
func (l List) sniff(ctx context.Context) (format, error) {
	file, err := l.open(ctx)
	if err != nil {
		return unknown, err
	}
	defer file.Close()
	var magic [4]byte
	if _, err := file.ReadAt(magic[:], 0); err == nil && string(magic[:]) == "PAR1" {
		return parquetFormat, nil
	}
	from, err := l.text(file)
	if err != nil {
		return unknown, err
	}
	for {
		c, err := from.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return unknown, errNoBytes
		case err != nil:
			return unknown, err
		case c == '{', c == '[': // the latter to be told what is wrong
			return jsonFormat, nil
		case !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)):
			return csvFormat, nil
		}
	}
}

// text reads a file from its beginning: inflated where it is gzip, whatever
// its name is, and without a byte order mark.
func (l List) text(file inventory.File) (*bufio.Reader, error) {
	const buffer = 64 << 10
	from := bufio.NewReaderSize(io.NewSectionReader(file, 0, file.Size()), buffer)
	switch magic, _ := from.Peek(2); {
	case string(magic) == "\x1f\x8b":
		from = bufio.NewReaderSize(gunzip.NewReader(from), buffer)
	case strings.HasSuffix(strings.ToLower(l.Name), ".gz"):
		return nil, errors.New("its name ends in .gz, and it is not gzip: export it again")
	}
	if mark, _ := from.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = from.Discard(3)
	}
	return from, nil
}

// reader opens a list in its format. It returns one also with an error, for it
// knows where it is.
//
// A file of no bytes is an export that went wrong, so that all that it should
// name would be orphans. Only in JSON Lines it may be meant: as the sole list
// it then is an empty side, about which the comparison decides.
func (l *Lists) reader(part int, file inventory.File) (reader, error) {
	f := l.formats[part]
	if file.Size() == 0 && (f != jsonFormat || len(l.lists) > 1) {
		return textsOf(nowhere{}), errNoBytes
	}
	if f == parquetFormat {
		return newParquet(file)
	}
	from, err := l.lists[part].text(file)
	if err != nil {
		return textsOf(nowhere{}), err
	}
	if f == jsonFormat {
		return textsOf(newJSON(from)), nil
	}
	rows, err := newCSV(from)
	return textsOf(rows), err
}

// nowhere is a list that could not be opened.
type nowhere struct{}

func (nowhere) next() (*cells, error) { return nil, io.EOF }
func (nowhere) at() string            { return "" }
