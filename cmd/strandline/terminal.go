package main

import (
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/meter"
)

// progressOf is where a command shows how far it is: on standard error, if that
// is a terminal.
func progressOf(cmd *cobra.Command) *meter.Meter {
	errs := cmd.ErrOrStderr()
	return meter.New(errs, isTerminal(errs), time.Now)
}

func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
