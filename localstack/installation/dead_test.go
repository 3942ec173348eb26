package installation_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command"
	queues "github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/deadletter"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/upload"
)

// desk is where the world's operator sees dead letters.
func (w *world) desk() deadletter.Desk {
	d := deadletter.Desk{Queue: w.Stores.Queue, Records: w.Stores.Ledger, Policy: w.Policy, Now: w.Clock.Now}
	switch h := w.hands.(type) {
	case memoryHands:
		d.Letters = h.Queue.Letters()
	case wireHands:
		d.Letters = unwaiting{queues.NewLetters(awsconf.SQS(h.Config), h.DeadLetterURL)}
	}
	return d
}

// unwaiting does not wait for letters: an emulator shows at once what it has.
type unwaiting struct{ deadletter.Letters }

func (i unwaiting) Receive(ctx context.Context, most int, _, hide time.Duration) ([]command.Letter, error) {
	return i.Letters.Receive(ctx, most, 0, hide)
}

// moveAfter has the queue give up a message that was delivered so often.
func (w *world) moveAfter(t *testing.T, deliveries int) {
	t.Helper()
	switch h := w.hands.(type) {
	case memoryHands:
		h.Queue.MoveAfter(deliveries)
	case wireHands:
		client := awsconf.SQS(h.Config)
		dead, err := client.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
			QueueUrl: aws.String(h.DeadLetterURL), AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
		})
		must(t, err)
		rule, err := json.Marshal(map[string]any{"deadLetterTargetArn": dead.Attributes["QueueArn"], "maxReceiveCount": deliveries})
		must(t, err)
		_, err = client.SetQueueAttributes(t.Context(), &sqs.SetQueueAttributesInput{
			QueueUrl: aws.String(h.QueueURL), Attributes: map[string]string{"RedrivePolicy": string(rule)},
		})
		must(t, err)
	}
}

// plan is the operator's look at all dead letters: so many go back, and what is
// against the others.
func (w *world) plan(t *testing.T, d deadletter.Desk, redriven int, against ...string) deadletter.Plan {
	t.Helper()
	p, err := d.Plan(t.Context(), func(command.Letter) bool { return true })
	must(t, err)
	var got []string
	for _, j := range p.Left {
		got = append(got, j.Against)
	}
	if len(p.Redriven) != redriven || !p.Complete {
		t.Errorf("%d dead letters can be redriven, want %d; complete %v", len(p.Redriven), redriven, p.Complete)
	}
	wantSame(t, "against the others", got, against)
	return p
}

// redrive sends the plan's letters back.
func (w *world) redrive(t *testing.T, d deadletter.Desk, p deadletter.Plan) {
	t.Helper()
	done, err := d.Redrive(t.Context(), p)
	must(t, err)
	if len(done.Letters) != len(p.Redriven) || done.Back != 0 || done.Gone != 0 {
		t.Errorf("redriven: %d of %d, %d back, %d gone", len(done.Letters), len(p.Redriven), done.Back, done.Gone)
	}
}

// wantNoLetters expects that no dead letter is left.
func (w *world) wantNoLetters(t *testing.T) { t.Helper(); w.plan(t, w.desk(), 0) }

// unknown answers a worker's look-up as a ledger that is being restored does.
func unknown(do func() ([]upload.Record, error)) ([]upload.Record, error) {
	records, err := do()
	return make([]upload.Record, len(records)), err
}

// holding is a queue of dead letters out of which nothing can be taken any more:
// the operator's command dies before.
type holding struct{ deadletter.Letters }

var errKilled = errors.New("the command was killed")

func (holding) Discard(context.Context, string) error { return errKilled }

// comeBack hides messages for no time: what their visibility timeout does, for
// which nobody waits here.
func (w *world) comeBack(t *testing.T, batch []command.Received) {
	t.Helper()
	for _, m := range batch {
		must(t, w.Stores.Queue.Hide(t.Context(), m.Receipt, 0))
	}
}

// wantNoMessage expects that the queue shows nothing.
func (w *world) wantNoMessage(t *testing.T) {
	t.Helper()
	got, err := w.Stores.Queue.Receive(t.Context(), 10, time.Second)
	must(t, err)
	if len(got) > 0 {
		t.Errorf("%d messages can be received", len(got))
	}
}

// parked is an upload whose attempts were used up; its letter is dead.
func (w *world) parked(t *testing.T) *intake.Session {
	t.Helper()
	s := w.published(t, 2)
	w.script.delete = deny(s.ID())
	batch := w.take(t, 1)
	for range w.Policy.MaxAttempts - 1 {
		w.work(t, w.Installation, batch)
		batch = w.again(t, batch, 2*time.Hour)
	}
	w.work(t, w.Installation, batch)
	w.script.clear()
	w.log.take()
	if r := w.wantState(t, s, upload.StateDeleting); r.ParkedAt.IsZero() {
		t.Errorf("upload %s is not parked", r.Upload)
	}
	return s
}

// unpark lets it go on, as an operator does.
func (w *world) unpark(t *testing.T, s *intake.Session) {
	t.Helper()
	change, err := cleanup.Unpark(t.Context(), w.recorder.over(w.Stores).Ledger, w.Policy, s.ID(), w.Clock.Now())
	must(t, err)
	if change.Nothing() {
		t.Errorf("upload %s was not parked", s.ID().Upload)
	}
}
