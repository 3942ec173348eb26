// Package memory keeps an application's tables in memory, for tests and the
// demo.
package memory

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/source/rows"
)

// Tables are tables with keys and indexes. The zero value has none.
type Tables struct {
	mu     sync.Mutex
	tables map[string]*table
}

type table struct {
	keys    []string
	indexes map[string]string // attribute by name
	rows    []source.Row
}

// Create makes a table with these key attributes, the first its partition key.
// Indexes are attributes by the name of the index.
func (t *Tables) Create(name string, keys []string, indexes map[string]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tables == nil {
		t.tables = map[string]*table{}
	}
	t.tables[name] = &table{keys: keys, indexes: indexes}
}

// Drop takes a table away.
func (t *Tables) Drop(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.tables, name)
}

// Put writes a row and returns what it replaces; nil for none.
func (t *Tables) Put(name string, row source.Row) (old source.Row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tab := t.tables[name]
	old = tab.take(row)
	tab.rows = append(tab.rows, maps.Clone(row))
	return old
}

// Delete takes the row with the key attributes away and returns it; nil for
// none.
func (t *Tables) Delete(name string, keys source.Row) (old source.Row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tables[name].take(keys)
}

// Keys are the key attributes of a row.
func (t *Tables) Keys(name string, row source.Row) source.Row {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tables[name].keysOf(row)
}

func (t *table) keysOf(row source.Row) source.Row {
	keys := source.Row{}
	for _, k := range t.keys {
		keys[k] = row[k]
	}
	return keys
}

func (t *table) take(row source.Row) source.Row {
	at := slices.IndexFunc(t.rows, func(r source.Row) bool {
		return !slices.ContainsFunc(t.keys, func(k string) bool { return r[k] != row[k] })
	})
	if at < 0 {
		return nil
	}
	old := t.rows[at]
	t.rows = slices.Delete(t.rows, at, at+1)
	return old
}

// Find see [rows.Tables].
func (t *Tables) Find(ctx context.Context, s source.Source, value string) iter.Seq2[rows.Row, error] {
	return func(yield func(rows.Row, error) bool) {
		found, err := t.find(s, value)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(rows.Row{}, err)
			return
		}
		for _, row := range found {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (t *Tables) find(s source.Source, value string) ([]rows.Row, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tab, ok := t.tables[s.Table]
	if !ok {
		return nil, fmt.Errorf("there is no table %s", s.Table)
	}
	attribute := tab.keys[0]
	if s.Index.Name != "" {
		if attribute, ok = tab.indexes[s.Index.Name]; !ok {
			return nil, fmt.Errorf("table %s has no index %s", s.Table, s.Index.Name)
		}
	}
	if attribute != s.Index.Attribute {
		return nil, fmt.Errorf("table %s has no index of attribute %s", s.Table, s.Index.Attribute)
	}
	var found []rows.Row
	for _, row := range tab.rows {
		if row[attribute] == value {
			found = append(found, rows.Row{Row: maps.Clone(row), Keys: tab.keysOf(row)})
		}
	}
	return found, nil
}
