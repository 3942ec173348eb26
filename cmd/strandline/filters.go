package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// filters are the flags that narrow what a command is about.
var filters = []string{"tenant", "reason", "queue", "state", "bucket", "gate"}

// refuseEmptyFilters refuses a filter that was given and says nothing. Left out,
// it means all; a script whose variable is empty means one, and must not get
// all.
func refuseEmptyFilters(cmd *cobra.Command, _ []string) error {
	for _, name := range filters {
		f := cmd.Flags().Lookup(name)
		if f != nil && f.Changed && (f.Value.String() == "" || f.Value.String() == "[]") {
			return fmt.Errorf("--%s is empty: give what it is to be, or leave it out", name)
		}
	}
	return nil
}
