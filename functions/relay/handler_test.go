package relay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	queues "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// A record that nothing can be done about must not block its shard: it is among
// the dead letters as it came, and everything around it is done. Without that a
// single one holds up all that its table releases, until the stream forgets it.
func TestAStreamsRecordsAreReleasedAndPoisonIsParked(t *testing.T) {
	w := newWorld(t)
	w.write("photos/one.jpg", "photos/two.jpg", "photos/three.jpg")
	raw := file(t, "stream.json")
	if again := w.handle(t.Context(), raw); again != nil {
		t.Errorf("not done: %v", again)
	}
	for _, c := range []struct {
		id, key string
		want    upload.State
	}{
		{"c4ca4238a0b923820dcc509a6f75849b", "photos/one.jpg", upload.StateCancelled},
		{"c4ca4238a0b923820dcc509a6f75849b", "photos/two.jpg", upload.StateNone},
		{"eccbc87e4b5ce2fe28308fd9f2a7baf3", "photos/three.jpg", upload.StateCancelled}, // removed by its time to live
	} {
		if r := w.adopted("albums", c.id, c.key); r.State != c.want {
			t.Errorf("%s is %s: expected %s", c.key, r.State, c.want)
		}
	}
	letters := w.dead.DeadLetters()
	if len(letters) != 2 {
		t.Fatalf("%d letters: %+v", len(letters), letters)
	}
	slices.SortFunc(letters, func(a, b queues.DeadLetter) int { return strings.Compare(a.MessageID, b.MessageID) })
	for i, want := range []struct{ id, source, reason string }{
		{"4421584500000000017450439092", "", "record: it is not as DynamoDB sends it"},
		{"4421584500000000017450439095", "", "record: its table is no source that is configured"},
	} {
		l := letters[i]
		if l.MessageID != want.id || l.Source != want.source || l.Reason != want.reason || !strings.Contains(l.Body, want.id) {
			t.Errorf("letter %d is %+v", i, l)
		}
	}
	if text := w.log.String(); strings.Contains(text, "photos/") || strings.Contains(text, "secret-value") || strings.Contains(text, "a-1") {
		t.Errorf("the log has a key or a value of a row:\n%s", text)
	}
	if again := w.handle(t.Context(), raw); again != nil {
		t.Errorf("the second time, not done: %v", again)
	}
	if r := w.adopted("albums", "c4ca4238a0b923820dcc509a6f75849b", "photos/one.jpg"); r.Version != 1 {
		t.Errorf("it was written %d times", r.Version)
	}
}

// What was parked can be sent to the queue of releases once its cause is gone,
// as it lies there.
func TestAQueuesMessagesAreReleasesOrRecordsThatWereParked(t *testing.T) {
	w := newWorld(t)
	w.write("photos/one.jpg", "photos/three.jpg")
	if again := w.handle(t.Context(), file(t, "sqs-three-messages.json")); again != nil {
		t.Errorf("not done: %v", again)
	}
	if r := w.adopted("orders", "8214", "photos/one.jpg"); r.State != upload.StateCancelled || r.Source != "relay/orders" {
		t.Errorf("the message's object is %s, of %s", r.State, r.Source)
	}
	if r := w.adopted("albums", "eccbc87e4b5ce2fe28308fd9f2a7baf3", "photos/three.jpg"); r.State != upload.StateCancelled {
		t.Errorf("the parked record's object is %s", r.State)
	}
	letters := w.dead.DeadLetters()
	if len(letters) != 1 || letters[0].Receives != 3 || letters[0].Reason != "schema: it is 7: expected 1" {
		t.Errorf("the letters are %+v", letters)
	}
}

