package deadletter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Letters are the dead letters of a queue.
type Letters interface {
	// Depth counts them, also those that somebody has received and not given back.
	// It may be late by a minute.
	Depth(ctx context.Context) (int64, error)
	// Receive returns up to most letters, waits for the first, and hides them.
	Receive(ctx context.Context, most int, wait, hide time.Duration) ([]command.Letter, error)
	// GiveBack makes received letters visible; those that already are, are.
	GiveBack(ctx context.Context, receipts []string) error
	// Discard removes a received letter. upload.ErrAbsent if it has come back
	// meanwhile; a queue need not say so.
	Discard(ctx context.Context, receipt string) error
}

// Queue is where commands go. accepted[i]: the queue has command i.
type Queue interface {
	Send(ctx context.Context, commands []upload.Command) (accepted []bool, err error)
}

// Records are the uploads' records. The zero Record where there is none; all of
// them, or an error.
type Records interface {
	LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error)
}

// Desk is where dead letters are looked through and decided about.
type Desk struct {
	Letters Letters
	Queue   Queue
	// Records is nil where the letters are no commands but triggers of the
	// functions. Those are not redriven: the next schedule does their work.
	Records Records
	Policy  policy.Policy
	Now     func() time.Time
	// Progress is told how many letters a look has seen so far; nil for nobody.
	Progress func(letters int)
	// Did is told of each letter that was sent back, or discarded, as soon as it
	// was; nil for nobody.
	Did func(context.Context, Judged)
}

// Judged is a letter, and what redriving it would come to.
type Judged struct {
	command.Letter
	// Command is what the letter says; the zero Command where it is none.
	Command upload.Command
	// Against is why it is not redriven: it would only come back. Empty where it
	// is. Parked: it is the upload's being parked.
	Against string
	Parked  bool
	// Outlook is what a worker would do with it now.
	Outlook string
}

// Redriven reports whether the letter can go back to the queue.
func (j Judged) Redriven() bool { return j.Against == "" }

// Look shows up to most letters to visit, each of them once, as they are judged
// now, and gives them all back. complete: there are no more. Nothing is changed
// but the letters' count of deliveries.
func (d Desk) Look(ctx context.Context, most int, visit func(Judged) error) (complete bool, err error) {
	return d.round(ctx, most, func(letters []command.Letter) ([]command.Letter, bool, error) {
		judged, err := d.judge(ctx, letters)
		for _, j := range judged {
			if err := visit(j); err != nil {
				return letters, true, err
			}
		}
		return letters, false, err
	})
}

// Hidden is how many letters there are beside those that a complete look has
// seen: somebody else looks at them, or a look of theirs was killed. They come
// back within [HideFor]. The queue counts approximately.
func (d Desk) Hidden(ctx context.Context, seen int) (int64, error) {
	depth, err := d.Letters.Depth(ctx)
	return max(0, depth-int64(seen)), err
}

// judge asks of each letter what the worker would: the same codec, a consistent
// read, the same check.
func (d Desk) judge(ctx context.Context, letters []command.Letter) ([]Judged, error) {
	judged := make([]Judged, len(letters))
	if d.Records == nil {
		for i, l := range letters {
			judged[i] = Judged{Letter: l, Against: "a trigger, not a command", Outlook: "the next schedule does its work"}
		}
		return judged, nil
	}
	var ids []upload.ID
	var places []int
	for i, l := range letters {
		judged[i].Letter = l
		c, err := command.Decode([]byte(l.Body))
		if err != nil {
			judged[i].Against, judged[i].Outlook = reasonOf(err), "rejected"
			continue
		}
		judged[i].Command = c
		ids, places = append(ids, c.ID), append(places, i)
	}
	if len(ids) == 0 {
		return judged, nil
	}
	records, err := d.Records.LoadMany(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the records of %d dead letters: %w", len(ids), err)
	}
	for n, i := range places {
		judged[i].decide(records[n], upload.Check(d.Policy, records[n], judged[i].Command, d.Now()))
	}
	return judged, nil
}

func (j *Judged) decide(r upload.Record, check upload.Recheck) {
	switch check.Verdict {
	case upload.Reject:
		j.Against, j.Outlook = check.Reason, "rejected"
	case upload.Drop:
		j.Outlook = "nothing to do: " + check.Reason
		if j.Parked = r.State == upload.StateDeleting && !r.ParkedAt.IsZero(); j.Parked {
			j.Against = "the upload is parked"
			j.Outlook = j.Against
		}
	case upload.Wait:
		j.Outlook = "waits: " + check.Reason
	default:
		j.Outlook = "deleted: " + check.Reason
	}
}

func reasonOf(err error) string {
	var rejected *command.Rejected
	if errors.As(err, &rejected) {
		return rejected.Reason
	}
	return err.Error()
}
