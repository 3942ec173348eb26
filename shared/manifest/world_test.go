package manifest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"testing"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// shelf is a folder in memory.
type shelf map[string][]byte

func (s shelf) Open(_ context.Context, name string) (inventory.File, error) {
	data, ok := s[name]
	if !ok {
		return nil, errors.New("it is not there")
	}
	return book{bytes.NewReader(data)}, nil
}

type book struct{ *bytes.Reader }

func (b book) Size() int64 { return b.Reader.Size() }
func (book) Close() error  { return nil }

// kept is an entry that stays.
type kept struct {
	Bucket, Key, Version, ETag string
	Size, At                   int64
	State                      State
	Retained                   bool
	Tenant, Upload             string
	Number                     int64
}

func keep(e *Entry) kept {
	return kept{
		string(e.Bucket), string(e.Key), string(e.VersionID), string(e.ETag), e.Size, e.RecordedAt,
		e.State, e.Retained, string(e.Tenant), string(e.Upload), e.Number,
	}
}

// read reads all lists of a shelf in the order of the names; nothing with an
// error.
func read(ctx context.Context, s shelf, names ...string) ([]kept, error) {
	l, err := open(ctx, s, names...)
	if err != nil {
		return nil, err
	}
	var all []kept
	for part := range l.Parts() {
		for e, err := range l.Entries(ctx, part) {
			if err != nil {
				return nil, err
			}
			all = append(all, keep(e))
		}
	}
	return all, nil
}

func open(ctx context.Context, s shelf, names ...string) (*Lists, error) {
	var lists []List
	for _, name := range names {
		lists = append(lists, List{Files: s, Name: name, Local: true})
	}
	return OpenLists(ctx, lists)
}

func zip(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// plain is an entry of which only bucket and key are known.
func plain(key string, number int64) kept {
	return kept{Bucket: "b", Key: key, Size: NoSize, At: NoTime, Number: number}
}
