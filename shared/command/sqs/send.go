package sqs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Entries that the queue refused without blaming the sender are sent again after
// pauses that double, the last one included.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 4 * firstPause
)

// Send sends commands in batches of ten. accepted[i] says whether the queue's
// answer named command i; the error is nil exactly if it named all, and else
// gives the first reason, or upload.ErrUnclear if others may be queued as well.
// Entries that the queue refused are sent again a few times, unless it blames the
// sender. A call that fails, or a batch of which nothing was accepted, ends it:
// what was accepted before stays so.
func (q *Queue) Send(ctx context.Context, commands []upload.Command) (accepted []bool, err error) {
	accepted = make([]bool, len(commands))
	entries := make([]entry, 0, len(commands))
	for i, c := range commands {
		body, refused := command.Encode(c)
		if refused != nil {
			err = unclearFirst(err, fmt.Errorf("send command %d of %d: %w", i+1, len(commands), refused))
			continue
		}
		entries = append(entries, entry{index: i, body: string(body), tenant: c.ID.Tenant, upload: c.ID.Upload})
	}
	for batch := range slices.Chunk(entries, command.MaxBatch) {
		refused := q.sendBatch(ctx, batch, accepted)
		err = unclearFirst(err, refused)
		if refused != nil && !slices.ContainsFunc(batch, func(e entry) bool { return accepted[e.index] }) {
			break
		}
	}
	return accepted, err
}

// entry is one command on its way.
type entry struct {
	index          int // in what Send was given
	body           string
	tenant, upload string
}

// unclearFirst returns the first error; one that is upload.ErrUnclear before all
// others.
func unclearFirst(errs ...error) (reason error) {
	for _, err := range errs {
		if errors.Is(err, upload.ErrUnclear) {
			return err
		}
		reason = cmp.Or(reason, err)
	}
	return reason
}

// sendBatch sends up to ten entries, and again those that were refused or not
// answered. The error is the first reason why not all are accepted.
func (q *Queue) sendBatch(ctx context.Context, batch []entry, accepted []bool) error {
	var blamed, earlier error
	for pause := firstPause; ; pause *= 2 {
		answers, err := q.call(ctx, batch)
		if err != nil {
			return unclearFirst(blamed, err, earlier)
		}
		var again []entry
		var reason error
		for i, e := range batch {
			a := answers[i]
			switch {
			case a.accepted:
				accepted[e.index] = true
			case a.blamed:
				blamed = unclearFirst(blamed, e.failed(a.err))
			default:
				again, reason = append(again, e), unclearFirst(reason, e.failed(a.err))
			}
		}
		switch {
		case len(again) == 0 && blamed == nil:
			return nil
		case len(again) == 0 || pause > lastPause:
			return unclearFirst(blamed, reason, earlier)
		}
		if err := q.sleep(ctx, pause); err != nil {
			return unclearFirst(blamed, err, reason, earlier)
		}
		batch, earlier = again, unclearFirst(earlier, reason)
	}
}

func (e entry) failed(err error) error {
	return fmt.Errorf("send command for upload %s: %w", e.upload, err)
}

// answer is what the queue said about one entry.
type answer struct {
	accepted bool
	blamed   bool // on the sender: sending it again changes nothing
	err      error
}

// call sends one batch and returns an answer for each of its entries. An answer
// that says both is taken for a refusal.
func (q *Queue) call(ctx context.Context, batch []entry) ([]answer, error) {
	out, err := q.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{
		QueueUrl: aws.String(q.url), Entries: requests(batch),
	})
	if err != nil {
		return nil, fmt.Errorf("send a batch of %d commands: %w", len(batch), awsconf.Kind(err))
	}
	answers := make([]answer, len(batch))
	for i := range answers {
		answers[i].err = fmt.Errorf("the queue's answer does not name it: %w", upload.ErrUnclear)
	}
	for _, r := range out.Successful {
		if i, ok := place(r.Id, batch); ok {
			answers[i] = answer{accepted: true}
		}
	}
	for _, r := range out.Failed {
		if i, ok := place(r.Id, batch); ok {
			answers[i] = answer{err: refusal(r), blamed: r.SenderFault}
		}
	}
	return answers, nil
}

// requests names each entry by its place in the batch.
func requests(batch []entry) []types.SendMessageBatchRequestEntry {
	out := make([]types.SendMessageBatchRequestEntry, len(batch))
	for i, e := range batch {
		out[i] = types.SendMessageBatchRequestEntry{
			Id:             aws.String(strconv.Itoa(i)),
			MessageBody:    aws.String(e.body),
			MessageGroupId: aws.String(Group(e.tenant)),
		}
	}
	return out
}

func place(id *string, batch []entry) (int, bool) {
	i, err := strconv.Atoi(aws.ToString(id))
	return i, err == nil && i >= 0 && i < len(batch)
}

func refusal(r types.BatchResultErrorEntry) error {
	code := aws.ToString(r.Code)
	if kind := awsconf.KindOfCode(code); kind != nil {
		return fmt.Errorf("the queue refused it: %s: %w", code, kind)
	}
	return fmt.Errorf("the queue refused it: %s", code)
}
