package look

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	checks "github.com/strandline-dev/strandline/cmd/strandline/internal/checkup/look"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/reclaim"
	letters "github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/deadletter"
)

// queue looks at the queue of releases, and at who takes from it.
func (e *eye) queue(ctx context.Context) {
	url := e.Site.Beside(e.ReleasesURL, "releases")
	if url == "" {
		e.set(func() { e.facts.Queue = notGiven[reclaim.Queue]("--releases-url", "RELEASES_URL") })
		return
	}
	out, err := e.queues.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(url), AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameAll},
	})
	if err != nil {
		e.set(func() { e.facts.Queue = checks.Seen(reclaim.Queue{}, err) })
		return
	}
	depth, _ := strconv.ParseInt(out.Attributes[string(sqstypes.QueueAttributeNameApproximateNumberOfMessages)], 10, 64)
	readers, err := e.readers(ctx, out.Attributes[string(sqstypes.QueueAttributeNameQueueArn)])
	e.set(func() {
		e.facts.Queue = checkup.Saw(reclaim.Queue{Name: path.Base(url), Depth: depth})
		e.facts.QueueReaders = checks.Seen(readers, err)
	})
}

// readers are the event source mappings of a stream or queue.
func (e *eye) readers(ctx context.Context, arn string) ([]reclaim.Reader, error) {
	var all []reclaim.Reader
	pages := lambda.NewListEventSourceMappingsPaginator(e.functions, &lambda.ListEventSourceMappingsInput{EventSourceArn: aws.String(arn)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range page.EventSourceMappings {
			all = append(all, reclaim.Reader{
				Function: functionOf(aws.ToString(m.FunctionArn)), State: aws.ToString(m.State), Says: aws.ToString(m.LastProcessingResult),
				ByNumber: slices.Contains(m.FunctionResponseTypes, types.FunctionResponseTypeReportBatchItemFailures),
			})
		}
	}
	return all, nil
}

// functionOf takes the name from arn:aws:lambda:REGION:ACCOUNT:function:NAME, with
// a version or alias behind it or none.
func functionOf(arn string) string {
	_, rest, found := strings.Cut(arn, ":function:")
	if !found {
		return arn
	}
	name, _, _ := strings.Cut(rest, ":")
	return name
}

// mostLetters bounds the look through dead letters.
const mostLetters = 10_000

// dead counts the releases' dead letters by their source. All are given back.
func (e *eye) dead(ctx context.Context) {
	url := e.Site.Beside(e.ReleasesDeadURL, "releases-dead")
	if url == "" {
		e.set(func() { e.facts.Dead = notGiven[reclaim.Dead]("--releases-dead-url", "RELEASES_DEAD_URL") })
		return
	}
	d := reclaim.Dead{BySource: map[string]int64{}}
	desk := deadletter.Desk{Letters: letters.NewLetters(e.queues, url), Policy: e.Opened.Policy, Now: e.Now}
	seen := 0
	complete, err := desk.Look(ctx, mostLetters, func(l deadletter.Judged) error {
		seen++
		d.BySource[l.Source]++
		return nil
	})
	if err == nil && complete {
		var hidden int64
		hidden, err = desk.Hidden(ctx, seen)
		complete = hidden == 0
	}
	d.Partial = !complete
	e.set(func() { e.facts.Dead = checks.Seen(d, err) })
}
