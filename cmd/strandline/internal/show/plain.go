package show

import (
	"strconv"
	"strings"
	"unicode"
)

// Plain is a text that somebody else wrote (a reason, an error), in one line
// that cannot move a terminal's cursor.
func Plain(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return text
	}
	quoted := strconv.QuoteToGraphic(text)
	return quoted[1 : len(quoted)-1]
}
