package lambdaevent_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
	"github.com/strandline-dev/strandline/shared/storageevent"
)

func TestCreatedObjectsAreReadAsTheyWere(t *testing.T) {
	at := time.Date(2026, time.December, 1, 12, 0, 0, 1, time.UTC)
	want := []storageevent.Created{
		{Bucket: "uploads", Key: "in/a b+c/ü", VersionID: "v1", Size: 7, ETag: "e", At: at, Sequencer: "0A"},
		{Bucket: "uploads", Key: "in/d", VersionID: "v2", At: at.Add(time.Second)},
	}
	raw, err := lambdaevent.Created(want...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := storageevent.Read(raw)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
}

func TestMessagesHaveWhatAWorkerReadsOfThem(t *testing.T) {
	raw, err := lambdaevent.Messages(command.Received{MessageID: "m", Receipt: "r", Body: `{"a":"b"}`, Receives: 3})
	if err != nil {
		t.Fatal(err)
	}
	var got events.SQSEvent
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := events.SQSEvent{Records: []events.SQSMessage{{
		MessageId: "m", ReceiptHandle: "r", Body: `{"a":"b"}`, EventSource: "aws:sqs",
		Attributes: map[string]string{"ApproximateReceiveCount": "3"},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
