package sqs_test

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command/commandtest"
	"github.com/strandline-dev/strandline/shared/command/sqs"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

func TestTheQueueInSQSIsAQueue(t *testing.T) {
	commandtest.Run(t, func(t *testing.T) commandtest.Subject {
		client := newClient(t)
		url, deadURL := newQueue(t, client), newQueue(t, client)
		return commandtest.Subject{
			Queue: sqs.New(client, url, deadURL),
			Put: func(t *testing.T, body string) {
				_, err := client.SendMessage(t.Context(), &awssqs.SendMessageInput{
					QueueUrl: aws.String(url), MessageBody: aws.String(body),
				})
				must(t, err)
			},
			Pass: time.Sleep,
			Dead: func(t *testing.T) []commandtest.Dead { return deadLetters(t, client, deadURL) },
		}
	})
}

func newClient(t *testing.T) *awssqs.Client {
	t.Helper()
	return awsconf.SQS(localstacktest.Config(t), likeSQS)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var queues atomic.Int64

func newQueue(t *testing.T, client *awssqs.Client) string {
	t.Helper()
	out, err := client.CreateQueue(t.Context(), &awssqs.CreateQueueInput{
		QueueName: aws.String(fmt.Sprintf("command-%d-%d", time.Now().UnixNano(), queues.Add(1))),
		Attributes: map[string]string{
			"VisibilityTimeout": strconv.Itoa(int(commandtest.Visibility / time.Second)),
		},
	})
	must(t, err)
	return *out.QueueUrl
}

// deadLetters takes everything out of the queue for dead letters.
func deadLetters(t *testing.T, client *awssqs.Client, url string) []commandtest.Dead {
	t.Helper()
	out, err := client.ReceiveMessage(t.Context(), &awssqs.ReceiveMessageInput{
		QueueUrl: aws.String(url), MaxNumberOfMessages: 10, WaitTimeSeconds: 2,
		MessageAttributeNames: []string{"All"},
	})
	must(t, err)
	var dead []commandtest.Dead
	for _, m := range out.Messages {
		receives, err := strconv.Atoi(aws.ToString(m.MessageAttributes[sqs.AttributeReceives].StringValue))
		must(t, err)
		dead = append(dead, commandtest.Dead{
			Body:      aws.ToString(m.Body),
			Reason:    aws.ToString(m.MessageAttributes[sqs.AttributeReason].StringValue),
			MessageID: aws.ToString(m.MessageAttributes[sqs.AttributeMessageID].StringValue),
			Receives:  receives,
		})
		_, err = client.DeleteMessage(t.Context(), &awssqs.DeleteMessageInput{
			QueueUrl: aws.String(url), ReceiptHandle: m.ReceiptHandle,
		})
		must(t, err)
	}
	return dead
}
