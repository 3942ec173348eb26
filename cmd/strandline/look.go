package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// findingsMean is the annotation that says what exit code 1 of a command means.
const findingsMean = "strandline-exit-1"

// withFindings marks a command that may end with [errFindings], or with
// [errDiffers], and says what that means. Its help then shows the exit code.
func withFindings(cmd *cobra.Command, meaning string) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[findingsMean] = meaning
	return cmd
}

// dress gives all commands what they have in common: the exit codes at the end
// of the help, and examples of how to load what completes in each shell. The
// root has its output by then: cobra's completion remembers where that goes.
func dress(root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		help(cmd, args)
		exitCodes(cmd.OutOrStdout(), cmd.Annotations[findingsMean])
	})
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Example = "  strandline completion bash > /etc/bash_completion.d/strandline\n  strandline completion zsh > \"${fpath[1]}/_strandline\""
		for _, shell := range cmd.Commands() {
			shell.Example = "  strandline completion " + shell.Name() + "\n  strandline completion " + shell.Name() + " --no-descriptions"
		}
	}
}

// exitCodes writes the table of exit codes; findings is what 1 means, empty for
// a command that never ends with it.
func exitCodes(out io.Writer, findings string) {
	fmt.Fprintf(out, "\nExit codes:\n  %-4d done\n", exitOK)
	if findings != "" {
		fmt.Fprintf(out, "  %-4d %s\n", exitFindings, findings)
	}
	fmt.Fprintf(out, "  %-4d wrong usage, something missing, refused or failed; one line on standard error says which\n", exitFailed)
	fmt.Fprintf(out, "  %-4d interrupted\n", exitInterrupted)
}