func TestWhatFailsIsNamedAndComesAgain(t *testing.T) {
	w := newWorld(t)
	w.write("photos/one.jpg", "photos/three.jpg")
	w.ledger.commit = upload.ErrThrottled
	if again := w.handle(t.Context(), file(t, "stream.json")); !slices.Equal(again, []string{
		"4421584500000000017450439091", "4421584500000000017450439093",
	}) {
		t.Errorf("not done: %v", again)
	}
	if again := w.handle(t.Context(), file(t, "sqs-three-messages.json")); !slices.Equal(again, []string{
		"2e1424d4-f796-459a-8184-9c92662be6d1", "2e1424d4-f796-459a-8184-9c92662be6d3",
	}) {
		t.Errorf("not done: %v", again)
	}
	w.ledger.commit = nil
	w.handle(t.Context(), file(t, "stream.json"))
	if r := w.adopted("albums", "c4ca4238a0b923820dcc509a6f75849b", "photos/one.jpg"); r.State != upload.StateCancelled {
		t.Errorf("it is %s", r.State)
	}
}

// A record that is neither done nor parked would be lost if it were not named.
func TestWhatCannotBeParkedComesAgain(t *testing.T) {
	w := newWorld(t)
	w.dead.err = upload.ErrUnclear
	if again := w.handle(t.Context(), file(t, "stream.json")); !slices.Equal(again, []string{
		"4421584500000000017450439092", "4421584500000000017450439095",
	}) {
		t.Errorf("not done: %v", again)
	}
}

