package source

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	names = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)
	// paths come into reasons and logs, so they are one line of text.
	paths = regexp.MustCompile(`^[^.\[\]\x00-\x1f\x7f]+(\[\])?(\.[^.\[\]\x00-\x1f\x7f]+(\[\])?)*$`)
	// tables are names, as streams tell them: DynamoDB itself takes an ARN too. A
	// deployment's names may be placeholders, so DynamoDB is left to say the rest.
	tables = regexp.MustCompile(`^[^\s:/]{1,255}$`)
	bases  = regexp.MustCompile(`^https?://[^/?#@]+/([^?#]*/)?$`)
)

// Validate says in one line what of the source cannot be.
func (s Source) Validate() error {
	if !names.MatchString(s.Name) {
		return errors.New("name: expected up to 32 lower-case letters, digits and hyphens")
	}
	for i, b := range s.URLs {
		if err := b.validate(); err != nil {
			return fmt.Errorf("urls %d: %w", i+1, err)
		}
		if slices.ContainsFunc(s.URLs[:i], func(o Base) bool { return o.root() == b.root() && o.path() == b.path() }) {
			return fmt.Errorf("urls %d: it stands for something else before", i+1)
		}
	}
	if s.Table == "" {
		return s.validateOutbox()
	}
	return s.validateTable()
}

func (b Base) validate() error {
	switch {
	case !bases.MatchString(b.URL):
		return errors.New(`url: expected https://host/ or http://host/, with a path or without, "/" at the end`)
	case b.Bucket == "":
		return errors.New("bucket: needed, it is what the url stands for")
	}
	return nil
}

func (s Source) validateOutbox() error {
	switch {
	case s.Paths != Paths{}:
		return errors.New("paths without a table: releases of an outbox name their objects themselves")
	case s.Index != nil:
		return errors.New("index without a table: an outbox has no rows that can be asked for")
	}
	return nil
}

func (s Source) validateTable() error {
	p := s.Paths
	switch {
	case !tables.MatchString(s.Table):
		return errors.New("table: expected its name, which is no ARN")
	case p.Key == "" && p.URL == "":
		return errors.New("paths: key or url is needed, else a row names no object")
	case p.Key != "" && p.URL != "":
		return errors.New("paths: key and url are both given: one of them names the object")
	case p.URL != "" && p.Bucket != "":
		return errors.New("paths: url and bucket are both given: a url says its bucket itself")
	case p.Key != "" && s.Bucket == "" && p.Bucket == "":
		return errors.New("bucket: needed where the rows hold a key alone")
	case p.URL != "" && s.Bucket == "" && len(s.URLs) == 0:
		return errors.New("bucket: needed where the rows hold URLs, or urls: a URL of any other bucket is not released")
	case s.Tenant == "" && p.Tenant == "":
		return errors.New("tenant: needed, of all rows or by its path")
	case s.Index != nil && (s.Index.Attribute == "" || s.Index.Holds != HoldsKey && s.Index.Holds != HoldsURL):
		return fmt.Errorf("index: expected an attribute, and holds %q or %q", HoldsKey, HoldsURL)
	}
	return p.validate()
}

// maxPath is how many bytes a path may have.
const maxPath = 1_000

func (p Paths) validate() error {
	for _, one := range []struct{ name, path string }{
		{"tenant", p.Tenant}, {"bucket", p.Bucket}, {"key", p.Key}, {"version", p.Version}, {"url", p.URL}, {"entity", p.Entity},
	} {
		switch {
		case one.path == "":
		case !paths.MatchString(one.path), len(one.path) > maxPath, !utf8.ValidString(one.path):
			return fmt.Errorf(`paths: %s is %.60q: expected attribute names with dots between, such as images[].key`, one.name, one.path)
		case !strings.HasPrefix(p.object(), lists(one.path)):
			return fmt.Errorf("paths: %s is %.60q: it is in a list that %.60q is not in", one.name, one.path, p.object())
		case one.name == "entity" && lists(one.path) != "":
			return fmt.Errorf("paths: entity is %.60q: a row has one name", one.path)
		}
	}
	return nil
}

// lists is the path up to its last list; empty where it has none.
func lists(path string) string {
	i := strings.LastIndex(path, "[]")
	if i < 0 {
		return ""
	}
	return path[:i+len("[]")]
}
