package show

import (
	"strings"
	"testing"
)

func TestNumbersHaveTheWordsForOneAndForMany(t *testing.T) {
	for got, want := range map[string]string{
		Counted(0, "upload"):             "0 uploads",
		Counted(1, "upload"):             "1 upload",
		Counted(1204, "upload"):          "1,204 uploads",
		CountedAs(1, "stays", "stay"):    "1 stays",
		CountedAs(1204, "stays", "stay"): "1,204 stay",
		These(1):                         "this one",
		These(1204):                      "these 1,204",
	} {
		if got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}

func TestAFactIsOneLineAndWhatIsUnknownIsNone(t *testing.T) {
	var out strings.Builder
	Fact(&out, "owner", "")
	Fact(&out, "run", "a\nb")
	if want := "run            a\\nb\n"; out.String() != want {
		t.Errorf("%q, expected %q", out.String(), want)
	}
}

// A cell that is as long as somebody likes pushes the others off the terminal.
func TestALongTextIsCutBetweenCharacters(t *testing.T) {
	if fits := strings.Repeat("ü", longest); Short(fits) != fits {
		t.Errorf("%q is cut", fits)
	}
	got := Short(strings.Repeat("ü", longest+1))
	if want := strings.Repeat("ü", longest-1) + "…"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	if got := Short("a\x1b[2J"); got != `a\x1b[2J` {
		t.Errorf("%q moves the cursor", got)
	}
}
