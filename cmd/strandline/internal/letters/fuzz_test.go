package letters

import (
	"strings"
	"testing"
	"unicode"

	"github.com/strandline-dev/strandline/shared/command"
)

// FuzzTrigger: whatever lies among the events' dead letters, it is told of in a
// few visible characters: nobody who may send an event writes on a terminal.
func FuzzTrigger(f *testing.F) {
	for _, body := range []string{
		`{"task":"pass","schedule":"every-15m","time":"2026-11-30T12:15:00Z"}`, `{"detail-type":"Object Created","time":"\u001b[2J"}`, `{"Records":[1]}`,
		`{"task":"\u202e\n"}`, `[]`, "", `{"task":7}`, `{"Records":{}}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got := triggerOf(command.Letter{Received: command.Received{Body: body}})
		if got.what == "" {
			t.Fatalf("%q is nothing", body)
		}
		for _, told := range []string{got.what, got.schedule, got.time} {
			if strings.ContainsFunc(told, func(r rune) bool { return !unicode.IsGraphic(r) }) {
				t.Fatalf("%q is told of as %q", body, told)
			}
		}
	})
}
