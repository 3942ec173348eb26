package cleanup

import "errors"

// required is a field that an engine cannot do without.
type required struct {
	given bool
	name  string
}

// missing names the first field that was not given.
func missing(engine string, fields ...required) error {
	for _, f := range fields {
		if !f.given {
			return errors.New(engine + " has no " + f.name)
		}
	}
	return nil
}
