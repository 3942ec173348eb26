package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// Source is one table, or one outbox, whose rows name objects.
type Source struct {
	// Name is the source's own, in records, messages, metrics and reports: up
	// to 32 lower-case letters, digits and hyphens.
	Name string `json:"name"`
	// Table is the DynamoDB table whose stream is read; empty for an outbox,
	// whose releases come as messages.
	Table string `json:"table,omitempty"`
	// Bucket and Tenant are those of every row, where no path says so.
	Bucket string `json:"bucket,omitempty"`
	Tenant string `json:"tenant,omitempty"`
	// Paths say where in a row is what; of a table only.
	Paths Paths `json:"paths,omitzero"`
	// URLs are the beginnings of URLs that stand for a bucket beside S3's own
	// forms, such as a CDN's: https://cdn.example.com/ → bucket and key prefix.
	URLs []Base `json:"urls,omitempty"`
	// Index finds the rows that name an object; nil where there is none, and
	// then nothing protects an object that two rows name.
	Index *Index `json:"index,omitempty"`
}

// Paths are the places in a row, as attribute names with dots between: image.key.
// "[]" after a name stands for every element of a list: images[].key. Key or
// URL is required; both at the same depth of lists as Bucket and Version.
type Paths struct {
	Tenant  string `json:"tenant,omitempty"`
	Bucket  string `json:"bucket,omitempty"`
	Key     string `json:"key,omitempty"`
	Version string `json:"version,omitempty"`
	URL     string `json:"url,omitempty"`
}

// Base is the beginning of a URL that stands for a bucket, and for a prefix of
// its keys.
type Base struct {
	URL    string `json:"url"` // ends in "/"
	Bucket string `json:"bucket"`
	Prefix string `json:"prefix,omitempty"`
}

// Index is an index of the table whose partition key is what the row names the
// object by, alone and as a string.
type Index struct {
	// Name of the global secondary index; empty for the table's own key, which
	// alone is read consistently.
	Name      string `json:"name,omitempty"`
	Attribute string `json:"attribute"`
	// Holds says what the attribute holds: "key" or "url".
	Holds string `json:"holds"`
}

// What an index's attribute holds.
const (
	HoldsKey = "key"
	HoldsURL = "url"
)

var names = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// Parse reads a JSON array of sources, as STRANDLINE_SOURCES and the file of
// --sources hold it; empty text is none. An error is one line that says which
// source and what of it.
func Parse(text []byte) ([]Source, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var all []Source
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("sources are not a JSON array of sources: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("sources are not one JSON array: something follows it")
	}
	seen, tables := map[string]bool{}, map[string]bool{}
	for i, s := range all {
		if err := s.Validate(); err != nil {
			return nil, fmt.Errorf("source %d (%q): %w", i+1, s.Name, err)
		}
		if seen[s.Name] || s.Table != "" && tables[s.Table] {
			return nil, fmt.Errorf("source %d (%q): its name or table is another's too", i+1, s.Name)
		}
		seen[s.Name], tables[s.Table] = true, true
	}
	return all, nil
}

// ByName finds a source.
func ByName(all []Source, name string) (Source, bool) {
	i := slices.IndexFunc(all, func(s Source) bool { return s.Name == name })
	if i < 0 {
		return Source{}, false
	}
	return all[i], true
}

// ByTable finds the source of a table.
func ByTable(all []Source, table string) (Source, bool) {
	i := slices.IndexFunc(all, func(s Source) bool { return s.Table != "" && s.Table == table })
	if i < 0 {
		return Source{}, false
	}
	return all[i], true
}

// Validate says in one line what of the source cannot be.
func (s Source) Validate() error {
	switch {
	case !names.MatchString(s.Name):
		return errors.New("name: expected up to 32 lower-case letters, digits and hyphens")
	case s.Table == "" && s.Paths != Paths{}:
		return errors.New("paths without a table: releases of an outbox name their objects themselves")
	case s.Table == "" && s.Index != nil:
		return errors.New("index without a table: an outbox has no rows that can be asked for")
	case s.Table != "" && s.Paths.Key == "" && s.Paths.URL == "":
		return errors.New("paths: key or url is needed, else a row names no object")
	case s.Table != "" && s.Paths.Key != "" && s.Paths.URL != "":
		return errors.New("paths: key and url are both given: one of them names the object")
	case s.Paths.Key != "" && s.Bucket == "" && s.Paths.Bucket == "":
		return errors.New("bucket: needed where the rows hold a key alone")
	case s.Table != "" && s.Tenant == "" && s.Paths.Tenant == "":
		return errors.New("tenant: needed, of all rows or by its path")
	case s.Index != nil && (s.Index.Attribute == "" || s.Index.Holds != HoldsKey && s.Index.Holds != HoldsURL):
		return fmt.Errorf("index: expected an attribute, and holds %q or %q", HoldsKey, HoldsURL)
	}
	return nil
}
