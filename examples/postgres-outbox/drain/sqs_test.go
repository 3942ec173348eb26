package drain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/strandline-dev/strandline/examples/postgres-outbox/drain"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/release"
)

// wire answers what the queue is asked, and remembers it.
type wire struct {
	batches [][]entry
	answer  func(batch []entry) (status int, body string)
}

type entry struct {
	ID    string `json:"Id"`
	Body  string `json:"MessageBody"`
	Group string `json:"MessageGroupId"`
}

func (w *wire) Do(r *http.Request) (*http.Response, error) {
	var asked struct{ Entries []entry }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	w.batches = append(w.batches, asked.Entries)
	status, body := w.answer(asked.Entries)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewBufferString(body)), Request: r}, nil
}

func (w *wire) queue() drain.SQS {
	client := awsconf.SQS(awsconf.ForEndpoint("http://queue.invalid"), func(o *sqs.Options) {
		o.HTTPClient, o.DisableMessageChecksumValidation = w, true
	})
	return drain.SQS{Client: client, URL: "http://queue.invalid/1/releases"}
}

func taken(batch []entry) string {
	var all []string
	for _, e := range batch {
		all = append(all, fmt.Sprintf(`{"Id":%q,"MessageId":"m","MD5OfMessageBody":"x"}`, e.ID))
	}
	return strings.Join(all, ",")
}

func messages(tenants ...string) []release.Message {
	all := make([]release.Message, len(tenants))
	for i, tenant := range tenants {
		all[i] = release.Message{
			Schema: release.Schema, ID: fmt.Sprint(i), Source: "albums", Tenant: tenant, Entity: "photo/1", Bucket: "uploads", Key: "a\u0001<&>é",
			At: time.Date(2026, 12, 1, 4, 0, 0, 123456000, time.UTC),
		}
	}
	return all
}

func TestAMessageIsAsTheRelayReadsItInItsTenantsGroup(t *testing.T) {
	w := &wire{answer: func(b []entry) (int, string) { return 200, `{"Successful":[` + taken(b) + `],"Failed":[]}` }}
	sent := messages("acme", "two words")
	answers, err := w.queue().Send(t.Context(), sent)
	must(t, err)
	equal(t, "answers", answers, nil, nil)
	for i, e := range w.batches[0] {
		read, err := release.ParseMessage(e.Body)
		must(t, err)
		if read != sent[i] {
			t.Errorf("read as %+v", read)
		}
	}
	if a, b := w.batches[0][0].Group, w.batches[0][1].Group; a != "acme" || !strings.HasPrefix(b, "sha256-") || len(b) > 128 {
		t.Errorf("groups %q and %q", a, b)
	}
}

// A message counts as sent only when the queue names it. Without the look at
// each entry what is refused inside a 200 is forgotten.
func TestA200CountsOnlyForWhatItNames(t *testing.T) {
	w := &wire{answer: func(b []entry) (int, string) {
		return 200, `{"Successful":[` + taken(b[:1]) + `],"Failed":[{"Id":"1","Code":"InternalError","SenderFault":false}]}`
	}}
	answers, err := w.queue().Send(t.Context(), messages("a", "b", "c"))
	must(t, err)
	equal(t, "answers", []string{fmt.Sprint(answers[0]), fmt.Sprint(answers[1]), fmt.Sprint(answers[2])},
		"<nil>", "InternalError", "the queue's answer does not name it")
}

// Without it one message that SQS cannot take keeps nine others back for ever.
func TestABatchThatIsRefusedWholeIsSentOneByOne(t *testing.T) {
	w := &wire{answer: func(b []entry) (int, string) {
		switch {
		case len(b) > 1:
			return 400, `{"__type":"com.amazonaws.sqs#BatchRequestTooLong","message":"too long"}`
		case b[0].Group == "b":
			return 400, `{"__type":"com.amazonaws.sqs#InvalidMessageContents","message":"photos/1.jpg"}`
		}
		return 200, `{"Successful":[` + taken(b) + `],"Failed":[]}`
	}}
	answers, err := w.queue().Send(t.Context(), messages("a", "b", "c"))
	must(t, err)
	equal(t, "answers", []string{fmt.Sprint(answers[0]), fmt.Sprint(answers[1]), fmt.Sprint(answers[2])}, "<nil>", "InvalidMessageContents", "<nil>")
}

func TestAQueueThatIsNotThereOrDeniesIsNoMessagesFault(t *testing.T) {
	for _, code := range []string{"QueueDoesNotExist", "AccessDeniedException"} {
		w := &wire{answer: func([]entry) (int, string) { return 400, `{"__type":"com.amazonaws.sqs#` + code + `","message":"no"}` }}
		if answers, err := w.queue().Send(t.Context(), messages("a", "b")); err == nil || answers != nil || len(w.batches) != 1 {
			t.Errorf("%s: %v, %v, asked %d times", code, answers, err, len(w.batches))
		}
	}
}
