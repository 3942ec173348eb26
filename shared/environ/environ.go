// Package environ reads a function's variables, strictly: every one whose name
// begins with STRANDLINE_ must be known, and what is wrong gets one line that
// names the variable, what it holds and what is expected. A mistyped delay must
// not go unnoticed.
package environ

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"

	"github.com/strandline-dev/strandline/shared/policy"
)

// Read fills a function's own settings and returns the policy. Into points to a
// struct whose fields have the tags of caarlos0/env, without the prefix, and
// say in the tag "expect" what a right value looks like.
func Read(environ map[string]string, into any) (policy.Policy, error) {
	options := env.Options{Prefix: policy.EnvPrefix, Environment: environ}
	if err := unknown(environ, options, into); err != nil {
		return policy.Policy{}, err
	}
	if err := env.ParseWithOptions(into, options); err != nil {
		return policy.Policy{}, oneLine(err, environ, reflect.TypeOf(into).Elem())
	}
	return policy.FromEnv(environ)
}

// CheckURL refuses a value that is no URL over HTTP; name is its variable's,
// without the prefix, and what says of which thing it should be one.
func CheckURL(name, value, what string) error {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%s%s is %q: expected %s", policy.EnvPrefix, name, value, what)
	}
	return nil
}

// CheckCount refuses a number that is not 1 to most; name is its variable's,
// without the prefix.
func CheckCount(name string, value, most int) error {
	if value < 1 || value > most {
		return fmt.Errorf("%s%s is %d: expected 1 to %d", policy.EnvPrefix, name, value, most)
	}
	return nil
}

// unknown names the first variable of ours that nothing reads.
func unknown(environ map[string]string, options env.Options, into any) error {
	known := map[string]bool{}
	for _, holder := range []any{into, &policy.Policy{}} {
		fields, err := env.GetFieldParamsWithOptions(holder, options)
		if err != nil {
			return fmt.Errorf("read the variables' names: %w", err)
		}
		for _, f := range fields {
			known[f.Key] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(environ)) {
		if strings.HasPrefix(name, policy.EnvPrefix) && !known[name] {
			return fmt.Errorf("%s is %q: there is no such variable", name, environ[name])
		}
	}
	return nil
}

// oneLine is the first of the library's errors, in our words.
func oneLine(err error, environ map[string]string, settings reflect.Type) error {
	var list env.AggregateError
	if errors.As(err, &list) && len(list.Errors) > 0 {
		err = list.Errors[0]
	}
	var unset env.VarIsNotSetError
	var empty env.EmptyVarError
	var parse env.ParseError
	switch {
	case errors.As(err, &unset):
		return fmt.Errorf("%s is not set: expected %s", unset.Key, expected(settings, unset.Key))
	case errors.As(err, &empty):
		return fmt.Errorf("%s is empty: expected %s", empty.Key, expected(settings, empty.Key))
	case errors.As(err, &parse):
		field, _ := settings.FieldByName(parse.Name)
		name, _, _ := strings.Cut(field.Tag.Get("env"), ",")
		name = policy.EnvPrefix + name
		return fmt.Errorf("%s is %q: expected %s", name, environ[name], field.Tag.Get("expect"))
	}
	return err
}

// expected says what the variable's field is described with.
func expected(settings reflect.Type, variable string) string {
	for i := range settings.NumField() {
		f := settings.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("env"), ","); policy.EnvPrefix+name == variable {
			return f.Tag.Get("expect")
		}
	}
	return "a value"
}
