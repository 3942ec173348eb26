package drain

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/strandline-dev/strandline/shared/awsconf"
	queues "github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/release"
)

// SQS is the queue of releases.
type SQS struct {
	Client *sqs.Client
	URL    string
}

// theMessages are errors that SQS has for what it was sent, not for itself: of
// a batch that is refused so, each message is sent alone, so that one does not
// keep the others back.
var theMessages = []string{"BatchRequestTooLong", "InvalidMessageContents", "InvalidParameterValue", "UnsupportedOperation"}

// Send sends up to ten releases in one call, in their tenants' groups: SQS takes
// those in turn, so that one tenant's cascade does not make the others wait.
func (q SQS) Send(ctx context.Context, batch []release.Message) ([]error, error) {
	entries := make([]types.SendMessageBatchRequestEntry, len(batch))
	for i, m := range batch {
		body, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		entries[i] = types.SendMessageBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String(string(body)), MessageGroupId: aws.String(queues.Group(m.Tenant)),
		}
	}
	out, err := q.Client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: aws.String(q.URL), Entries: entries})
	if err == nil {
		return answers(len(batch), out), nil
	}
	code := codeOf(err)
	if !slices.ContainsFunc(theMessages, func(c string) bool { return strings.Contains(code, c) }) {
		return nil, awsconf.Kind(err)
	}
	if len(batch) == 1 {
		return []error{errors.New(code)}, nil
	}
	var all []error
	for _, m := range batch {
		one, err := q.Send(ctx, []release.Message{m})
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
	return all, nil
}

// answers reads what the queue says of each. It has what it names, and nothing
// else: a 200 alone says nothing.
func answers(n int, out *sqs.SendMessageBatchOutput) []error {
	all := make([]error, n)
	for i := range all {
		all[i] = errors.New("the queue's answer does not name it")
	}
	set := func(id *string, err error) {
		if i, bad := strconv.Atoi(aws.ToString(id)); bad == nil && i >= 0 && i < n {
			all[i] = err
		}
	}
	for _, s := range out.Successful {
		set(s.Id, nil)
	}
	for _, f := range out.Failed {
		set(f.Id, errors.New(aws.ToString(f.Code)))
	}
	return all
}

func codeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}
