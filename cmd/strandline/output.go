package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
)

// errLost: the command has run, and what it had to show is not where it was to
// go: a full disk, a reader that has gone away.
var errLost = errors.New("what was to be shown could not be written; what was done stays done")

// output is where a command's results go. It remembers the first that could not
// be written: a script that finds half of them must not read exit code 0.
type output struct {
	to     io.Writer
	failed error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// orLost is how the command ended, or that its results are lost if that is all
// that went wrong.
func (o *output) orLost(err error) error {
	ended := err == nil || errors.Is(err, errFindings) || errors.Is(err, errDiffers)
	if o.failed != nil && (ended || errors.Is(err, o.failed)) {
		return fmt.Errorf("%w: %w", errLost, o.failed)
	}
	return err
}

// oneLine is an error as a person reads it. It may hold what somebody else
// wrote (an id, a service's answer), so nothing in it moves the cursor, and
// several are told one after the other.
func oneLine(err error) string {
	return show.Plain(strings.ReplaceAll(err.Error(), "\n", "; "))
}
