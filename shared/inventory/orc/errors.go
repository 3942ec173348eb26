package orc

import (
	"errors"
	"fmt"
)

var (
	// ErrCorrupt is a file that breaks the format's rules, or ends early.
	ErrCorrupt = errors.New("corrupt ORC file")
	// ErrUnsupported is a file that may be sound, but uses what this package
	// does not read.
	ErrUnsupported = errors.New("unsupported ORC file")
)

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUnsupported}, args...)...)
}
