package show

import (
	"strings"
	"testing"
)

// A tenant or a reason with an end of line in it would be a row of its own, of
// whatever its writer likes.
func TestACellStaysInItsRow(t *testing.T) {
	table, out := NewTable("tenant", ">objects"), &strings.Builder{}
	table.Add("a\nb\x1b[2J", "1")
	if err := table.Write(out); err != nil || out.String() != "tenant       objects\na\\nb\\x1b[2J        1\n" {
		t.Errorf("%v: it writes %q", err, out)
	}
}

func TestATableHasNumbersAtTheRightAndNoBlanksAtTheEnd(t *testing.T) {
	table := NewTable("bucket", ">objects", "state")
	table.Add("uploads-eu", "5", "over")
	table.Add("ü", "1,204,000", "")
	var out strings.Builder
	if err := table.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := "bucket        objects  state\n" +
		"uploads-eu          5  over\n" +
		"ü           1,204,000\n"
	if out.String() != want {
		t.Errorf("written:\n%s, expected\n%s", out.String(), want)
	}
}
