package strictjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/strictjson"
)

// Without each of these refusals two readers read two messages.
func TestAMessageThatCouldBeReadInTwoWaysIsRefused(t *testing.T) {
	for message, says := range map[string]string{
		`{"a":1,"a":2}`:              `"a" is there twice`,
		`{"a":1,"\u0061":2}`:         `"a" is there twice`,
		`{"a":"\ud83d"}`:             "not UTF-8",
		`{"a":"\ude00\ud83d"}`:       "not UTF-8",
		`{"\udead":1}`:               "not UTF-8",
		"{\"a\":\"\xff\"}":           "not UTF-8",
		`{"a":1} {"b":2}`:            "follows the JSON object",
		`{"a":1`:                     "ends too early",
		`{"a":1,,}`:                  "malformed",
		`{1:2}`:                      "malformed",
		`[{"a":1}]`:                  "not a JSON object",
		``:                           "not a JSON object",
		`{"a":` + deep(20_000) + `}`: "malformed",
	} {
		if _, err := strictjson.Object([]byte(message)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %v, want %q", message, err, says)
		}
	}
}

func deep(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// namesIn counts the names of an object, the same as often as it is there.
func namesIn(message []byte) (n int) {
	d := json.NewDecoder(bytes.NewReader(message))
	_, _ = d.Token()
	for d.More() {
		var value json.RawMessage
		if _, err := d.Token(); err != nil || d.Decode(&value) != nil {
			return -1
		}
		n++
	}
	return n
}

// FuzzObject: what is read, encoding/json reads too, and the same, and there is
// no second way to read it; what is refused is refused in one short line.
func FuzzObject(f *testing.F) {
	for _, message := range []string{
		`{"a":1,"b":"x\ud83d\ude00","c":[{}]}`, `{"a":1,"A":2}`, `{"a":1,"a":2}`, `{"a":"\\ud83d"}`, `{}`, ` { "a" : null } `, `{"a":1}x`, `{"":0}`,
	} {
		f.Add([]byte(message))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		o, err := strictjson.Object(message)
		if err != nil {
			if says := err.Error(); len(says) > 500 || strings.ContainsAny(says, "\n\r") || !utf8.ValidString(says) || o != nil {
				t.Fatalf("not one short line: %.300q", says)
			}
			return
		}
		var all map[string]json.RawMessage
		if err := json.Unmarshal(message, &all); err != nil || len(all) != len(o) {
			t.Fatalf("%q: %d fields, want %d, %v", message, len(o), len(all), err)
		}
		if n := namesIn(message); n != len(o) {
			t.Fatalf("%q has %d names, and is read with %d", message, n, len(o))
		}
		for name, value := range all {
			if string(o[name]) != string(value) || !utf8.ValidString(name) {
				t.Fatalf("%q: %q is %s, want %s", message, name, o[name], value)
			}
			var text string
			if json.Unmarshal(value, &text) == nil && strings.Count(text, "\ufffd") > strings.Count(strings.ToLower(string(value)), `\ufffd`)+strings.Count(string(value), "\ufffd") {
				t.Fatalf("%q: a character of the reader's own in %q", message, text)
			}
		}
	})
}
