package create

import (
	"fmt"

	"github.com/strandline-dev/strandline/shared/awsconf"
)

// doing says what was being done when a call failed; nil if it did not.
func doing(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, awsconf.Kind(err))...)
}

// different says how something that exists is not what is described.
func different(what, name, setting string, has, wants any) error {
	return fmt.Errorf("%s %s exists and is another: its %s is %v, expected %v", what, name, setting, has, wants)
}
