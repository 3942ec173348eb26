package relay_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Anybody who may send a message may send a stream's record. None of them takes
// the process down, and the others of its batch with it.
func TestNoShapeOfARecordEndsTheProcessAndTheOthersOfItsBatchAreDone(t *testing.T) {
	record := func(image string) string {
		return fmt.Sprintf(`{"eventID":"e","eventName":"REMOVE","eventSource":"aws:dynamodb",`+
			`"eventSourceARN":"arn:aws:dynamodb:r:1:table/app-albums/stream/x","dynamodb":{"SequenceNumber":"1",`+
			`"ApproximateCreationDateTime":1796126400,"Keys":{"id":{"N":"1"}},"OldImage":%s}}`, image)
	}
	deep := strings.Repeat(`{"M":{"x":`, 3_000) + `{"S":"x"}` + strings.Repeat(`}}`, 3_000)
	for _, body := range []string{
		record(`{"images":{}}`), record(`{"images":{"L":[{}]}}`), record(`{"images":{"S":5}}`), record(`{"images":{"N":5}}`),
		record(`{"images":{"L":[{"M":{"key":{"B":"!"}}}]}}`), record(`{"images":{"NULL":"x"}}`), record(`{"images":{"L":{}}}`),
		record(`{"images":{"S":"a","N":"1"}}`), record(`{"images":{"Q":"a"}}`), record(`{"images":null}`), record(`[]`), record(`null`),
		record(`{"images":{"M":null}}`), record(`{"images":{"L":null}}`), record(`{"images":{"SS":null}}`), record(`{"images":{"B":null}}`),
		record(`{"images":{"BS":[1]}}`), record(`{"images":{"BS":[null]}}`), record(`{"images":{"SS":[{}]}}`), record(`{"images":{"BS":["!"]}}`),
		record(`{"images":{"LL":[]}}`), record(`{"images":{"BOOL":"x"}}`),
		record(`{"images":` + deep + `}`), `{"eventSource":"aws:dynamodb"}`, `{"eventSource":"aws:dynamodb","dynamodb":7}`,
		strings.Repeat("[", 20_000), `{"schema":1}`, "\x00", "null", `"x"`,
	} {
		w := newWorld(t)
		w.write("photos/one.jpg")
		good := `{"schema":1,"id":"g","source":"orders","tenant":"acme","at":"2026-12-01T12:00:00Z","bucket":"uploads","key":"photos/one.jpg"}`
		text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
		event := fmt.Sprintf(`{"Records":[{"eventSource":"aws:sqs","messageId":"bad","body":%s},{"eventSource":"aws:sqs","messageId":"good","body":%s}]}`, text(body), text(good))
		if again := w.handle(t.Context(), []byte(event)); len(again) > 0 {
			t.Errorf("%.60s: %v come again", body, again)
		}
		if r := w.adopted("orders", "g", "photos/one.jpg"); r.Version == 0 {
			t.Errorf("%.60s: the other of its batch is not done", body)
		}
	}
}
