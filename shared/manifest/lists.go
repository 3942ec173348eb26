package manifest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/strandline-dev/strandline/shared/celltext"
	"github.com/strandline-dev/strandline/shared/inventory"
)

// List is where one key list lies.
type List struct {
	Files inventory.Files
	Name  string
	// Local: it lies in a folder, so that to open it again costs nothing.
	Local bool
}

// Lists reads key lists: an application's own records, exported. Each list is
// one part, and each of its rows names one object:
//
//	bucket, key    needed; a key is literal, never URL-encoded
//	key_base64     instead of key, for bytes that are not UTF-8
//	version_id     absent: the entry means every version of the key
//	size           bytes, a whole number
//	etag           with or without quotes
//	recorded_at    RFC 3339: when it was put, or deleted; absent is long ago
//	state          live (or absent), or deleted
//	tenant, upload
//
// An empty value is an absent one, a word for nothing such as NULL is refused,
// and other columns are ignored; a name may be written as versionId too. A list is
// JSON Lines, CSV with a first line that names the columns, or Parquet; by its
// name (.jsonl, .ndjson, .csv, .parquet, the texts also with .gz), or by what
// it begins with.
type Lists struct {
	lists   []List
	formats []format
}

// OpenLists knows the lists by their names. It reads the beginning of those
// whose names say nothing; the others are opened when they are read.
func OpenLists(ctx context.Context, lists []List) (*Lists, error) {
	l := &Lists{lists: lists}
	for part, list := range lists {
		f := formatOf(list.Name)
		if f == unknown {
			var err error
			if f, err = list.sniff(ctx); err != nil {
				return nil, listError(part, "", err)
			}
		}
		l.formats = append(l.formats, f)
	}
	return l, nil
}

// Parts is the number of lists.
func (l *Lists) Parts() int { return len(l.lists) }

// Seekable reports whether Lookup is there: all lists are local Parquet files.
func (l *Lists) Seekable() bool {
	for part, f := range l.formats {
		if f != parquetFormat || !l.lists[part].Local {
			return false
		}
	}
	return len(l.formats) > 0
}

// reader reads one list.
type reader interface {
	// next returns the next entries, which hold until those after; io.EOF after
	// the last.
	next() ([]Entry, error)
	// at says where the last entry is, for a message.
	at() string
	close()
}

// Entries yields every entry of a list, in order. After an error nothing more
// comes, and what came before it must not be judged from.
func (l *Lists) Entries(ctx context.Context, part int) iter.Seq2[*Entry, error] {
	return each(l.Batches(ctx, part))
}

// Batches yields the entries of a list as Entries does, many at a time where the
// format has them so. They hold until it yields the next.
func (l *Lists) Batches(ctx context.Context, part int) iter.Seq2[[]Entry, error] {
	return func(yield func([]Entry, error) bool) {
		if err := l.entries(ctx, part, yield); err != nil {
			yield(nil, err)
		}
	}
}

// each yields the entries of batches one by one.
func each(batches iter.Seq2[[]Entry, error]) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for entries, err := range batches {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range entries {
				if !yield(&entries[i], nil) {
					return
				}
			}
		}
	}
}

func (l *Lists) entries(ctx context.Context, part int, yield func([]Entry, error) bool) error {
	file, err := l.lists[part].open(ctx)
	if err != nil {
		return listError(part, "", err)
	}
	defer file.Close()
	from, err := l.reader(part, file)
	if err != nil {
		return listError(part, from.at(), err)
	}
	defer from.close()
	return all(ctx, part, from, yield)
}

// all yields what a reader reads.
func all(ctx context.Context, part int, from reader, yield func([]Entry, error) bool) error {
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return listError(part, "", ctx.Err())
		}
		entries, err := from.next()
		switch {
		case err == nil && yield(entries, nil):
		case err == nil || errors.Is(err, io.EOF):
			return nil
		default:
			return listError(part, from.at(), err)
		}
	}
}

func (l List) open(ctx context.Context) (inventory.File, error) { return l.Files.Open(ctx, l.Name) }

// Lookup yields the entries with the numbers, ascending, of a Parquet list.
func (l *Lists) Lookup(ctx context.Context, part int, numbers []int64) iter.Seq2[*Entry, error] {
	return each(func(yield func([]Entry, error) bool) {
		if err := l.lookup(ctx, part, numbers, yield); err != nil {
			yield(nil, err)
		}
	})
}

func (l *Lists) lookup(ctx context.Context, part int, numbers []int64, yield func([]Entry, error) bool) error {
	if l.formats[part] != parquetFormat {
		return listError(part, "", errors.New("only Parquet is read by position"))
	}
	file, err := l.lists[part].open(ctx)
	if err != nil {
		return listError(part, "", err)
	}
	defer file.Close()
	from, err := newParquet(file)
	if err == nil {
		err = from.only(numbers)
	}
	if err != nil {
		return listError(part, "", err)
	}
	defer from.close()
	return all(ctx, part, from, yield)
}

// listError names a list by its position, as the lists were given.
func listError(part int, at string, err error) error {
	if at != "" {
		at = ", " + at
	}
	return fmt.Errorf("read key list %d%s: %w", part+1, at, err)
}

// texts reads a list of text: rows of cells.
type texts struct {
	rows
	entry   [1]Entry
	scratch []byte
}

// rows cuts a text into rows.
type rows interface {
	// next returns the cells of the next row; io.EOF after the last.
	next() (*cells, error)
	at() string
}

func textsOf(r rows) *texts { return &texts{rows: r, entry: [1]Entry{{Number: -1}}} }

func (t *texts) next() ([]Entry, error) {
	cells, err := t.rows.next()
	if err != nil {
		return nil, err
	}
	t.entry[0].Number++
	return t.entry[:], cells.entry(&t.entry[0], &t.scratch)
}

func (t *texts) close() {}

func lineAt(line int64) string { return "line " + celltext.Place(line) }
