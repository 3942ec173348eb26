package show

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain is a text that somebody else wrote (a reason, an error), in one line
// that cannot move a terminal's cursor.
func Plain(text string) string {
	// A byte that is no UTF-8 is a control character to some terminals.
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return text
	}
	quoted := strconv.QuoteToGraphic(text)
	return quoted[1 : len(quoted)-1]
}
