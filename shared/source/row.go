package source

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Row is a row's image as plain values: string, json.Number, bool, nil, []byte,
// []any (of a list or a set) and map[string]any.
type Row map[string]any

// Object is what a row or a message names. VersionID is empty where none is
// said: then it is whatever is current under the key.
type Object struct {
	Bucket, Key, VersionID string
}

// Covers reports whether who names o may mean other too: the same bucket and
// key, and the same version, or none on one side.
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

// Unreadable says which place of a row, of a message or of a URL cannot be
// understood without guessing. It holds no value.
type Unreadable struct{ Where, Why string }

func (u *Unreadable) Error() string { return u.Where + ": " + u.Why }

func unreadable(where, format string, args ...any) error {
	return &Unreadable{Where: where, Why: fmt.Sprintf(format, args...)}
}

// Names lists what a row names, in the row's order; nothing for a nil row, and
// where the places are absent, null or empty. What is of another shape than the
// path says may name it all the same, and is Unreadable. Foreign counts the URLs that are
// of no bucket of the source's. An *Unreadable error says which place is wrong;
// then nothing of the row is to be believed.
func (s Source) Names(row Row) (all []Named, foreign int, err error) {
	at := s.Paths.object()
	found, err := places(row, at)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range found {
		n, ours, err := s.named(row, at, p)
		switch {
		case err != nil:
			return nil, 0, err
		case !ours:
			foreign++
		case n.Key != "":
			all = append(all, n)
		}
	}
	return all, foreign, nil
}

// object is the path that names the object.
func (p Paths) object() string {
	if p.Key != "" {
		return p.Key
	}
	return p.URL
}

// named reads one place; no key, no name. ours is false for a URL of no bucket
// of the source's.
func (s Source) named(row Row, at string, p place) (n Named, ours bool, err error) {
	n = Named{Tenant: s.Tenant, Object: Object{Bucket: s.Bucket}}
	if n.Spelled, err = textOf(at, p.value); err != nil || n.Spelled == "" {
		return Named{}, true, err
	}
	if at == s.Paths.Key {
		n.Key = n.Spelled
	} else if n.Object, ours, err = s.ParseURL(n.Spelled); err != nil || !ours {
		return Named{}, ours, err
	}
	for _, beside := range []struct {
		path string
		into *string
	}{{s.Paths.Tenant, &n.Tenant}, {s.Paths.Bucket, &n.Bucket}, {s.Paths.Version, &n.VersionID}} {
		if err := row.fill(beside.path, p.at, beside.into); err != nil {
			return Named{}, true, err
		}
	}
	if n.Tenant == "" {
		return Named{}, true, unreadable("tenant", "the row has none")
	}
	if n.Bucket == "" {
		return Named{}, true, unreadable("bucket", "the row has none")
	}
	return n, true, nil
}

// fill sets into what stands at the path, if anything does.
func (r Row) fill(path string, at []int, into *string) error {
	if path == "" {
		return nil
	}
	value, err := r.value(path, at)
	if err != nil {
		return err
	}
	text, err := textOf(path, value)
	if err == nil && text != "" {
		*into = text
	}
	return err
}

// StillNames reports whether a row that an index has found names the object, or
// may. What an index's projection leaves out, and what cannot be read, may.
func (s Source) StillNames(row Row, o Object) bool {
	for _, path := range []string{s.Paths.Bucket, s.Paths.object()} {
		if found, err := places(row, path); path != "" && (err != nil || len(found) == 0) {
			return true
		}
	}
	all, foreign, err := s.Names(row)
	return err != nil || len(all) == 0 || foreign > 0 ||
		slices.ContainsFunc(all, func(n Named) bool { return n.Covers(o) })
}

// place is a value below a path, and its index in each list on the way.
type place struct {
	value any
	at    []int
}

// places finds every value at a path.
func places(row Row, path string) ([]place, error) {
	found := []place{{value: map[string]any(row)}}
	for step := range strings.SplitSeq(path, ".") {
		name, list := strings.CutSuffix(step, "[]")
		var next []place
		for _, p := range found {
			value, err := below(path, p.value, name)
			if err != nil {
				return nil, err
			}
			if !list {
				if value != nil {
					next = append(next, place{value, p.at})
				}
				continue
			}
			elements, err := elementsOf(path, value)
			if err != nil {
				return nil, err
			}
			for i, e := range elements {
				next = append(next, place{e, append(slices.Clone(p.at), i)})
			}
		}
		found = next
	}
	return found, nil
}

// value finds what stands at a path whose lists are entered at the indices; nil
// for nothing.
func (r Row) value(path string, at []int) (any, error) {
	var value any = map[string]any(r)
	for step := range strings.SplitSeq(path, ".") {
		name, list := strings.CutSuffix(step, "[]")
		var err error
		if value, err = below(path, value, name); err != nil {
			return nil, err
		}
		if !list {
			continue
		}
		elements, err := elementsOf(path, value)
		if err != nil || len(at) == 0 || at[0] >= len(elements) {
			return nil, err
		}
		value, at = elements[at[0]], at[1:]
	}
	return value, nil
}

// below is a map's entry; nil where there is none, and below nothing.
func below(path string, value any, name string) (any, error) {
	switch m := value.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return m[name], nil
	}
	return nil, unreadable(path, "expected a map on the way to it")
}

// elementsOf are a list's; none of nothing.
func elementsOf(path string, value any) ([]any, error) {
	switch list := value.(type) {
	case nil:
		return nil, nil
	case []any:
		return list, nil
	}
	return nil, unreadable(path, "expected a list on the way to it")
}

// textOf takes numbers too: an id may be one.
func textOf(where string, value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	return "", unreadable(where, "expected a string")
}
