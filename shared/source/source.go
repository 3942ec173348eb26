package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Source is one table, or one outbox, whose rows name objects.
type Source struct {
	// Name is the source's own, in records, messages, metrics and reports: up
	// to 32 lower-case letters, digits and hyphens.
	Name string `json:"name"`
	// Table is the DynamoDB table whose stream is read; empty for an outbox,
	// whose releases come as messages.
	Table string `json:"table,omitempty"`
	// Bucket and Tenant are those of every row, where no path says so. A URL of
	// another bucket than this one and those of URLs is not the source's business.
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
// "[]" after a name stands for every element of a list or set: images[].key.
// Key or URL is required; the others are in no list that it is not in:
// images[].key goes with images[].version and with a tenant.
type Paths struct {
	Tenant  string `json:"tenant,omitempty"`
	Bucket  string `json:"bucket,omitempty"`
	Key     string `json:"key,omitempty"`
	Version string `json:"version,omitempty"`
	URL     string `json:"url,omitempty"`
	// Entity is what the row is called in the ledger's references; without it
	// the row's key is: see [Source.Entity].
	Entity string `json:"entity,omitempty"`
}

// Base is the beginning of a URL that stands for a bucket, and for a prefix of
// its keys: what follows URL, percent-decoded, follows Prefix in the key.
type Base struct {
	URL    string `json:"url"` // https or http; ends in "/"
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
		return nil, fmt.Errorf("sources are not a JSON array of sources: %s", notJSON(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("sources are not one JSON array: something follows it")
	}
	seen, tables := map[string]bool{}, map[string]bool{}
	for i, s := range all {
		if err := s.Validate(); err != nil {
			return nil, fmt.Errorf("source %d (%.32q): %w", i+1, s.Name, err)
		}
		if seen[s.Name] || s.Table != "" && tables[s.Table] {
			return nil, fmt.Errorf("source %d (%q): its name or table is another's too", i+1, s.Name)
		}
		seen[s.Name], tables[s.Table] = true, true
	}
	return all, nil
}

// notJSON says why JSON was not read, in words of whoever has written it.
func notJSON(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the text breaks off"
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Sprintf("%.100s cannot be a JSON %s", kind.Field, valueKind(kind))
	case errors.As(err, &kind):
		return fmt.Sprintf("where a list of objects is expected there is a JSON %s", valueKind(kind))
	case errors.As(err, &syntax):
		return fmt.Sprintf("%v, at byte %d", syntax, syntax.Offset)
	}
	return fmt.Sprintf("%.100s", strings.TrimPrefix(err.Error(), "json: "))
}

// valueKind is what kind of value it was: of a number the library says its
// digits too, however many.
func valueKind(err *json.UnmarshalTypeError) string {
	kind, _, _ := strings.Cut(err.Value, " ")
	return kind
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
