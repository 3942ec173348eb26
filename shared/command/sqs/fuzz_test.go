package sqs

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/shared/command"
)

// FuzzLetter: whatever attributes a dead letter has, and whoever has set them,
// nothing of it is lost, and its reason is one bounded line.
func FuzzLetter(f *testing.F) {
	f.Add("body", AttributeReason, "message is not UTF-8", "5", "5", "1796026200000", "")
	f.Add("{}", "ERROR_MESSAGE", strings.Repeat("long\n", 300), "-1", "x", "-1", "arn:aws:sqs:r:1:q")
	f.Add("", "ErrorCode", "\xff\x00\uffff", "", "99999999999999999999", "9223372036854775807", "")
	f.Fuzz(func(t *testing.T, body, name, said, receives, count, sent, moved string) {
		m := types.Message{
			MessageId: aws.String("m"), Body: aws.String(body), ReceiptHandle: aws.String("r"),
			Attributes: map[string]string{
				string(types.MessageSystemAttributeNameApproximateReceiveCount): count, string(types.MessageSystemAttributeNameSentTimestamp): sent,
				string(types.MessageSystemAttributeNameDeadLetterQueueSourceArn): moved,
			},
			MessageAttributes: map[string]types.MessageAttributeValue{
				AttributeReceives: attribute("Number", receives), name: attribute("String", said),
			},
		}
		l := letterOf(m)
		if l.Body != body || l.MessageID != "m" || l.Receipt != "r" || l.Receives < 1 || l.Moved != (moved != "") {
			t.Fatalf("%+v", l)
		}
		if len(l.Reason) > command.MaxDeadReason || !utf8.ValidString(l.Reason) || strings.ContainsAny(l.Reason, "\n\r\x00") {
			t.Fatalf("%q", l.Reason)
		}
		if !l.SentAt.IsZero() && l.SentAt.UnixMilli() <= 0 {
			t.Fatalf("sent at %v", l.SentAt)
		}
		if again := command.DeadReason(l.Reason); l.Reason != "" && again != l.Reason {
			t.Fatalf("%q, parked once more, is %q", l.Reason, again)
		}
	})
}
