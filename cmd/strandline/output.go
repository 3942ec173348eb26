package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
)

// errLost: the command has run, and what it had to show is not where it was to
// go: a full disk, a reader that has gone away.
var errLost = errors.New("what was to be shown could not be written; what was done stays done")

// output is where a command's results go.
//
// Nothing that is written moves a terminal's cursor or turns its text around,
// whoever wrote it into a record, a reason or a name, and whichever command
// shows it: such a character is written as \u009b, which JSON reads as the
// character that it was. Commands show names by package show, which keeps them
// in one line too; this is what holds when one has been forgotten.
//
// It remembers the first that could not be written: a script that finds half of
// the results must not read exit code 0.
type output struct {
	to     io.Writer
	failed error
	// rest begins a character whose end was not written yet.
	rest []byte
}

func (o *output) Write(p []byte) (int, error) {
	if o.failed != nil {
		return 0, o.failed // what follows a gap is no result, and this is the same error
	}
	text := slices.Concat(o.rest, p)
	o.rest = nil
	var safe strings.Builder
	for len(text) > 0 {
		if !utf8.FullRune(text) {
			o.rest = text
			break
		}
		r, size := utf8.DecodeRune(text)
		escape(&safe, r, text[:size])
		text = text[size:]
	}
	if _, o.failed = io.WriteString(o.to, safe.String()); o.failed != nil {
		return 0, o.failed
	}
	return len(p), nil
}

// escape writes a character, or how JSON spells it. Bytes that are no character
// are in no JSON; they are written as Go spells them.
func escape(out *strings.Builder, r rune, raw []byte) {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		fmt.Fprintf(out, `\x%02x`, raw[0])
	case r == '\n', r == '\t', unicode.IsGraphic(r):
		out.Write(raw)
	case r > 0xffff:
		first, second := utf16.EncodeRune(r)
		fmt.Fprintf(out, `\u%04x\u%04x`, first, second)
	default:
		fmt.Fprintf(out, `\u%04x`, r)
	}
}

// orLost is how the command ended, or that its results are lost if that is all
// that went wrong.
func (o *output) orLost(err error) error {
	ended := err == nil || errors.Is(err, errFindings) || errors.Is(err, errDiffers)
	if o.failed != nil && (ended || errors.Is(err, o.failed)) {
		return fmt.Errorf("%w: %w", errLost, o.failed)
	}
	return err
}

// oneLine is an error as a person reads it. It may hold what somebody else
// wrote (an id, a service's answer), so nothing in it moves the cursor, and
// several are told one after the other.
func oneLine(err error) string {
	return show.Plain(strings.ReplaceAll(err.Error(), "\n", "; "))
}
