package look

import (
	"context"
	"encoding/json"
	"path"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
)

func (e *eye) commands(ctx context.Context) {
	q := e.queue(ctx, e.Site.QueueURL, "--queue-url is not given and STRANDLINE_QUEUE_URL is not set")
	e.set(func(f *checkup.Facts) { f.Queue = q })
}

func (e *eye) deadLetters(ctx context.Context) {
	q := e.queue(ctx, e.Site.DeadLetterURL, "--dead-letter-url is not given and STRANDLINE_DEAD_LETTER_URL is not set")
	e.set(func(f *checkup.Facts) { f.DeadLetters = q })
}

// outside looks at the queues by which recorder and relay hear of things.
func (e *eye) outside(ctx context.Context) {
	stored := e.queue(ctx, e.Site.Beside(e.StoredURL, "stored"), "--stored-url is not given and STRANDLINE_STORED_URL is not set")
	releases := e.queue(ctx, e.Site.Beside(e.ReleasesURL, "releases"), "--releases-url is not given and STRANDLINE_RELEASES_URL is not set")
	dead := e.queue(ctx, e.Site.Beside(e.ReleasesDeadURL, "releases-dead"), "--releases-dead-url is not given and STRANDLINE_RELEASES_DEAD_URL is not set")
	e.set(func(f *checkup.Facts) { f.Stored, f.Releases, f.ReleasesDead = stored, releases, dead })
}

func (e *eye) queue(ctx context.Context, url, notGiven string) checkup.Look[checkup.Queue] {
	if url == "" {
		return checkup.Look[checkup.Queue]{Failed: checkup.Failure{Kind: checkup.NotGiven, Says: notGiven}}
	}
	out, err := e.queues.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(url), AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll},
	})
	if err != nil {
		return seen(checkup.Queue{}, err)
	}
	return checkup.Saw(settings(path.Base(url), out.Attributes))
}

// settings reads a queue's attributes; one that is not there, or no number, is
// zero, which no check takes for good.
func settings(name string, all map[string]string) checkup.Queue {
	number := func(n types.QueueAttributeName) int64 {
		value, _ := strconv.ParseInt(all[string(n)], 10, 64)
		return value
	}
	q := checkup.Queue{
		Name: name, ARN: all[string(types.QueueAttributeNameQueueArn)],
		Visibility: time.Duration(number(types.QueueAttributeNameVisibilityTimeout)) * time.Second,
		Retention:  time.Duration(number(types.QueueAttributeNameMessageRetentionPeriod)) * time.Second,
		Depth: number(types.QueueAttributeNameApproximateNumberOfMessages) +
			number(types.QueueAttributeNameApproximateNumberOfMessagesNotVisible) +
			number(types.QueueAttributeNameApproximateNumberOfMessagesDelayed),
	}
	var redrive struct {
		Target   string      `json:"deadLetterTargetArn"`
		Receives json.Number `json:"maxReceiveCount"` // a number, or text
	}
	if json.Unmarshal([]byte(all[string(types.QueueAttributeNameRedrivePolicy)]), &redrive) == nil {
		n, _ := strconv.Atoi(redrive.Receives.String())
		q.Redrive, q.Receives = redrive.Target, n
	}
	return q
}
