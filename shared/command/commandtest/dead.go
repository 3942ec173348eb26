package commandtest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/command"
)

func poison(t *testing.T, s Subject) {
	const body = `{"schema":99,"what":"<&>ü"}`
	s.Put(t, body)
	if m := s.one(t); m.Body != body {
		t.Errorf("received %q: expected %q", m.Body, body)
	}
}

// Without the copy the reason is lost; without its staying in the queue, a
// worker that dies between the two calls loses the message.
func deadLetter(t *testing.T, s Subject) {
	const body = `this is no command: "ü" <&>`
	s.Put(t, body)
	m := s.one(t)
	const reason = `schema is "99": this version knows only 1`
	must(t, s.DeadLetter(t.Context(), m, reason))
	s.wantDepth(t, 1)
	want := Dead{Body: body, Reason: reason, MessageID: m.MessageID, Receives: 1}
	dead := s.Dead(t)
	if len(dead) != 1 || dead[0] != want {
		t.Fatalf("dead letters are %+v: expected %+v", dead, want)
	}
	must(t, s.Acknowledge(t.Context(), m.Receipt))
	s.wantDepth(t, 0)
}

func deadReasons(t *testing.T, s Subject) {
	s.Put(t, "x")
	m := s.one(t)
	for _, c := range []struct{ name, reason, want string }{
		{"empty", "", "no reason given"},
		{"of spaces", " \n\t", "no reason given"},
		{"with control characters", "a\x00b\x1b[31mc\nd", "a b [31mc d"},
		{"not UTF-8", "a\xffb", "a?b"},
		{"with unicode", "zu groß 😀", "zu groß 😀"},
	} {
		must(t, s.DeadLetter(t.Context(), m, c.reason))
		dead := s.Dead(t)
		if len(dead) != 1 || dead[0].Reason != c.want {
			t.Errorf("a reason %s: dead letters are %+v, expected the reason %q", c.name, dead, c.want)
		}
	}
	must(t, s.DeadLetter(t.Context(), m, strings.Repeat("ü", command.MaxDeadReason)))
	dead := s.Dead(t)
	if len(dead) != 1 || len(dead[0].Reason) != command.MaxDeadReason || !utf8.ValidString(dead[0].Reason) {
		t.Errorf("a long reason: dead letters are %+v, expected %d bytes of UTF-8", dead, command.MaxDeadReason)
	}
}
