package show

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
)

// Counted is a number of things: "1 upload", "1,204 uploads".
func Counted(n int64, what string) string { return CountedAs(n, what, what+"s") }

// CountedAs is a number with the words for one and for many: "1 stays",
// "1,204 stay".
func CountedAs(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return bytesize.Count(n) + " " + many
}

// These are the things that a question is about.
func These(n int) string {
	if n == 1 {
		return "this one"
	}
	return "these " + bytesize.Count(int64(n))
}

// Fact writes a line of what is known: a name and its value. What is unknown is
// no line.
func Fact(out io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(out, "%-14s %s\n", name, Plain(value))
	}
}

// longest is how many characters of a reason a cell has room for.
const longest = 60

// Short is a text of somebody else's, no longer than a cell has room for.
func Short(text string) string {
	text = Plain(text)
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest-1]) + "…"
}