func TestAnEventThatIsNoneIsAnErrorOfOneLine(t *testing.T) {
	w := newWorld(t)
	for _, raw := range []string{
		``, `[]`, `{}`, `{"Records":[]}`, `{"Records":[7]}`, `{"Records":[{"eventSource":"aws:s3"}]}`,
		`{"Records":[{"eventSource":"aws:dynamodb","dynamodb":{}}]}`, `{"Records":[{"eventSource":"aws:sqs","body":"x"}]}`,
	} {
		if _, err := w.app.Handle(t.Context(), json.RawMessage(raw)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// deadline is a context whose deadline is told on the world's clock.
type deadline struct {
	context.Context
	at time.Time
}

func (d deadline) Deadline() (time.Time, bool) { return d.at, true }

// Lambda takes an invocation without an answer as failed as a whole.
func TestShortlyBeforeItsDeadlineAnInvocationBeginsNothing(t *testing.T) {
	w := newWorld(t)
	w.write("photos/one.jpg", "photos/three.jpg")
	again := w.handle(deadline{t.Context(), w.clock().Add(9 * time.Second)}, file(t, "stream.json"))
	if len(again) != 5 {
		t.Errorf("not done: %v", again)
	}
	if again := w.handle(deadline{t.Context(), w.clock().Add(time.Minute)}, file(t, "stream.json")); again != nil {
		t.Errorf("not done: %v", again)
	}
}

func TestARecordThatIsTooLargeForAMessageIsToldOfByItsID(t *testing.T) {
	w := newWorld(t)
	record := fmt.Sprintf(`{"eventID":"e1","eventName":"REMOVE","eventSource":"aws:dynamodb","dynamodb":{"SequenceNumber":"77","OldImage":{"Q":"%s"}}}`,
		strings.Repeat("x", 300<<10))
	if again := w.handle(t.Context(), []byte(`{"Records":[`+record+`]}`)); again != nil {
		t.Errorf("not done: %v", again)
	}
	letters := w.dead.DeadLetters()
	if len(letters) != 1 || len(letters[0].Body) > 100 || !strings.Contains(letters[0].Body, `"77"`) {
		t.Errorf("the letters are %.300v", letters)
	}
}

// The queue refuses a few characters, and what cannot be parked blocks its shard.
func TestARecordWithCharactersThatAQueueRefusesIsParkedAsTheSameJSON(t *testing.T) {
	w := newWorld(t)
	record := "{\"eventID\":\"e\uffff\",\"eventName\":\"REMOVE\",\"eventSource\":\"aws:dynamodb\",\"dynamodb\":{\"SequenceNumber\":\"77\"}}"
	w.handle(t.Context(), []byte(`{"Records":[`+record+`]}`))
	letters := w.dead.DeadLetters()
	if len(letters) != 1 || strings.Contains(letters[0].Body, "\uffff") {
		t.Fatalf("the letters are %v", letters)
	}
	var r struct{ EventID string }
	if err := json.Unmarshal([]byte(letters[0].Body), &r); err != nil || r.EventID != "e\uffff" {
		t.Errorf("it says %q, %v", r.EventID, err)
	}
}

// The state is a hint for people: one write for each source in an invocation, and
// no more than one in a minute but for what is parked.
func TestWhatWasSeenOfASourceIsNoted(t *testing.T) {
	w := newWorld(t)
	w.write("photos/one.jpg", "photos/three.jpg")
	state := func() release.State {
		t.Helper()
		s, err := release.ReadState(t.Context(), w.ledger, "albums")
		must(t, err)
		return s
	}
	w.handle(t.Context(), file(t, "stream.json"))
	first := state()
	if want := noon.Add(3 * time.Second); !first.LastEvent.Equal(want) || !first.SeenAt.Equal(w.clock()) || !first.ParkedAt.IsZero() {
		t.Errorf("the state is %+v", first)
	}
	w.advance(30 * time.Second)
	w.handle(t.Context(), file(t, "stream.json"))
	if again := state(); again != first {
		t.Errorf("half a minute later it is %+v", again)
	}
	bad := `{"eventID":"e","eventName":"REMOVE","eventSource":"aws:dynamodb","eventSourceARN":"arn:aws:dynamodb:r:1:table/app-albums/stream/x",` +
		`"dynamodb":{"SequenceNumber":"77","ApproximateCreationDateTime":1796126500,"OldImage":{"images":{"L":[{"M":{"key":{"BOOL":true}}}]}}}}`
	w.handle(t.Context(), []byte(`{"Records":[`+bad+`]}`))
	if s := state(); !s.ParkedAt.Equal(w.clock()) || s.ParkedWhy != "images[].key: expected a string" || !s.LastEvent.Equal(noon.Add(100*time.Second)) {
		t.Errorf("after something was parked it is %+v", s)
	}
	if l := w.dead.DeadLetters(); l[len(l)-1].Source != "albums" {
		t.Errorf("the letter is of %q", l[len(l)-1].Source)
	}
}

// A row that cascades takes thousands with it: no more are worked on at once than
// the configuration says, and none is lost.
func TestACascadeOfTenThousandIsReleasedWithoutLossAFewAtATime(t *testing.T) {
	rows, batch := 10_000, 1_000
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		rows = 2_000
	}
	w := newWorld(t)
	versions := make([]objects.Version, rows)
	for i := range versions {
		versions[i] = w.objects.Write(bucket, fmt.Sprintf("cascade/%05d", i), []byte("x"), time.Time{})
	}
	for at := 0; at < rows; at += batch {
		var records []string
		for i, v := range versions[at : at+batch] {
			records = append(records, fmt.Sprintf(`{"eventID":"e-%d","eventName":"REMOVE","eventSource":"aws:dynamodb",`+
				`"eventSourceARN":"arn:aws:dynamodb:r:1:table/app-albums/stream/x","dynamodb":{"SequenceNumber":"%d",`+
				`"ApproximateCreationDateTime":1796126400,"Keys":{"id":{"N":"%d"}},"OldImage":{"images":{"L":[{"M":{"key":{"S":%q},"version":{"S":%q}}}]}}}}`,
				at+i, at+i, at+i, v.Key, v.VersionID))
		}
		event := []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
		if again := w.handle(t.Context(), event); again != nil {
			t.Fatalf("%d are not done", len(again))
		}
	}
	for i, v := range versions {
		id := release.RecordID("acme", "albums", fmt.Sprintf("e-%d", i), source.Object{Bucket: bucket, Key: v.Key, VersionID: v.VersionID})
		r, err := w.ledger.Load(t.Context(), id)
		must(t, err)
		if r.State != upload.StateCancelled || r.DueAt.IsZero() {
			t.Fatalf("release %d is %s", i, r.State)
		}
	}
	if w.ledger.most > 4 {
		t.Errorf("%d were worked on at once", w.ledger.most)
	}
}
