package sqs_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/shared/command/commandtest"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestTheDeadLettersInSQSAreDeadLetters(t *testing.T) {
	commandtest.RunLetters(t, func(t *testing.T) commandtest.LettersSubject {
		client := newClient(t)
		url, deadURL := newQueue(t, client), newQueue(t, client)
		moveAfter(t, client, url, deadURL, 2)
		return commandtest.LettersSubject{
			Letters: sqs.NewLetters(client, deadURL), Of: sqs.New(client, url, deadURL),
			PutDead: func(t *testing.T, body string) { send(t, client, deadURL, body, nil) },
			Pass:    time.Sleep, Now: time.Now,
		}
	})
}

// moveAfter has the queue move a message to the dead letters that was delivered
// so often.
func moveAfter(t *testing.T, client *awssqs.Client, url, deadURL string, deliveries int) {
	t.Helper()
	dead, err := client.GetQueueAttributes(t.Context(), &awssqs.GetQueueAttributesInput{
		QueueUrl: aws.String(deadURL), AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	must(t, err)
	policy, err := json.Marshal(map[string]any{
		"deadLetterTargetArn": dead.Attributes["QueueArn"], "maxReceiveCount": deliveries,
	})
	must(t, err)
	_, err = client.SetQueueAttributes(t.Context(), &awssqs.SetQueueAttributesInput{
		QueueUrl: aws.String(url), Attributes: map[string]string{"RedrivePolicy": string(policy)},
	})
	must(t, err)
}

func send(t *testing.T, client *awssqs.Client, url, body string, attributes map[string]string) {
	t.Helper()
	in := &awssqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String(body), MessageAttributes: map[string]types.MessageAttributeValue{}}
	for name, value := range attributes {
		in.MessageAttributes[name] = types.MessageAttributeValue{DataType: aws.String("String"), StringValue: aws.String(value)}
	}
	_, err := client.SendMessage(t.Context(), in)
	must(t, err)
}

func TestATriggerThatAServiceGaveUpSaysWhatTheServiceSays(t *testing.T) {
	for _, c := range []struct {
		service    string
		attributes map[string]string
		want       string
	}{
		{"EventBridge", map[string]string{"ERROR_CODE": "AccessDenied", "ERROR_MESSAGE": "not authorized to invoke"}, "not authorized to invoke"},
		{"a schedule without a message", map[string]string{"ERROR_CODE": "SERVICE_UNAVAILABLE"}, "SERVICE_UNAVAILABLE"},
		{"Lambda, over two lines", map[string]string{"RequestID": "r", "ErrorCode": "200", "ErrorMessage": "clock\tis\noff"}, "clock is off"},
	} {
		s := newScene(t)
		send(t, s.client, s.deadURL, "{}", c.attributes)
		got, err := sqs.NewLetters(s.client, s.deadURL).Receive(t.Context(), 1, 2*time.Second, time.Minute)
		must(t, err)
		if len(got) != 1 || got[0].Reason != c.want || got[0].Moved {
			t.Errorf("%s: %+v, expected the reason %q", c.service, got, c.want)
		}
	}
}

// The SDK once left a timeout of zero out of a batch, and SQS refused it: every
// letter that was looked at stayed hidden.
func TestALetterIsGivenBackAtOnce(t *testing.T) {
	s := newScene(t)
	s.wire.fail = func(string, int) (int, string, string) { return http.StatusForbidden, "AccessDenied", "" }
	letters := s.letters()
	if err := letters.GiveBack(t.Context(), []string{"a", "b"}); !errors.Is(err, upload.ErrDenied) {
		t.Errorf("got %v: expected %v", err, upload.ErrDenied)
	}
	for _, e := range s.wire.requests[0].body["Entries"].([]any) {
		if timeout, ok := e.(map[string]any)["VisibilityTimeout"]; !ok || timeout != 0.0 {
			t.Errorf("asked for %v", e)
		}
	}
}

func TestALetterIsHiddenForAsLongAsTheLookWants(t *testing.T) {
	s := newScene(t)
	s.wire.fail = func(string, int) (int, string, string) { return http.StatusForbidden, "AccessDenied", "" }
	if _, err := s.letters().Receive(t.Context(), 50, time.Hour, 90*time.Second); !errors.Is(err, upload.ErrDenied) {
		t.Errorf("got %v: expected %v", err, upload.ErrDenied)
	}
	body := s.wire.requests[0].body
	if body["MaxNumberOfMessages"] != 10.0 || body["WaitTimeSeconds"] != 20.0 || body["VisibilityTimeout"] != 90.0 {
		t.Errorf("asked for %v", body)
	}
}

func TestALetterThatCannotBeDiscardedIsAnError(t *testing.T) {
	s := newScene(t)
	s.wire.fail = func(string, int) (int, string, string) { return http.StatusForbidden, "AccessDenied", "" }
	if err := s.letters().Discard(t.Context(), "a"); !errors.Is(err, upload.ErrDenied) {
		t.Errorf("got %v: expected %v", err, upload.ErrDenied)
	}
	if _, err := s.letters().Depth(t.Context()); !errors.Is(err, upload.ErrDenied) {
		t.Errorf("got %v: expected %v", err, upload.ErrDenied)
	}
}
