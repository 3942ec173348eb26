package main

import (
	"fmt"
	"io"
	"slices"

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

// groups are the headings under which the root's help shows its commands, in
// the order in which a new operator needs them.
var groups = []struct {
	title    string
	commands []string
}{
	{"Is it in order, and what would it do:", []string{"doctor", "audit", "plan", "runs", "census"}},
	{"Stop and go:", []string{"mode", "pause", "resume", "rate"}},
	{"Act now:", []string{"run", "approve"}},
	{"One upload, and what waits for a person:", []string{"explain", "stuck", "parked", "dlq", "holds"}},
	{"Without an installation:", []string{"reconcile", "inventory", "demo", "version", "completion", "help"}},
}

// dress gives all commands what they have in common: their place in the root's
// help, the exit codes at the end of their own, where a wrong flag leads, and
// examples of how to load what completes in each shell. The root has its output
// by then: cobra's completion remembers where that goes.
func dress(root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		help(cmd, args)
		exitCodes(cmd.OutOrStdout(), cmd.Annotations[findingsMean])
	})
	leadToHelp(root)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
	}
	for _, cmd := range root.Commands() {
		for _, g := range groups {
			if slices.Contains(g.commands, cmd.Name()) {
				cmd.GroupID = g.title
			}
		}
		switch cmd.Name() {
		case "completion":
			exampleShells(cmd)
			onlyShells(cmd)
		case "help":
			helpOfCommands(cmd)
		}
	}
}

func exampleShells(cmd *cobra.Command) {
	for _, shell := range cmd.Commands() {
		shell.Example = "  strandline completion " + shell.Name() + "\n  strandline completion " + shell.Name() + " --no-descriptions"
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
