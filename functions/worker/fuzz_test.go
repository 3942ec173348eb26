package worker_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/shared/upload"
)

// FuzzEvent: whatever Lambda brings, alone or as a message beside a command that
// is in order, the answer names messages of the event only, what lives stands
// afterwards, and the command is carried out: no message takes another with it.
func FuzzEvent(f *testing.F) {
	for _, name := range []string{"sqs-three-messages.json", "s3-event.json"} {
		f.Add([]byte(event(f, name)), `{"schema":7}`)
	}
	f.Add([]byte(`{"Records":[{"eventSource":"aws:sqs","messageId":"a","receiptHandle":"r","body":7`+strings.Repeat("0", 900)+`}]}`), order(f, "u-live", 3))
	f.Fuzz(func(t *testing.T, raw []byte, body string) {
		s := newStage(t)
		due := s.cancelled(t)
		live := s.live(t)
		s.now = time.Date(2026, 11, 30, 18, 20, 0, 0, time.UTC)
		s.wantBearable(t, raw)
		s.wantBearable(t, messages(t, body, order(t, due.Upload, due.Version)))
		if stands := s.store.All("uploads"); len(stands) != 1 || stands[0].VersionID != live {
			t.Fatalf("%d versions stand, want the one that lives: %q", len(stands), body)
		}
	})
}

// live is the version of an upload that is complete for good.
func (s *stage) live(t *testing.T) string {
	t.Helper()
	r := s.step(t, upload.Record{}, upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: "u-live"}, Owner: "o", Holder: "w", Lease: time.Minute, Bucket: "uploads", Prefix: "up", Declared: 1,
	})
	v := s.store.Write("uploads", r.ObjectKey(upload.Key{Attempt: 1, Seq: 1}), []byte("data"), time.Time{})
	r = s.step(t, r, upload.RecordObject{Fence: 1, Seq: 1, VersionID: v.VersionID, Size: v.Size, ETag: v.ETag})
	s.step(t, r, upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}})
	return v.VersionID
}

// wantBearable gives the function an event.
func (s *stage) wantBearable(t *testing.T, raw []byte) {
	t.Helper()
	response, err := s.app.Handle(t.Context(), raw)
	if err != nil {
		if says := err.Error(); len(says) > 200 || strings.ContainsAny(says, "\n\r") || !utf8.ValidString(says) {
			t.Fatalf("not one short line: %.600q", says)
		}
		return
	}
	var told events.SQSEvent
	must(t, json.Unmarshal(raw, &told))
	ids := map[string]bool{}
	for _, m := range told.Records {
		ids[m.MessageId] = true
	}
	if response.BatchItemFailures == nil {
		t.Fatal("no list of failures")
	}
	for _, failure := range response.BatchItemFailures {
		if !ids[failure.ItemIdentifier] {
			t.Fatalf("%q is not done, and no message", failure.ItemIdentifier)
		}
	}
}

func order(t testing.TB, id string, version int64) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"schema": 1, "run": "r", "operation": "claim", "tenant": "acme", "upload": id, "version": version,
		"cutoff": "2026-11-30T18:15:00Z", "reason": "cancelled",
	})
	must(t, err)
	return string(body)
}

func messages(t testing.TB, bodies ...string) []byte {
	t.Helper()
	var all []any
	for i, body := range bodies {
		id := string(rune('a' + i))
		all = append(all, map[string]any{"eventSource": "aws:sqs", "messageId": id, "receiptHandle": id, "body": body})
	}
	raw, err := json.Marshal(map[string]any{"Records": all})
	must(t, err)
	return raw
}
