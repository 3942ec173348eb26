package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// calls are the ways in which the examples show a command.
func calls(path string, cmd *cobra.Command) [][]string {
	var own [][]string
	for _, example := range examplesOf(cmd) {
		for _, words := range callsIn(example) {
			if len(words) >= len(strings.Fields(path)) && strings.HasPrefix(strings.Join(words, " "), path) {
				own = append(own, words)
			}
		}
	}
	return own
}

// nowhereNear takes away all that says where an installation is.
func nowhereNear(t *testing.T) {
	for _, name := range []string{
		"STRANDLINE_TABLE", "STRANDLINE_BUCKET", "STRANDLINE_QUEUE_URL", "STRANDLINE_DEAD_LETTER_URL", "STRANDLINE_EVENTS_URL", "STRANDLINE_AUDIT_GROUP",
		"STRANDLINE_STORED_URL", "STRANDLINE_RELEASES_URL", "STRANDLINE_RELEASES_DEAD_URL",
		"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL",
	} {
		t.Setenv(name, "")
	}
}

// Every command that works on an installation refuses in one line without one,
// and says what to give.
func TestWithoutAnInstallationEveryCommandSaysInOneLineWhatIsMissing(t *testing.T) {
	nowhereNear(t)
	for path, cmd := range leaves(dressed()) {
		if slices.Contains(nowhere, path) {
			continue
		}
		for _, args := range calls(path, cmd) {
			if strings.Contains(strings.Join(args, " "), "--table") {
				continue
			}
			got := runLine(t.Context(), args...)
			if got.code != exitFailed || got.out != "" || strings.Count(got.errs, "\n") != 1 || !strings.Contains(got.errs, "--table is not given and STRANDLINE_TABLE is not set") {
				t.Errorf("%v: exit %d, prints %q, says %q", args, got.code, got.out, got.errs)
			}
		}
	}
}

// A question between the lines of a document would be read as one of them; a
// decision that nobody has made cannot be answered for.
func TestEveryDecisionNeedsSomebodyAndWithJSONAYes(t *testing.T) {
	nowhereNear(t)
	for path, cmd := range leaves(dressed()) {
		if !slices.Contains(changing, path) {
			continue
		}
		args := slices.DeleteFunc(slices.Clone(calls(path, cmd)[0]), func(arg string) bool { return arg == "--yes" || arg == "--json" })
		if path == "mode" {
			args = []string{"mode", "delete"}
		}
		for _, c := range []struct {
			add  []string
			says string
		}{
			{[]string{"--table", "t", "--json"}, "--json needs --yes"},
			{[]string{"--table", "t", "--yes", "--who", ""}, "--who is empty"},
		} {
			got := runLine(t.Context(), append(slices.Clone(args), c.add...)...)
			if got.code != exitFailed || got.out != "" || !strings.Contains(got.errs, c.says) || strings.Count(got.errs, "\n") != 1 {
				t.Errorf("%v %v: exit %d, says %q, expected %q", args, c.add, got.code, got.errs, c.says)
			}
		}
	}
}

func TestEveryCommandRefusesAFlagThatItDoesNotKnow(t *testing.T) {
	for path := range leaves(dressed()) {
		got := runLine(t.Context(), append(strings.Fields(path), "--no-such-flag")...)
		if got.code != exitFailed || got.out != "" || strings.Count(got.errs, "\n") != 1 || !strings.HasPrefix(got.errs, "strandline: unknown flag") {
			t.Errorf("%s: exit %d, prints %q, says %q", path, got.code, got.out, got.errs)
		}
	}
}
