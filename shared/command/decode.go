package command

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/strandline-dev/strandline/shared/strictjson"
	"github.com/strandline-dev/strandline/shared/upload"
)

// fields lists what a message holds, all of it and nothing else.
var fields = []string{"schema", "run", "operation", "tenant", "upload", "version", "cutoff", "reason"}

// Decode returns the command that a message's body holds, or a *[Rejected].
func Decode(body []byte) (upload.Command, error) {
	if len(body) > MaxBody {
		return upload.Command{}, rejected("message has %d bytes: at most %d", len(body), MaxBody)
	}
	read, err := strictjson.Object(body)
	if err != nil {
		return upload.Command{}, rejected("%s", err)
	}
	o := object(read)
	if err := o.complete(); err != nil {
		return upload.Command{}, err
	}
	return o.command()
}

// object is a JSON object whose values are not read yet.
type object map[string]json.RawMessage

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
