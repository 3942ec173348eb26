package installation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/localstack/runtimeapi"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/awsconf"
	leases "github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/upload"
)

// How many calls an invocation makes, about: kills are planned within them.
const (
	callsOfBatch = 24
	callsOfPass  = 90
)

// work brings messages to one worker after the other, as Lambda's event source
// does.
func (k *killing) work(ctx context.Context, n int) error {
	e := k.environment(byWorker, n, callsOfBatch)
	defer e.tap.Close()
	for ctx.Err() == nil {
		p, err := e.start()
		if err != nil {
			return err
		}
		err = e.workUntilGone(ctx, p)
		p.Kill()
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *environment) workUntilGone(ctx context.Context, p *runtimeapi.Process) error {
	for ctx.Err() == nil {
		batch, err := e.receive(ctx)
		if err != nil || len(batch) == 0 {
			if ctx.Err() != nil {
				return nil
			}
			if err == nil {
				err = e.repeat(ctx)
			}
			if err != nil {
				return err
			}
			continue
		}
		event, err := json.Marshal(events.SQSEvent{Records: batch})
		if err != nil {
			return err
		}
		answer, gone, err := e.invoke(p, event, e.w.Policy.WorkerTimeout)
		if err != nil || gone {
			return err
		}
		if err := e.acknowledge(batch, answer); err != nil {
			return err
		}
	}
	return nil
}

// receive takes some messages, which are there again in some seconds, or at once
// for somebody else: a queue delivers at least once.
func (e *environment) receive(ctx context.Context) ([]events.SQSMessage, error) {
	h := e.w.hands.(wireHands)
	again := e.random.IntN(4) // seconds
	out, err := awsconf.SQS(h.Config).ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(h.QueueURL), MaxNumberOfMessages: int32(4 + e.random.IntN(7)), VisibilityTimeout: int32(max(1, again)),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil {
		return nil, err
	}
	var batch []events.SQSMessage
	for _, m := range out.Messages {
		if again == 0 {
			if err := e.w.Stores.Queue.Hide(ctx, aws.ToString(m.ReceiptHandle), 0); err != nil && !errors.Is(err, upload.ErrAbsent) {
				return nil, err
			}
		}
		batch = append(batch, events.SQSMessage{
			MessageId: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body),
			Attributes: m.Attributes, EventSource: "aws:sqs",
		})
	}
	return batch, nil
}

// repeat is for a worker that has nothing to do. As long as there are kills left
// it gets some message once more.
func (e *environment) repeat(ctx context.Context) error {
	if e.remaining(byWorker) > 0 {
		ids := e.people.old
		r, err := e.w.Stores.Ledger.Load(ctx, ids[e.random.IntN(len(ids))])
		if err == nil {
			_, err = e.w.Stores.Queue.Send(ctx, []upload.Command{e.w.Command(r)})
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	_ = pause(ctx, 50*time.Millisecond)
	return nil
}

// acknowledge takes away what the answer does not name.
func (e *environment) acknowledge(batch []events.SQSMessage, answer []byte) error {
	var left events.SQSEventResponse
	if answer == nil {
		return nil // it failed: all of them come again
	}
	if err := json.Unmarshal(answer, &left); err != nil {
		return err
	}
	failed := map[string]bool{}
	for _, f := range left.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	for _, m := range batch {
		if failed[m.MessageId] {
			continue
		}
		// Another delivery of it may have been acknowledged meanwhile.
		if err := e.w.Stores.Queue.Acknowledge(e.t.Context(), m.ReceiptHandle); err != nil && !errors.Is(err, upload.ErrAbsent) {
			return err
		}
	}
	return nil
}

// schedule triggers one pass after the other, now and then the other one's too,
// and one that was killed again, as Lambda repeats an event that failed.
func (k *killing) schedule(ctx context.Context, n int) error {
	e := k.environment(byScheduler, n, callsOfPass)
	defer e.tap.Close()
	fired, tries := time.Time{}, 0
	for ctx.Err() == nil {
		p, err := e.start()
		if err != nil {
			return err
		}
		for gone := false; ctx.Err() == nil && !gone; {
			if tries == 0 {
				fired = k.fire(e.random.IntN(3) == 0)
			}
			event, err := json.Marshal(map[string]string{"task": "pass", "schedule": "passes", "time": fired.UTC().Format(time.RFC3339Nano)})
			if err != nil {
				return err
			}
			if _, gone, err = e.invoke(p, event, time.Minute); err != nil {
				return err
			}
			if tries++; !gone || tries == 3 {
				tries = 0
			}
			_ = pause(ctx, 200*time.Millisecond)
		}
		p.Kill()
		if err := k.endLease(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fire is when a schedule fires: now, or when it fired last: two processes then
// have the same run.
func (k *killing) fire(again bool) time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !again || k.fired.IsZero() {
		k.fired = time.Now().Truncate(time.Millisecond)
	}
	return k.fired
}

// endLease is the eighteen minutes after which the lease of a pass that was
// killed ends by itself: nothing else depends on them. The other scheduler may
// have it by then, and then two are at work at once.
func (k *killing) endLease(ctx context.Context) error {
	doc, err := k.w.Stores.Ledger.Get(ctx, leases.Collection, "pass")
	if err != nil || doc.Revision == 0 {
		return ignore(ctx, err)
	}
	var held map[string]any
	if err := json.Unmarshal(doc.Data, &held); err != nil {
		return err
	}
	delete(held, "until")
	if doc.Data, err = json.Marshal(held); err != nil {
		return err
	}
	if err := k.w.Stores.Ledger.Put(ctx, doc); err != nil && !errors.Is(err, upload.ErrChanged) {
		return ignore(ctx, err)
	}
	return nil
}

// ignore takes an error for none when the round is over.
func ignore(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// said takes what one process writes, line by line. What a kill cut off is no
// line.
type said struct {
	*killing
	rest []byte
}

func (s *said) Write(b []byte) (int, error) {
	s.rest = append(s.rest, b...)
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		line, rest, whole := bytes.Cut(s.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		s.rest = rest
		s.texts = append(s.texts, string(line))
		var l audit.Line
		if json.Unmarshal(line, &l) == nil && l.Schema > 0 {
			s.lines = append(s.lines, l)
		}
	}
}

// table is the name of the ledger's.
func (w *world) table() string { return strings.TrimSuffix(w.Bucket, "-uploads") + "-ledger" }
