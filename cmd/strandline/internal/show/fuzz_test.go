package show_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
)

// FuzzArguments: whatever a tenant or an upload is called, a shell reads the line
// that is to be copied as those arguments and nothing else, and a terminal shows
// it in one line.
func FuzzArguments(f *testing.F) {
	for _, arg := range []string{"acme", "a b", "$(rm -rf /)", "'", `\`, "\n", "-x", "", "\x1b[2J", "\xff", "é", "`id`", "~", "#", "!!", "\u202e", "a'\n"} {
		f.Add(arg, "u-1")
		f.Add("t", arg)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		if strings.Contains(first+second, "\x00") {
			return // no argument holds it
		}
		line := show.Arguments(first, second)
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Fatalf("%q", line)
		}
		want := []string{first, second}
		if strings.HasPrefix(first, "-") || strings.HasPrefix(second, "-") {
			want = append([]string{"--"}, want...)
		}
		if got, ok := words(line); !ok || !slices.Equal(got, want) {
			t.Fatalf("%q is read as %q, want %q", line, got, want)
		}
		if plain := show.Plain(first); strings.ContainsFunc(plain, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Fatalf("%q is shown as %q", first, plain)
		}
	})
}

// words reads a line as bash does, as far as we write it: bare words of letters
// that mean nothing to it, '…', \' and $'…'.
func words(line string) (all []string, ok bool) {
	for line != "" {
		var word strings.Builder
		for line != "" && line[0] != ' ' {
			var part string
			if part, line, ok = piece(line); !ok {
				return nil, false
			}
			word.WriteString(part)
		}
		all = append(all, word.String())
		line = strings.TrimPrefix(line, " ")
	}
	return all, true
}

func piece(line string) (part, rest string, ok bool) {
	switch {
	case strings.HasPrefix(line, "$'"):
		return escaped(line[2:])
	case line[0] == '\'':
		return strings.Cut(line[1:], "'")
	case line[0] == '\\' && len(line) > 1:
		return line[1:2], line[2:], true
	}
	n := strings.IndexAny(line, " '\\")
	if n < 0 {
		n = len(line)
	}
	return line[:n], line[n:], n > 0 && !strings.ContainsAny(line[:n], "$`\"*?[]{}()<>|&;!#~^=\t")
}

// escaped reads to the end of $'…'.
func escaped(line string) (part, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\'':
			return b.String(), line[i+1:], true
		case line[i] == '\\' && i+3 < len(line) && line[i+1] == 'x':
			char, err := hex.DecodeString(line[i+2 : i+4])
			if err != nil {
				return "", "", false
			}
			b.Write(char)
			i += 3
		case line[i] == '\\' && i+1 < len(line):
			b.WriteByte(line[i+1])
			i++
		default:
			b.WriteByte(line[i])
		}
	}
	return "", "", false
}
