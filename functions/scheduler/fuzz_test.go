package scheduler_test

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzEvent: whatever a schedule sends, it is a pass or a census that was asked
// for in so many words, or refused in one short line, and then nothing was done.
func FuzzEvent(f *testing.F) {
	for _, name := range []string{"pass.json", "census.json", "not-substituted.json", "schedule-without-input.json"} {
		f.Add([]byte(input(f, name)))
	}
	f.Add([]byte(`{"task":1` + strings.Repeat("0", 900) + `,"schedule":"s","time":"2026-11-30T12:15:00Z"}`))
	f.Add([]byte(`{"` + strings.Repeat("secret", 90) + `":1}`))
	f.Add([]byte(`{"task":"pass","schedule":"` + strings.Repeat("s#\\n", 90) + `","time":"2026-11-30T12:15:00Z"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := newStage(t)
		s.cancelled(t, 1)
		answer, err := s.app.Handle(t.Context(), raw)
		if err != nil {
			if says := err.Error(); len(says) > 600 || strings.ContainsAny(says, "\n\r") || !utf8.ValidString(says) {
				t.Fatalf("not one short line: %.600q", says)
			}
		}
		depth, failed := s.queue.Depth(t.Context())
		if failed != nil || depth > 0 && (answer.Pass == nil || !strings.Contains(string(raw), "pass")) {
			t.Fatalf("%d commands after %+v, %v, %v", depth, answer, err, failed)
		}
		if answer.Census != nil && !strings.Contains(string(raw), "census") {
			t.Fatalf("counted, and nobody has asked: %v", answer)
		}
	})
}
