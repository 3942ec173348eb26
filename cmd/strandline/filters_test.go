package main

import (
	"strings"
	"testing"
)

// In a script, --tenant "$tenant" with an empty variable would let everybody's
// parked purges go on, and --reason "$reason" discard all that is dead.
func TestAFilterThatIsGivenAndEmptyIsNotTakenForAll(t *testing.T) {
	for _, args := range [][]string{
		{"parked", "retry", "--all", "--yes", "--tenant", ""},
		{"parked", "list", "--tenant", ""},
		{"stuck", "list", "--tenant", ""},
		{"dlq", "discard", "--all", "--yes", "--queue", "purge", "--reason", ""},
		{"dlq", "redrive", "--all", "--yes", "--reason", ""},
		{"dlq", "list", "--queue", ""},
		{"runs", "list", "--state", ""},
		{"pause", "--gate", ""},
		{"holds", "list", "--bucket", ""},
	} {
		got := runLine(t.Context(), append(args, "--table", "t")...)
		if got.code != exitFailed || !strings.Contains(got.errs, " is empty: give what it is to be") {
			t.Errorf("%v: exit %d, and says %q", args, got.code, got.errs)
		}
	}
}
