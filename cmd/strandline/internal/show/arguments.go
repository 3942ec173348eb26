package show

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Arguments are the arguments of a command line that a person is to copy into a
// shell. Whoever chose a tenant's name does not choose what the shell then
// does: what is more than letters, digits and a few signs is quoted, as bash,
// zsh and others read it, and the first that begins with a dash follows "--".
func Arguments(args ...string) string {
	var words []string
	dashes := false
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") && !dashes {
			dashes = true
			words = append([]string{"--"}, words...)
		}
		words = append(words, argument(arg))
	}
	return strings.Join(words, " ")
}

func argument(arg string) string {
	switch {
	case arg != "" && !strings.ContainsFunc(arg, special):
		return arg
	case Plain(arg) == arg:
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	var quoted strings.Builder
	for len(arg) > 0 {
		r, size := utf8.DecodeRuneInString(arg)
		switch char := arg[:size]; {
		case r == '\'' || r == '\\':
			quoted.WriteString(`\` + char)
		case unicode.IsGraphic(r) && (r != utf8.RuneError || size > 1):
			quoted.WriteString(char)
		default:
			for _, b := range []byte(char) {
				fmt.Fprintf(&quoted, `\x%02x`, b)
			}
		}
		arg = arg[size:]
	}
	return "$'" + quoted.String() + "'"
}

func special(r rune) bool {
	letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !letter && !strings.ContainsRune("._/:@%+,-", r)
}
