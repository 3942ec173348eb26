package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/upload"
)

// fields lists what a message holds, all of it and nothing else.
var fields = []string{"schema", "run", "operation", "tenant", "upload", "version", "cutoff", "reason"}

// Decode returns the command that a message's body holds, or a *[Rejected].
func Decode(body []byte) (upload.Command, error) {
	if len(body) > MaxBody {
		return upload.Command{}, rejected("message has %d bytes: at most %d", len(body), MaxBody)
	}
	if !utf8.Valid(body) || halfCharacter(body) {
		return upload.Command{}, rejected("message is not UTF-8")
	}
	o, err := readObject(body)
	if err != nil {
		return upload.Command{}, err
	}
	if err := o.complete(); err != nil {
		return upload.Command{}, err
	}
	return o.command()
}

// object is a JSON object whose values are not read yet.
type object map[string]json.RawMessage

// readObject reads one object and nothing after it. encoding/json alone would
// take the last of two equal fields, and fields in another case.
func readObject(body []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, rejected("message is not a JSON object")
	}
	o := object{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, malformed(err)
		}
		name, ok := t.(string)
		if !ok {
			return nil, rejected("JSON is malformed: a field has no name")
		}
		if _, ok := o[name]; ok {
			return nil, rejected("field %s is there twice", shown(name))
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, malformed(err)
		}
		o[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, malformed(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, rejected("something follows the JSON object: expected nothing")
	}
	return o, nil
}

func malformed(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return rejected("JSON ends too early")
	}
	return rejected("JSON is malformed: %s", err)
}

// complete looks at the schema first: a message of a newer version is rejected
// as such, not for the fields that it has gained.
func (o object) complete() error {
	raw, ok := o["schema"]
	if !ok {
		return rejected("field schema is missing")
	}
	if !known(raw) {
		return rejected("schema is %s: this version knows only %d", held(raw), Schema)
	}
	for _, name := range fields {
		if _, ok := o[name]; !ok {
			return rejected("field %s is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(fields, name) {
			return rejected("field %s is unknown in schema %d", shown(name), Schema)
		}
	}
	return nil
}

// known reports whether a schema is this version's or an older one's: while an
// upgrade is under way, old messages are still in the queue.
func known(raw json.RawMessage) bool {
	n, err := strconv.Atoi(string(raw))
	return err == nil && n >= 1 && n <= Schema && strconv.Itoa(n) == string(raw)
}

func (o object) command() (upload.Command, error) {
	var c upload.Command
	var operation, cutoff string
	texts := []struct {
		name string
		to   *string
	}{
		{"run", &c.Run}, {"operation", &operation}, {"tenant", &c.ID.Tenant},
		{"upload", &c.ID.Upload}, {"cutoff", &cutoff}, {"reason", &c.Reason},
	}
	for _, t := range texts {
		if !isString(o[t.name]) || json.Unmarshal(o[t.name], t.to) != nil {
			return upload.Command{}, rejected("%s is %s: expected a string", t.name, held(o[t.name]))
		}
	}
	version, err := strconv.ParseInt(string(o["version"]), 10, 64)
	if err != nil {
		return upload.Command{}, rejected("version is %s: expected a whole number", held(o["version"]))
	}
	c.Operation, c.Version = upload.Operation(operation), version
	if err := c.Cutoff.UnmarshalText([]byte(cutoff)); err != nil {
		return upload.Command{}, rejected("cutoff is %s: expected an instant such as 2026-11-30T08:15:00Z", shown(cutoff))
	}
	c.Cutoff = c.Cutoff.UTC()
	if err := validate(c); err != nil {
		return upload.Command{}, err
	}
	return c, nil
}

func isString(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

// held says what a field holds where it is of the wrong kind. What a string
// says is shown only by those who know that it is no id.
func held(raw json.RawMessage) string {
	switch {
	case len(raw) == 0:
		return "empty"
	case raw[0] == '"':
		return "a string"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	}
	return shown(string(raw))
}

// escapes finds JSON's escapes: a surrogate pair, half of one, any other.
var escapes = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.`)

// halfCharacter finds an escaped half of a surrogate pair, for which
// encoding/json puts another character in its place: two ids would become one.
func halfCharacter(body []byte) bool {
	const half = len(`\ud83d`)
	return slices.ContainsFunc(escapes.FindAll(body, -1), func(e []byte) bool { return len(e) == half })
}
