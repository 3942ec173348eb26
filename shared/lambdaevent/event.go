package lambdaevent

import (
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/storageevent"
)

// Messages is the event of SQS with these messages, in this order.
func Messages(all ...command.Received) (json.RawMessage, error) {
	var e events.SQSEvent
	for _, m := range all {
		e.Records = append(e.Records, events.SQSMessage{
			MessageId: m.MessageID, ReceiptHandle: m.Receipt, Body: m.Body, EventSource: "aws:sqs",
			Attributes: map[string]string{"ApproximateReceiveCount": strconv.Itoa(m.Receives)},
		})
	}
	return json.Marshal(e)
}

// Created is the event of S3's own, not EventBridge's, that tells of these
// objects, in this order.
func Created(all ...storageevent.Created) (json.RawMessage, error) {
	records := make([]any, len(all))
	for i, c := range all {
		records[i] = map[string]any{
			"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "eventTime": c.At.UTC().Format(time.RFC3339Nano),
			"s3": map[string]any{
				"bucket": map[string]any{"name": c.Bucket},
				"object": map[string]any{
					"key": url.QueryEscape(c.Key), "versionId": c.VersionID, "size": c.Size, "eTag": c.ETag, "sequencer": c.Sequencer,
				},
			},
		}
	}
	return json.Marshal(map[string]any{"Records": records})
}
