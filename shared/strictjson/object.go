package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"unicode/utf8"
)

// Object reads one JSON object and nothing after it: its fields by their names,
// their values not read yet. It is an error if a field is there twice, or if any
// text in it is not whole: bytes that are no UTF-8, or an escaped half of a
// surrogate pair. An error is one short line about a message; it holds at most
// the beginning of a field's name, and no value.
func Object(message []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(message) || halfCharacter(message) {
		return nil, errors.New("message is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(message))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("message is not a JSON object")
	}
	o := map[string]json.RawMessage{}
	for d.More() {
		if err := field(d, o); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, malformed(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object: expected nothing")
	}
	return o, nil
}

// field reads the next field into the object.
func field(d *json.Decoder, o map[string]json.RawMessage) error {
	t, err := d.Token()
	if err != nil {
		return malformed(err)
	}
	name, ok := t.(string)
	if !ok {
		return errors.New("JSON is malformed: a field has no name")
	}
	if _, ok := o[name]; ok {
		return fmt.Errorf("field %.40q is there twice", name)
	}
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return malformed(err)
	}
	o[name] = value
	return nil
}

func malformed(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("JSON ends too early")
	}
	return fmt.Errorf("JSON is malformed: %w", err)
}

// escapes finds JSON's escapes: a surrogate pair, half of one, any other.
var escapes = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.`)

// halfCharacter finds an escaped half of a surrogate pair, for which
// encoding/json puts another character in its place: two ids would become one.
func halfCharacter(message []byte) bool {
	const half = len(`\ud83d`)
	return slices.ContainsFunc(escapes.FindAll(message, -1), func(e []byte) bool { return len(e) == half })
}
