package show

import (
	"strings"
	"testing"
)

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
