package policy

import (
	"errors"
	"fmt"

	"github.com/caarlos0/env/v11"
)

// EnvPrefix begins the name of every variable that sets a policy value.
const EnvPrefix = "STRANDLINE_"

// FromEnv returns the default policy with the values that environ sets
// (STRANDLINE_SAFETY_MARGIN=10m and so on; durations as Go writes them, "36h").
// A value that cannot be parsed or lies below its floor is an error that names
// the variable or the field; nothing is clamped.
func FromEnv(environ map[string]string) (Policy, error) {
	p := Default()
	err := env.ParseWithOptions(&p, env.Options{Prefix: EnvPrefix, Environment: environ})
	if err != nil {
		return Policy{}, firstLine(err, environ)
	}
	if err := p.Validate(); err != nil {
		return Policy{}, err
	}
	return p, nil
}

// firstLine turns the library's list of errors into one line.
func firstLine(err error, environ map[string]string) error {
	var list env.AggregateError
	if errors.As(err, &list) && len(list.Errors) > 0 {
		err = list.Errors[0]
	}
	var parse env.ParseError
	if !errors.As(err, &parse) {
		return fmt.Errorf("policy: %w", err)
	}
	name := variableOf(parse.Name)
	return fmt.Errorf("%s is %q: expected %s", name, environ[name], expected(parse.Type))
}
