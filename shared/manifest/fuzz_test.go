package manifest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// cellsOf reads all rows of a list as text.
func cellsOf(r rows) (all [][columns]string, err error) {
	for {
		cells, err := r.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		row := [columns]string{}
		for c, cell := range cells {
			row[c] = string(cell)
		}
		all = append(all, row)
	}
}

// What we read of a CSV list, encoding/csv reads as well, and the same.
func FuzzCSVListsAreReadAsTheStandardLibraryDoes(f *testing.F) {
	for _, list := range []string{
		"bucket,key\nb,k\n", "key,bucket,size\r\n\"a,\"\"b\"\"\",b,\r\n\n", "bucket,key\nb,\"a\nb\"", "bucket,key\nb,\"k\n",
		"bucket,key\nb,k\"\n", "\"bucket\",key,x,\nb,k,,\"\"\n", "bucket,key\r\nb,k\r", "bucket,key\nb,\"\r\n\r\"\n",
	} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		mine, err := newCSV(bytes.NewReader(list))
		if err != nil {
			return
		}
		got, err := cellsOf(mine)
		if err != nil {
			return
		}
		std := csv.NewReader(bytes.NewReader(list))
		lines, err := std.ReadAll()
		if err != nil {
			t.Fatalf("encoding/csv refuses what is read: %v", err)
		}
		want := make([][columns]string, len(lines)-1)
		for i, line := range lines[1:] {
			for n, cell := range line {
				if c := mine.columns[n]; c != noColumn {
					want[i][c] = cell
				}
			}
		}
		for i := range got {
			for c := range got[i] { // it takes CRLF inside of quotes for LF
				got[i][c] = string(bytes.ReplaceAll([]byte(got[i][c]), []byte("\r\n"), []byte("\n")))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
			t.Fatalf("read another way (-want +got):\n%s", diff)
		}
	})
}

// What we read of a line of JSON, encoding/json reads as well, and the same.
func FuzzJSONListsAreReadAsTheStandardLibraryDoes(f *testing.F) {
	for _, line := range []string{
		`{"bucket":"b","key":"k"}`, `{"bucket":"b","key":"\u00e9\ud83d\ude00\n","size":7,"x":[{"a":"}"}]}`, `{"key":null}`, `{}`, `[]`,
		`{"bucket":"\ud800"}`, `{"a":{"b":[[],{}]} , "size" : 1e3 }`, `{"b\u0075cket":"\\\"\/"}`, "{\"key\":\"\xff\"}",
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.ReplaceAll(line, []byte("\n"), nil)
		got, err := cellsOf(newJSON(bytes.NewReader(line)))
		if err != nil || len(got) == 0 {
			return
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatalf("encoding/json refuses what is read: %v", err)
		}
		want := [columns]string{}
		for name, raw := range fields {
			c := columnOf([]byte(name))
			if c == noColumn || string(raw) == "null" {
				continue
			}
			var text string
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			want[c] = text
		}
		if diff := cmp.Diff([][columns]string{want}, got); diff != "" {
			t.Fatalf("read another way (-want +got):\n%s", diff)
		}
	})
}

// A list of any bytes, in any format, is read or refused; keys are UTF-8 unless
// they were given as base64.
func FuzzListsOfAnyBytes(f *testing.F) {
	f.Add(numbered(f, 3))
	f.Add([]byte("bucket,key\nb,k\n"))
	f.Add([]byte(`{"bucket":"b","key":"k"}`))
	f.Add(zip(f, []byte("bucket,key\nb,k\n")))
	f.Fuzz(func(t *testing.T, list []byte) {
		for _, name := range []string{"list", "l.csv", "l.jsonl", "l.parquet"} {
			all, err := read(t.Context(), shelf{name: list}, name)
			for _, e := range all {
				if err == nil && (e.Key == "" || e.Bucket == "") {
					t.Fatalf("%s: an entry without a name", name)
				}
				if !utf8.ValidString(e.Key) && !bytes.Contains(bytes.ToLower(list), []byte("key_base64")) {
					t.Fatalf("%s: a key of other bytes", name)
				}
			}
		}
	})
}
