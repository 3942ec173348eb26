package manifest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// format is how a list is written.
type format uint8

const (
	unknown format = iota
	csvFormat
	jsonFormat
	parquetFormat
)

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
	from, err := text(file)
	if err != nil {
		return unknown, err
	}
	for {
		c, err := from.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return unknown, errors.New("it is empty, and its name does not end in .csv, .jsonl or .parquet")
		case err != nil:
			return unknown, err
		case c == '{':
			return jsonFormat, nil
		case !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)):
			return csvFormat, nil
		}
	}
}

// text reads a file from its beginning: inflated where it is gzip, whatever
// its name is, and without a byte order mark.
func text(file inventory.File) (*bufio.Reader, error) {
	const buffer = 64 << 10
	from := bufio.NewReaderSize(io.NewSectionReader(file, 0, file.Size()), buffer)
	if magic, _ := from.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		inflated, err := gzip.NewReader(from)
		if err != nil {
			return nil, fmt.Errorf("inflate it: %w", err)
		}
		from = bufio.NewReaderSize(inflated, buffer)
	}
	if mark, _ := from.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = from.Discard(3)
	}
	return from, nil
}

// reader opens a list in its format. It returns one also with an error, for it
// knows where it is.
func (f format) reader(file inventory.File) (reader, error) {
	if f == parquetFormat {
		return newParquet(file)
	}
	from, err := text(file)
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
