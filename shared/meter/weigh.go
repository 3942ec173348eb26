package meter

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path"
	"strings"
)

// The services whose calls say how much is in them.
const (
	dynamoDB = "DynamoDB"
	s3       = "S3"
	sqs      = "SQS"
)

// subject says what a call is about.
func subject(call Call, body []byte) string {
	switch call.Service {
	case dynamoDB:
		return subjectOfDynamo(body)
	case sqs:
		var in struct {
			URL string `json:"QueueUrl"`
		}
		_ = json.Unmarshal(body, &in) // what is none has no queue
		if in.URL != "" {
			return path.Base(in.URL)
		}
	}
	return ""
}

// weigh says how much is in a call that was answered.
func (m *Meter) weigh(call Call, body, said []byte, status int) Count {
	switch call.Service {
	case dynamoDB:
		return m.weighDynamo(call.Operation, body, said, status)
	case s3:
		return Count{Items: bytes.Count(body, []byte("</Key>"))}
	case sqs:
		return weighMessages(call.Operation, body, said)
	}
	return Count{}
}

func weighMessages(operation string, body, said []byte) Count {
	from := body
	if operation == "ReceiveMessage" {
		from = said
	}
	var in struct{ Entries, Messages []json.RawMessage }
	_ = json.Unmarshal(from, &in) // what is none holds nothing
	n := Count{Items: len(in.Entries) + len(in.Messages), Bytes: int64(len(from))}
	if strings.HasSuffix(operation, "Batch") || operation == "ReceiveMessage" {
		return n
	}
	n.Items = 1
	return n
}

func accepted(status int) bool { return status < http.StatusBadRequest }
