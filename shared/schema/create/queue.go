package create

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/shared/schema"
)

func (m *Created) allQueues(ctx context.Context, in schema.Installation) error {
	urls := map[string]string{}
	for _, q := range in.Queues() {
		dead := ""
		if q.DeadLetter != "" {
			arn, err := m.arn(ctx, q.DeadLetter, urls[q.DeadLetter])
			if err != nil {
				return err
			}
			dead = arn
		}
		url, err := m.queue(ctx, q, dead)
		if err != nil {
			return err
		}
		urls[q.Name] = url
	}
	m.PurgeURL, m.DeadLetterURL = urls[in.Purge.Name], urls[in.DeadLetter.Name]
	m.EventsURL, m.StoredURL = urls[in.Events.Name], urls[in.Stored.Name]
	m.ReleasesURL, m.ReleasesDeadURL = urls[in.Releases.Name], urls[in.ReleasesDead.Name]
	return nil
}

// queue returns the URL of the queue, which it creates if it does not exist.
func (m *Created) queue(ctx context.Context, q schema.Queue, deadLetter string) (string, error) {
	want, err := attributes(q, deadLetter)
	if err != nil {
		return "", err
	}
	out, err := m.clients.SQS.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String(q.Name)})
	if err == nil {
		return *out.QueueUrl, m.sameQueue(ctx, q.Name, *out.QueueUrl, want)
	}
	var absent *types.QueueDoesNotExist
	if !errors.As(err, &absent) {
		return "", doing(err, "look for queue %s", q.Name)
	}
	made, err := m.clients.SQS.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String(q.Name), Attributes: want})
	if err != nil {
		return "", doing(err, "create queue %s", q.Name)
	}
	m.queues = append(m.queues, *made.QueueUrl)
	return *made.QueueUrl, nil
}

func (m *Created) arn(ctx context.Context, name, url string) (string, error) {
	out, err := m.clients.SQS.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(url), AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		return "", doing(err, "describe queue %s", name)
	}
	return out.Attributes[string(types.QueueAttributeNameQueueArn)], nil
}

func attributes(q schema.Queue, deadLetter string) (map[string]string, error) {
	seconds := func(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
	all := map[string]string{
		string(types.QueueAttributeNameVisibilityTimeout):      seconds(q.Visibility),
		string(types.QueueAttributeNameMessageRetentionPeriod): seconds(q.Retention),
	}
	if deadLetter == "" {
		return all, nil
	}
	redrive, err := json.Marshal(redrive{Target: deadLetter, Receives: json.Number(strconv.Itoa(q.MaxReceives))})
	if err != nil {
		return nil, err
	}
	all[string(types.QueueAttributeNameRedrivePolicy)] = string(redrive)
	return all, nil
}

// redrive is the redrive policy's JSON; SQS gives the count back as a number
// or as a string.
type redrive struct {
	Target   string      `json:"deadLetterTargetArn"`
	Receives json.Number `json:"maxReceiveCount"`
}

func (m *Created) sameQueue(ctx context.Context, name, url string, want map[string]string) error {
	out, err := m.clients.SQS.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(url), AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll},
	})
	if err != nil {
		return doing(err, "describe queue %s", name)
	}
	for _, attribute := range slices.Sorted(maps.Keys(want)) { // the same difference every time
		has, wants := out.Attributes[attribute], want[attribute]
		if attribute == string(types.QueueAttributeNameRedrivePolicy) {
			has, wants = canonical(has), canonical(wants)
		}
		if has != wants {
			return different("queue", name, attribute, has, wants)
		}
	}
	return nil
}

func canonical(policy string) string {
	var r redrive
	if json.Unmarshal([]byte(policy), &r) != nil {
		return policy
	}
	return r.Target + " after " + r.Receives.String()
}

func (m *Created) deleteQueue(ctx context.Context, url string) error {
	_, err := m.clients.SQS.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: aws.String(url)})
	var absent *types.QueueDoesNotExist
	if errors.As(err, &absent) {
		return nil // deleted already, and the answer lost
	}
	return doing(err, "delete queue %s", url)
}
