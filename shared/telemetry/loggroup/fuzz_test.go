package loggroup

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// FuzzAnswers: whatever the service answers, its error is of a kind or of none,
// and a stream may be called anything.
func FuzzAnswers(f *testing.F) {
	f.Add(400, `{"__type":"com.amazonaws.logs#ResourceNotFoundException:http://internal"}`, "worker/a:b*c")
	f.Add(500, `{"__type":7}`, "")
	f.Add(429, "<html>", "\n")
	f.Add(200, `{"__type":"#"}`, "::")
	f.Fuzz(func(t *testing.T, status int, body, stream string) {
		failed := failureOf(status, []byte(body))
		if strings.ContainsAny(failed.kind, ":#") {
			t.Fatalf("%q is of the kind %q", body, failed.kind)
		}
		if failed.passing() && status < 500 && status != 429 && !strings.Contains(failed.kind, "Throttling") && !strings.Contains(failed.kind, "Unavailable") {
			t.Fatalf("%d %q is taken for what passes", status, body)
		}
		g := New(aws.Config{Region: "eu-central-1"}, "group", stream, time.Now)
		if strings.ContainsAny(g.stream, ":*\n") {
			t.Fatalf("%q is a stream's name", g.stream)
		}
	})
}
