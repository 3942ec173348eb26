package source

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Row is a row's image as plain values: string, json.Number, bool, nil, []byte,
// []any (of a list or a set) and map[string]any.
type Row map[string]any

// Object is what a row or a message names. VersionID is empty where the row
// does not say one: then it names whatever is current under the key.
type Object struct {
	Bucket, Key, VersionID string
}

// Covers reports whether who names o may mean other too: the same bucket and
// key, and the same version or on one side none.
func (o Object) Covers(other Object) bool {
	return o.Bucket == other.Bucket && o.Key == other.Key &&
		(o.VersionID == other.VersionID || o.VersionID == "" || other.VersionID == "")
}

// Named is one object as a row names it.
type Named struct {
	Tenant string
	Object
	// Spelled is what the row itself holds: the key, or the URL.
	Spelled string
}

// Unreadable says which place of a row, or of a message, cannot be what it has
// to be. It holds no value.
type Unreadable struct{ Where, Why string }

func (u *Unreadable) Error() string { return u.Where + ": " + u.Why }

func unreadable(where, format string, args ...any) error {
	return &Unreadable{Where: where, Why: fmt.Sprintf(format, args...)}
}

// Names lists what a row names, in the row's order; nothing where the places
// are absent, null or empty, and nothing for URLs that are of no bucket at all
// (foreign counts them). An *Unreadable error says which place is wrong.
func (s Source) Names(row Row) (all []Named, foreign int, err error) {
	if row == nil {
		return nil, 0, nil
	}
	at := s.Paths.Key
	if at == "" {
		at = s.Paths.URL
	}
	for _, place := range places(map[string]any(row), at) {
		named, ours, err := s.named(row, at, place)
		switch {
		case err != nil:
			return nil, 0, err
		case !ours:
			foreign++
		case named.Key != "":
			all = append(all, named)
		}
	}
	return all, foreign, nil
}

// named reads one place. ours is false for a URL of no bucket.
func (s Source) named(row Row, at string, p place) (n Named, ours bool, err error) {
	text, err := stringAt(at, p.value)
	if err != nil || text == "" {
		return Named{}, true, err
	}
	n.Spelled = text
	if s.Paths.URL != "" {
		n.Object, ours, err = s.ParseURL(text)
		if err != nil || !ours {
			return Named{}, ours, err
		}
	} else {
		n.Object = Object{Bucket: s.Bucket, Key: text}
	}
	return n, true, s.beside(row, p, &n)
}

// beside fills what stands beside the key in the row: bucket, version, tenant.
func (s Source) beside(row Row, p place, n *Named) error {
	n.Tenant = s.Tenant
	for _, part := range []struct {
		path string
		into *string
	}{{s.Paths.Tenant, &n.Tenant}, {s.Paths.Bucket, &n.Bucket}, {s.Paths.Version, &n.VersionID}} {
		if part.path == "" {
			continue
		}
		value, found := valueAt(map[string]any(row), part.path, p.at)
		if !found {
			continue
		}
		text, err := stringAt(part.path, value)
		if err != nil {
			return err
		}
		if text != "" {
			*part.into = text
		}
	}
	switch {
	case n.Tenant == "":
		return unreadable("tenant", "the row has none")
	case n.Bucket == "":
		return unreadable("bucket", "the row has none")
	}
	return nil
}

// EntityOf is what the row is called in references: what stands at its path, or
// else the row's key attributes in the order of their names, "/" between.
func (s Source) EntityOf(row Row, keys Row) (string, error) {
	return entityOf(s, row, keys)
}

// place is one value below a path, and its index in each list on the way.
type place struct {
	value any
	at    []int
}

// places finds every value at a path.
func places(root map[string]any, path string) []place {
	found := []place{{value: root}}
	for _, step := range strings.Split(path, ".") {
		name, list := strings.CutSuffix(step, "[]")
		var next []place
		for _, p := range found {
			m, ok := p.value.(map[string]any)
			if !ok {
				continue
			}
			v, ok := m[name]
			if !ok {
				continue
			}
			if !list {
				next = append(next, place{v, p.at})
				continue
			}
			elements, ok := v.([]any)
			if !ok {
				continue
			}
			for i, e := range elements {
				next = append(next, place{e, append(p.at[:len(p.at):len(p.at)], i)})
			}
		}
		found = next
	}
	return found
}

// valueAt finds the value at a path whose lists are entered at the indices.
func valueAt(root map[string]any, path string, at []int) (any, bool) {
	var value any = root
	for _, step := range strings.Split(path, ".") {
		name, list := strings.CutSuffix(step, "[]")
		m, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = m[name]; !ok {
			return nil, false
		}
		if !list {
			continue
		}
		elements, ok := value.([]any)
		if !ok || len(at) == 0 || at[0] >= len(elements) {
			return nil, false
		}
		value, at = elements[at[0]], at[1:]
	}
	return value, true
}

func stringAt(path string, value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	return "", unreadable(path, "expected a string")
}

func entityOf(s Source, row, keys Row) (string, error) { return "", nil }
