// Package sourcetest is what every reader of applications' tables has to
// answer: the conformance suite of [rows.Tables].
package sourcetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/source/rows"
)

// Stage is a fresh table with the key attributes "id" and "part", and an index
// "by-photo" of the attribute "photo", which has nothing but keys.
type Stage struct {
	Tables rows.Tables
	Table  string
	// Put writes a row, Delete takes one away by its key attributes.
	Put    func(t *testing.T, row source.Row)
	Delete func(t *testing.T, keys source.Row)
}

// Source is one of the table's, by the index.
func (s Stage) Source() source.Source {
	return source.Source{
		Name: "orders", Table: s.Table, Bucket: "uploads", Tenant: "acme", Paths: source.Paths{Key: "photo"},
		Index: &source.Index{Name: "by-photo", Attribute: "photo", Holds: source.HoldsKey},
	}
}

// Own is one of the table's, by its own key.
func (s Stage) Own() source.Source {
	own := s.Source()
	own.Paths.Key = "id"
	own.Index = &source.Index{Attribute: "id", Holds: source.HoldsKey}
	return own
}

// Run runs the suite.
func Run(t *testing.T, open func(t *testing.T) Stage) {
	for name, test := range map[string]func(*testing.T, Stage){
		"a row found by an index is whole, with its key":          whole,
		"every row under the value is found, and no other":        everyRow,
		"a row that is gone, or names another value, is not":      gone,
		"the table's own key finds rows too":                      ownKey,
		"values are plain: texts, numbers, lists, sets, maps":     values,
		"a value nobody has is no row and no error":               nobody,
		"a table, an index or an answer that is missing is error": missing,
		"whoever has seen enough is left alone":                   enough,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func row(id, photo string) source.Row {
	return source.Row{"id": id, "part": "a", "photo": photo, "note": "of " + id}
}

func find(t *testing.T, s Stage, of source.Source, value string) []rows.Row {
	t.Helper()
	var found []rows.Row
	for r, err := range s.Tables.Find(t.Context(), of, value) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, r)
	}
	return found
}

func whole(t *testing.T, s Stage) {
	s.Put(t, row("17", "photos/17.jpg"))
	want := []rows.Row{{Row: row("17", "photos/17.jpg"), Keys: source.Row{"id": "17", "part": "a"}}}
	if diff := cmp.Diff(want, find(t, s, s.Source(), "photos/17.jpg")); diff != "" {
		t.Error(diff)
	}
}

// More than one page of an index, whatever its size is.
func everyRow(t *testing.T, s Stage) {
	const many = 60
	var want, got []string
	for i := range many {
		id := fmt.Sprintf("%03d", i)
		s.Put(t, row(id, "photos/shared.jpg"))
		want = append(want, id)
	}
	s.Put(t, row("other", "photos/shared.jpg2"))
	for _, r := range find(t, s, s.Source(), "photos/shared.jpg") {
		got = append(got, r.Keys["id"].(string))
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func gone(t *testing.T, s Stage) {
	s.Put(t, row("17", "photos/17.jpg"))
	s.Put(t, row("18", "photos/17.jpg"))
	s.Put(t, row("17", "photos/new.jpg"))
	s.Delete(t, source.Row{"id": "18", "part": "a"})
	if found := find(t, s, s.Source(), "photos/17.jpg"); len(found) != 0 {
		t.Errorf("%d rows are found", len(found))
	}
}

func ownKey(t *testing.T, s Stage) {
	s.Put(t, row("photos/17.jpg", "x"))
	found := find(t, s, s.Own(), "photos/17.jpg")
	if len(found) != 1 || found[0].Row["note"] != "of photos/17.jpg" || found[0].Keys["part"] != "a" {
		t.Errorf("found %v", found)
	}
}

func values(t *testing.T, s Stage) {
	r := row("17", "photos/17.jpg")
	r["n"], r["yes"], r["none"], r["bytes"] = json.Number("1.5"), true, nil, []byte{0, 255}
	r["list"] = []any{"a", map[string]any{"key": "b", "n": json.Number("2")}, nil}
	s.Put(t, r)
	found := find(t, s, s.Source(), "photos/17.jpg")
	if len(found) != 1 {
		t.Fatalf("%d rows", len(found))
	}
	if diff := cmp.Diff(r, found[0].Row); diff != "" {
		t.Error(diff)
	}
}

func nobody(t *testing.T, s Stage) {
	s.Put(t, row("17", "photos/17.jpg"))
	for _, of := range []source.Source{s.Source(), s.Own()} {
		if found := find(t, s, of, "photos/1"); len(found) != 0 {
			t.Errorf("found %v", found)
		}
	}
}

// Taken for "no row", a table that was renamed, or an index that is being built,
// would let everything go that two rows have.
func missing(t *testing.T, s Stage) {
	table, index := s.Source(), s.Source()
	table.Table = s.Table + "-2"
	index.Index = &source.Index{Name: "by-picture", Attribute: "photo", Holds: source.HoldsKey}
	ended, end := context.WithCancel(t.Context())
	end()
	for name, look := range map[string]struct {
		ctx context.Context
		of  source.Source
	}{"table": {t.Context(), table}, "index": {t.Context(), index}, "answer": {ended, s.Source()}} {
		var last error
		for _, err := range s.Tables.Find(look.ctx, look.of, "photos/17.jpg") {
			last = err
		}
		if last == nil {
			t.Errorf("no %s, and no error", name)
		}
	}
}

func enough(t *testing.T, s Stage) {
	for i := range 3 {
		s.Put(t, row(fmt.Sprint(i), "photos/17.jpg"))
	}
	seen := 0
	for _, err := range s.Tables.Find(t.Context(), s.Source(), "photos/17.jpg") {
		if seen++; err != nil {
			t.Fatal(err)
		}
		break
	}
	if seen != 1 {
		t.Errorf("%d rows", seen)
	}
}
