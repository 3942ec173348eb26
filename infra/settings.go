//go:build infra

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/infra/strandline"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/source"
)

// keyPrefix begins the names of our keys in the context; others are the CDK's.
const keyPrefix = "strandline:"

// settings are what the context says.
type settings struct {
	stack   string
	props   strandline.Props
	streams map[string]string // by table
}

func (s settings) architecture() string { return cmp.Or(s.props.Architecture, strandline.ARM64) }

// readers are the keys, and what each sets. All values are text, as -c gives
// them; those of cdk.json may also be lists, or an object for the policy.
var readers = map[string]func(s *settings, value any) error{
	"stack":             text(func(s *settings) *string { return &s.stack }),
	"prefix":            text(func(s *settings) *string { return &s.props.Prefix }),
	"mail":              text(func(s *settings) *string { return &s.props.Mail }),
	"architecture":      text(func(s *settings) *string { return &s.props.Architecture }),
	"inventory-bucket":  text(func(s *settings) *string { return &s.props.Inventory.Bucket }),
	"inventory-account": text(func(s *settings) *string { return &s.props.Inventory.Account }),
	"inventory-config":  text(func(s *settings) *string { return &s.props.Inventory.Config }),
	"inventory-prefix":  text(func(s *settings) *string { return &s.props.Inventory.Prefix }),
	"buckets":           buckets(false),
	"new-buckets":       buckets(true),
	"policy":            pairs(applyPolicy),
	"environment":       pairs(applyEnvironment),
	"storage-events":    applyStorageEvents,
	"origins":           applyOrigins,
	"sources":           applySources,
	"streams":           pairs(applyStreams),
}

// readSettings is strict: a key of ours that nothing reads is an error, because
// a mistyped delay must not go unnoticed.
func readSettings(all any) (settings, error) {
	entries, ok := all.(map[string]any)
	if !ok {
		return settings{}, errors.New("the context is not an object")
	}
	s := settings{}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		name, ours := strings.CutPrefix(key, keyPrefix)
		if !ours {
			continue
		}
		read, known := readers[name]
		if !known {
			return settings{}, fmt.Errorf("context key %s is unknown: expected %s", key, knownKeys())
		}
		if err := read(&s, entries[key]); err != nil {
			return settings{}, fmt.Errorf("context key %s: %w", key, err)
		}
	}
	if err := s.joinStreams(); err != nil {
		return settings{}, fmt.Errorf("context key %sstreams: %w", keyPrefix, err)
	}
	if s.stack == "" {
		s.stack = title(cmp.Or(s.props.Prefix, "strandline"))
	}
	if !regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,127}$`).MatchString(s.stack) {
		return settings{}, fmt.Errorf("context key %sstack is %q: expected letters, digits and hyphens, a letter first", keyPrefix, s.stack)
	}
	return s, nil
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func knownKeys() string {
	return keyPrefix + strings.Join(slices.Sorted(maps.Keys(readers)), ", "+keyPrefix)
}

func text(field func(*settings) *string) func(*settings, any) error {
	return func(s *settings, value any) error {
		given, ok := value.(string)
		if !ok {
			return errors.New("expected text")
		}
		*field(s) = given
		return nil
	}
}

// words are the values of a list, or of a text with commas.
func words(value any) ([]string, error) {
	switch given := value.(type) {
	case string:
		return strings.FieldsFunc(given, func(r rune) bool { return r == ',' || r == ' ' }), nil
	case []any:
		all := make([]string, len(given))
		for i, one := range given {
			word, ok := one.(string)
			if !ok {
				return nil, errors.New("expected a list of names")
			}
			all[i] = word
		}
		return all, nil
	}
	return nil, errors.New("expected names with commas between")
}

// buckets reads names; one may be narrowed to a prefix: my-bucket/uploads/.
func buckets(isNew bool) func(*settings, any) error {
	return func(s *settings, value any) error {
		names, err := words(value)
		for _, name := range names {
			bucket, prefix, _ := strings.Cut(name, "/")
			s.props.Buckets = append(s.props.Buckets, strandline.Bucket{Name: bucket, Prefix: prefix, New: isNew})
		}
		return err
	}
}

// pairs reads NAME=value pairs, or an object, and applies them.
func pairs(apply func(*settings, map[string]string) error) func(*settings, any) error {
	return func(s *settings, value any) error {
		variables := map[string]string{}
		if object, ok := value.(map[string]any); ok {
			for name, one := range object {
				variables[name] = fmt.Sprint(one)
			}
			return apply(s, variables)
		}
		list, err := words(value)
		if err != nil {
			return errors.New("expected NAME=value with commas between, or an object")
		}
		for _, pair := range list {
			name, value, ok := strings.Cut(pair, "=")
			if !ok {
				return fmt.Errorf("%q is no NAME=value", pair)
			}
			variables[name] = value
		}
		return apply(s, variables)
	}
}

func applyEnvironment(s *settings, variables map[string]string) error {
	s.props.Environment = variables
	return nil
}

func applyStorageEvents(s *settings, value any) error {
	switch value {
	case "on", "off":
		s.props.NoStorageEvents = value == "off"
		return nil
	}
	return errors.New("expected on or off")
}

func applyOrigins(s *settings, value any) (err error) {
	s.props.Origins, err = words(value)
	return err
}

// applySources reads the file with the sources, the same that strandline audit
// takes with --sources.
func applySources(s *settings, value any) error {
	name, ok := value.(string)
	if !ok || name == "" {
		return errors.New("expected the name of a file")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	all, err := source.Parse(text)
	for _, one := range all {
		s.props.Sources = append(s.props.Sources, strandline.Source{Source: one})
	}
	return err
}

func applyStreams(s *settings, variables map[string]string) error {
	s.streams = variables
	return nil
}

// joinStreams gives each source the stream of its table. A stream of no source
// is an error: its table would go unread.
func (s *settings) joinStreams() error {
	for _, table := range slices.Sorted(maps.Keys(s.streams)) {
		i := slices.IndexFunc(s.props.Sources, func(one strandline.Source) bool { return one.Table == table })
		if table == "" || i < 0 {
			return fmt.Errorf("table %q is of no source", table)
		}
		s.props.Sources[i].Stream = s.streams[table]
	}
	return nil
}

// applyPolicy takes the names of docs/policy.md, with or without STRANDLINE_.
func applyPolicy(s *settings, variables map[string]string) error {
	whole := map[string]string{}
	for name, value := range variables {
		whole[policy.EnvPrefix+strings.TrimPrefix(name, policy.EnvPrefix)] = value
	}
	p, err := strandline.PolicyFrom(whole)
	if err != nil {
		return err
	}
	s.props.Policy = &p
	return nil
}

// oneLine turns a panic of the CDK's into its first line.
func oneLine(cause any) error {
	message := fmt.Sprint(cause)
	if err, ok := cause.(error); ok {
		message = err.Error()
	}
	for line := range strings.Lines(message) {
		if line = strings.TrimSpace(line); line != "" {
			return errors.New(line)
		}
	}
	return errors.New("synthesis stopped without a reason")
}
