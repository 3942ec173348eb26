package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// flagsOf are those of the bench of that name.
func flagsOf(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard) // parse says in a line what is wrong
	return f
}

// parse reads the flags. Asked for help it lists them, and returns
// [flag.ErrHelp].
func parse(f *flag.FlagSet, args []string) error {
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Printf("bench %s [FLAGS]\n", f.Name())
		f.SetOutput(os.Stdout)
		f.PrintDefaults()
		return err
	case err == nil && f.NArg() > 0:
		err = fmt.Errorf("%q is no flag", f.Arg(0))
	}
	if err != nil {
		return fmt.Errorf("%w; bench %s -h lists the flags", err, f.Name())
	}
	return nil
}
