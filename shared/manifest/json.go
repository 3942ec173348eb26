package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/celltext"
)

// jsonRows reads JSON Lines: an object a line, blank lines are none.
//
// encoding/json says whether a line is JSON, and the walk below takes it apart
// without a word of its own about syntax. Decoding into a struct would let
// pass what must be refused: a field that is there twice, and text that is not
// Unicode, which it replaces without a word, and so changes keys.
type jsonRows struct {
	lines *lines
	cells cells
	set   [columns]bool
}

func newJSON(from io.Reader) *jsonRows { return &jsonRows{lines: newLines(from)} }

func (r *jsonRows) at() string { return lineAt(r.lines.line) }

func (r *jsonRows) next() (*cells, error) {
	for {
		line, err := r.lines.next()
		if err != nil {
			return nil, err
		}
		rest := blank(line)
		if len(rest) == 0 {
			continue
		}
		switch {
		case !celltext.Valid(line):
			return nil, errors.New("it is not UTF-8: write the list in UTF-8, and keys of other bytes as key_base64")
		case !json.Valid(line):
			return nil, errors.New("it is not JSON, or more than one value: write one object a line")
		case rest[0] != '{':
			return nil, errors.New("it is no JSON object")
		}
		r.cells, r.set = cells{}, [columns]bool{}
		return &r.cells, r.object(rest[1:])
	}
}

// object takes apart what follows the opening brace.
func (r *jsonRows) object(rest []byte) error {
	for {
		rest = blank(rest)
		if rest[0] == ',' {
			rest = blank(rest[1:])
		}
		if rest[0] == '}' {
			return nil
		}
		name, after := jsonString(rest)
		rest = blank(blank(after)[1:]) // the colon
		text, err := unescape(name)
		if err != nil {
			return err
		}
		c := columnOf(text)
		value := rest
		rest = skip(rest)
		if c == noColumn {
			continue
		}
		if r.set[c] {
			return fmt.Errorf("%s is there twice", c)
		}
		r.set[c] = true
		value = value[:len(value)-len(rest)]
		if err := r.value(c, bytes.TrimRight(value, " \t\r\n")); err != nil {
			return err
		}
	}
}

// value keeps what a field says; null is absent.
func (r *jsonRows) value(c column, value []byte) (err error) {
	switch {
	case value[0] == 'n':
	case c == sizeColumn:
		if value[0] == '"' {
			return errors.New("size is a string: write it as a number")
		}
		r.cells[c] = value
	case value[0] != '"':
		return fmt.Errorf("%s is no string", c)
	default:
		r.cells[c], err = unescape(value[1 : len(value)-1])
	}
	return err
}

// blank drops white space.
func blank(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t' || text[0] == '\r' || text[0] == '\n') {
		text = text[1:]
	}
	return text
}

// jsonString cuts a string at the beginning of text, without its quotes.
func jsonString(text []byte) (inner, rest []byte) {
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[1:i], text[i+1:]
		}
	}
}

// skip drops the value at the beginning of text, however deep.
func skip(text []byte) []byte {
	depth := 0
	for {
		switch text[0] {
		case '"':
			_, text = jsonString(text)
		case '{', '[':
			depth++
			text = text[1:]
		case '}', ']':
			depth--
			text = text[1:]
		default:
			text = text[1:]
		}
		if depth == 0 && (text[0] == ',' || text[0] == '}') {
			return text
		}
	}
}

// unescape resolves escapes in place; what results is never longer.
func unescape(text []byte) ([]byte, error) {
	out := text[:0]
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		i++
		switch text[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			unit := hex(text[i+1:])
			i += 4
			if utf16.IsSurrogate(unit) {
				if i+6 >= len(text) || text[i+1] != '\\' || text[i+2] != 'u' {
					return nil, errSurrogate
				}
				if unit = utf16.DecodeRune(unit, hex(text[i+3:])); unit == utf8.RuneError {
					return nil, errSurrogate
				}
				i += 6
			}
			out = utf8.AppendRune(out, unit)
		default:
			out = append(out, text[i])
		}
	}
	return out, nil
}

var errSurrogate = errors.New(`an escape \u is half a character: write keys of other bytes than UTF-8 as key_base64`)

// hex reads the four digits of an escape.
func hex(digits []byte) rune {
	n := rune(0)
	for _, c := range digits[:4] {
		n <<= 4
		switch {
		case c <= '9':
			n |= rune(c - '0')
		default:
			n |= rune(c|0x20) - 'a' + 10
		}
	}
	return n
}
