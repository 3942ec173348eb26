package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// item is one record or message of an event, on its way.
type item struct {
	// id is what the answer calls it: the sequence number of a stream's record,
	// or the message's id.
	id string
	// body is the stream's record as it came, or the message's text.
	body string
	// receives counts the deliveries of a message; 1 of a record.
	receives int
	stream   bool
}

// header is what is read of every record first, so that one that cannot be read
// does not take the others with it.
type header struct {
	EventSource string `json:"eventSource"`
	MessageID   string `json:"messageId"`
	Body        string `json:"body"`
	Attributes  struct {
		Receives json.Number `json:"ApproximateReceiveCount"`
	} `json:"attributes"`
	DynamoDB struct {
		SequenceNumber string `json:"SequenceNumber"`
	} `json:"dynamodb"`
}

// The services whose events are taken.
const (
	fromStream = "aws:dynamodb"
	fromQueue  = "aws:sqs"
)

// readEvent takes two kinds of event: of a DynamoDB stream
// (https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html), and of SQS. What
// is neither is an error; so is a record that the answer could not name.
func readEvent(raw json.RawMessage) ([]item, error) {
	var event struct{ Records []json.RawMessage }
	if err := json.Unmarshal(raw, &event); err != nil {
		return nil, errors.New("it is no JSON object with Records")
	}
	if len(event.Records) == 0 {
		return nil, errors.New("it has no Records: expected those of a DynamoDB stream or of SQS")
	}
	items := make([]item, len(event.Records))
	for i, record := range event.Records {
		var err error
		if items[i], err = itemOf(record); err != nil {
			return nil, fmt.Errorf("record %d of %d: %w", i+1, len(event.Records), err)
		}
	}
	return items, nil
}

func itemOf(record json.RawMessage) (item, error) {
	var h header
	if err := json.Unmarshal(record, &h); err != nil {
		return item{}, errors.New("it is not as DynamoDB or SQS sends it")
	}
	switch {
	case h.EventSource == fromStream && h.DynamoDB.SequenceNumber != "":
		return item{id: h.DynamoDB.SequenceNumber, body: string(record), receives: 1, stream: true}, nil
	case h.EventSource == fromQueue && h.MessageID != "":
		receives, err := h.Attributes.Receives.Int64()
		if err != nil {
			receives = 1 // only told to whoever looks at the dead letters
		}
		return item{id: h.MessageID, body: h.Body, receives: int(receives), stream: isRecord(h.Body)}, nil
	}
	return item{}, errors.New("it is neither of a stream, with a sequence number, nor of a queue, with a message id")
}

// isRecord: a stream's record that was parked, and that a person has sent back
// through the queue.
func isRecord(body string) bool {
	var h header
	return json.Unmarshal([]byte(body), &h) == nil && h.EventSource == fromStream
}

// maxBody is how much of a record is parked: SQS has always taken 256 KiB, and
// counts the attributes too
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html).
const maxBody = 250 << 10

// parkable is the body as a queue takes it: without the few characters that it
// refuses (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html),
// which JSON can write in another way. What is too large for a message is told
// of by its id alone: the table's own backup has the row.
func (i item) parkable() string {
	body := i.body
	if len(body) > maxBody {
		text, err := json.Marshal(map[string]string{"left_out": "it is too large for a message", "id": i.id})
		if err != nil {
			return "{}"
		}
		return string(text)
	}
	if !utf8.ValidString(body) {
		body = strings.ToValidUTF8(body, "\uFFFD")
	}
	return strings.NewReplacer("\uFFFE", `\ufffe`, "\uFFFF", `\uffff`).Replace(body)
}
