package main

import (
	"strings"
	"testing"
)

// A rate of 0 that is taken for "not given" turns deletion on at the gate's own
// rate, of 500 a second: the opposite of what was asked for.
func TestARateOrBurstThatNoGateMayHaveIsRefusedAndNotLeftOut(t *testing.T) {
	for _, args := range [][]string{
		{"mode", "delete", "--rate", "0", "--yes"},
		{"mode", "delete", "--rate", "-1", "--yes"},
		{"mode", "delete", "--burst", "0", "--yes"},
		{"mode", "delete", "--rate", "5", "--burst", "999999999", "--yes"},
		{"rate", "set", "5", "--burst", "0", "--yes"},
	} {
		got := runLine(t.Context(), append(args, "--table", "t")...)
		if got.code != exitFailed || !strings.Contains(got.errs, ": expected 1 to ") {
			t.Errorf("%v: exit %d, and says %q", args, got.code, got.errs)
		}
	}
}
