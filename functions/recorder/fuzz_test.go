package recorder_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/upload"
)

// FuzzEvent: whatever the bucket, EventBridge or a queue brings, the upload is
// as it was, or has recorded the one version that stands under its key; nothing
// of an event is told but ids, and what is refused is refused in one short line.
func FuzzEvent(f *testing.F) {
	for _, name := range []string{"s3-event.json", "eventbridge.json", "sqs-four-messages.json"} {
		f.Add([]byte(event(f, name)))
	}
	f.Add([]byte(`{"Records":[{"eventSource":"aws:sqs","messageId":"m","body":"{}"},{"eventSource":"aws:s3"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := newStage(t)
		wantRecorded(t, s, raw)
		body, err := json.Marshal(string(raw))
		must(t, err)
		wantRecorded(t, s, json.RawMessage(`{"Records":[{"eventSource":"aws:sqs","messageId":"m","body":`+string(body)+`}]}`))
	})
}

func wantRecorded(t *testing.T, s *stage, raw json.RawMessage) {
	t.Helper()
	answer, err := s.app.Handle(t.Context(), raw)
	if err != nil {
		if says := err.Error(); len(says) > 400 || strings.ContainsAny(says, "\n\r") || !utf8.ValidString(says) {
			t.Fatalf("not one short line: %.600q", says)
		}
	}
	if _, err := json.Marshal(answer); err != nil {
		t.Fatal(err)
	}
	r, err := s.ledger.Load(t.Context(), id)
	must(t, err)
	switch r.State {
	case upload.StateReceiving:
		if r.Version != 1 {
			t.Fatalf("version %d, and nothing was recorded", r.Version)
		}
	case upload.StateComplete:
		if o := r.Manifest.Object(upload.Key{Attempt: 1, Seq: 1}); o.VersionID != "v-1" {
			t.Fatalf("complete of %+v", o)
		}
	default:
		t.Fatalf("an event made it %s", r.State)
	}
}
