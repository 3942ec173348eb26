package relay_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzEvent: whatever a stream or the queue of releases brings, alone or beside a
// release that is in order, the process lives, the answer names what the event
// had, and the release is taken. What cannot be read is told of without its
// contents: not even its key comes into a log.
func FuzzEvent(f *testing.F) {
	for _, name := range []string{"stream.json", "sqs-three-messages.json"} {
		f.Add(file(f, name), `{"eventSource":"aws:dynamodb","dynamodb":{"Keys":{"id":{"BS":[1]}}}}`)
	}
	f.Add([]byte(`{"Records":[{"eventSource":"aws:sqs","messageId":"m","body":"{}"}]}`), `{"schema":1,"id":"i","source":"orders","at":"2026-12-01T12:00:00Z","url":"s3://uploads/`+secret+`"}`)
	f.Fuzz(func(t *testing.T, raw []byte, body string) {
		w := newWorld(t)
		w.write("photos/one.jpg")
		w.wantBearable(raw, nil)
		good := `{"schema":1,"id":"good","source":"orders","tenant":"acme","at":"2026-12-01T12:00:00Z","bucket":"uploads","key":"photos/one.jpg"}`
		w.wantBearable(eventOf(t, body, good), []string{"a", "b"})
		if r := w.adopted("orders", "good", "photos/one.jpg"); r.Version == 0 {
			t.Fatalf("the other of its batch is not done: %q", body)
		}
		if strings.Contains(w.log.String()+w.metrics.String(), secret) {
			t.Fatalf("the log holds what it must not: %s", w.log)
		}
	})
}

// secret stands for what rows and messages hold.
const secret = "secret-value"

func (w *world) wantBearable(raw []byte, ids []string) {
	w.Helper()
	answer, err := w.app.Handle(w.Context(), raw)
	if err != nil {
		if says := err.Error(); len(says) > 400 || strings.ContainsAny(says, "\n\r") || !utf8.ValidString(says) || ids != nil {
			w.Fatalf("not one short line: %.600q", says)
		}
		return
	}
	text, err := json.Marshal(answer)
	must(w.T, err)
	if !strings.HasPrefix(string(text), `{"batchItemFailures":[`) {
		w.Fatalf("the answer is %s", text)
	}
	for _, failure := range answer.Failures {
		if quoted, err := json.Marshal(failure.Item); ids == nil && err == nil && failure.Item == "" {
			w.Fatalf("%s is not done, and no item", quoted)
		} else if ids != nil && !strings.Contains(strings.Join(ids, " "), failure.Item) {
			w.Fatalf("%s is not done, and no item", quoted)
		}
	}
}

func eventOf(t testing.TB, bodies ...string) []byte {
	t.Helper()
	var all []any
	for i, body := range bodies {
		all = append(all, map[string]any{"eventSource": "aws:sqs", "messageId": string(rune('a' + i)), "body": body})
	}
	raw, err := json.Marshal(map[string]any{"Records": all})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
