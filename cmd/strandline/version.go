package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/upload"
)

func newVersion() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the record schema and the Go version",
		Long: `Prints the version of this command, the schema of the records and messages that it
reads and writes, and what it was built with. Functions of another schema skip what
they do not know (docs/operate.md).`,
		Example: `  strandline version
  strandline version --json | jq .record_schema`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return show.JSON(cmd.OutOrStdout(), versions{buildVersion(), upload.Schema, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "strandline %s, record schema %d, %s %s/%s\n",
				buildVersion(), upload.Schema, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write it as JSON")
	return cmd
}

type versions struct {
	Version      string `json:"version"`
	RecordSchema int    `json:"record_schema"`
	Go           string `json:"go"`
	Platform     string `json:"platform"`
}

// buildVersion is the module version that the binary was built from, or
// "(devel)" for a build of a work tree.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
