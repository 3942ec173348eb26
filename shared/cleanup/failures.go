package cleanup

import (
	"fmt"
	"slices"
)

// failures are what went wrong in several places at once. They are said in one
// line: the first, and how many more; errors.Is and As see all of them.
type failures []error

// together joins what failed, in order; nil if nothing did.
func together(all ...error) error {
	var joined failures
	for _, err := range all {
		switch several := err.(type) { //nolint:errorlint // a joined error is taken apart, not what it wraps
		case nil:
		case failures:
			joined = append(joined, several...)
		default:
			joined = append(joined, err)
		}
	}
	switch len(joined) {
	case 0:
		return nil
	case 1:
		return joined[0]
	}
	return joined
}

func (f failures) Error() string {
	others := 0
	for i, err := range f[1:] {
		if !slices.ContainsFunc(f[:i+1], func(e error) bool { return e.Error() == err.Error() }) {
			others++
		}
	}
	if others == 0 {
		return f[0].Error()
	}
	return fmt.Sprintf("%v (and %d more that failed)", f[0], others)
}

func (f failures) Unwrap() []error { return f }
