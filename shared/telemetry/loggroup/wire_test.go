package loggroup

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/audit"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

func decisionOf(upload string) audit.Line {
	return audit.Line{At: time.Now(), Who: "worker-1", What: "finish", Tenant: "acme", Upload: upload, Before: "deleting", After: "deleted"}
}

// On the wire: the stream is made, the lines are there, in their order, byte for
// byte as in the own log.
func TestTheTrailArrivesInItsGroup(t *testing.T) {
	cfg := localstacktest.Config(t)
	name := "/strandline/audit-" + strings.ToLower(rand.Text()[:8])
	group := New(cfg, name, "hand", time.Now)
	if err := group.call(t.Context(), "CreateLogGroup", map[string]any{"logGroupName": name}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = group.call(context.WithoutCancel(t.Context()), "DeleteLogGroup", map[string]any{"logGroupName": name}, nil)
	})
	var out bytes.Buffer
	trail := Trail(cfg, name, "worker", &out, slog.New(slog.DiscardHandler), time.Now)
	for _, id := range []string{"u-1", "u-2", "u-3"} {
		trail.Writer().Write(t.Context(), decisionOf(id))
	}
	if lost := trail.Flush(t.Context(), time.Minute); lost != 0 {
		t.Fatalf("%d lines are lost", lost)
	}
	trail.Writer().Write(t.Context(), decisionOf("u-4"))
	if lost := trail.Flush(t.Context(), time.Minute); lost != 0 {
		t.Fatalf("%d lines of the second batch are lost", lost)
	}
	var streams struct {
		LogStreams []struct {
			LogStreamName string `json:"logStreamName"`
		} `json:"logStreams"`
	}
	if err := group.call(t.Context(), "DescribeLogStreams", map[string]any{"logGroupName": name}, &streams); err != nil {
		t.Fatal(err)
	}
	if len(streams.LogStreams) != 1 || !strings.HasPrefix(streams.LogStreams[0].LogStreamName, "worker/") {
		t.Fatalf("the streams are %+v", streams)
	}
	var got struct {
		Events []struct {
			Message json.RawMessage `json:"message"`
		} `json:"events"`
	}
	in := map[string]any{"logGroupName": name, "logStreamName": streams.LogStreams[0].LogStreamName, "startFromHead": true}
	if err := group.call(t.Context(), "GetLogEvents", in, &got); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range got.Events {
		var text string
		if err := json.Unmarshal(e.Message, &text); err != nil {
			t.Fatal(err)
		}
		all.WriteString(text + "\n")
	}
	if all.String() != out.String() || len(got.Events) != 4 {
		t.Errorf("the group has\n%sthe own log\n%s", all.String(), out.String())
	}
}
