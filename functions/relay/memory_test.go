package relay_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// Lambda hands over at most 6 MB. Were nothing of it ever freed, it would still
// fit into half of what the deployment gives the function (512 MB): a cascade is
// many such events, and what one has taken is free for the next.
func TestTheLargestEventFitsIntoTheFunctionsMemory(t *testing.T) {
	records, share := 1_000, 1
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		share = 20
	}
	records /= share
	w := newWorld(t)
	var text strings.Builder
	for i := range records {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"eventID":"e-%d","eventName":"REMOVE","eventSource":"aws:dynamodb",`+
			`"eventSourceARN":"arn:aws:dynamodb:r:1:table/app-albums/stream/x","dynamodb":{"SequenceNumber":"%d",`+
			`"ApproximateCreationDateTime":1796126400,"Keys":{"id":{"N":"%d"}},"OldImage":{"images":{"L":[{"M":{"key":{"S":"gone-%d"},"version":{"S":"v"}}}]}`,
			i, i, i, i)
		for n := range 30 {
			fmt.Fprintf(&text, `,"attribute-%d":{"M":{"text":{"S":"%s"},"n":{"N":"%d"}}}`, n, strings.Repeat("x", 120), n)
		}
		text.WriteString(`}}}`)
	}
	event := []byte(`{"Records":[` + text.String() + `]}`)
	if len(event) < 5_500_000/share || len(event) > 6<<20 {
		t.Fatalf("the event has %d bytes", len(event))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if again := w.handle(t.Context(), event); again != nil {
		t.Errorf("%d are not done", len(again))
	}
	runtime.ReadMemStats(&after)
	made := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d bytes for an event of %d", made, len(event))
	if most := uint64(256<<20) / uint64(share); made > most {
		t.Errorf("%d bytes were allocated: at most %d", made, most)
	}
}
