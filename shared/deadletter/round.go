package deadletter

import (
	"context"
	"errors"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
)

const (
	// HideFor is how long a look hides what it has received. A letter that comes
	// back during the same look is not looked at again.
	HideFor = 15 * time.Minute
	// pollFor is how long one receive waits. From a second on SQS asks all of its
	// servers, so that one that finds nothing is the end of a look
	// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html).
	pollFor = time.Second
	// giveBackWithin bounds the end of a look that was interrupted.
	giveBackWithin = time.Minute
)

// MaxLetters is how many letters one look goes through: SQS has at most 120,000
// in flight
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html).
const MaxLetters = 100_000

// handle takes some letters that the look has not seen yet, and returns those
// that still have to be given back, also with an error. A look that need not go
// on is over.
type handle func([]command.Letter) (kept []command.Letter, over bool, err error)

// round receives up to most letters, each of them once, and gives back what is
// kept. complete: there are no more.
func (d Desk) round(ctx context.Context, most int, do handle) (complete bool, err error) {
	r := &round{desk: d, most: min(most, MaxLetters), do: do, known: map[string]bool{}}
	defer func() { err = errors.Join(err, r.giveBack(ctx)) }()
	for {
		fresh, again, err := r.receive(ctx)
		if err != nil || len(fresh)+again == 0 {
			return err == nil, err
		}
		if r.stale += again; len(fresh) > 0 {
			r.stale = 0
			kept, over, err := do(fresh)
			r.hold(kept)
			if err != nil || over {
				return false, err
			}
			d.progress(len(r.known))
		}
		// All of them came round once more, and nothing else: it would go on so.
		if len(r.known) > r.most || r.stale > len(r.known) {
			return false, nil
		}
	}
}

// round is one look on its way.
type round struct {
	desk     Desk
	most     int
	do       handle
	known    map[string]bool // by message id
	receipts []string        // to be given back
	stale    int             // letters in a row that were known already
}

// receive returns letters that were not seen before, and how many were. One more
// than most is asked for: it tells whether there are more, and is not looked at.
func (r *round) receive(ctx context.Context) (fresh []command.Letter, again int, err error) {
	letters, err := r.desk.Letters.Receive(ctx, min(command.MaxBatch, r.most+1-len(r.known)), pollFor, HideFor)
	for _, l := range letters {
		if r.known[l.MessageID] || len(r.known) >= r.most {
			r.hold([]command.Letter{l})
			again++
		} else {
			fresh = append(fresh, l)
		}
		r.known[l.MessageID] = true
	}
	return fresh, again, err
}

func (r *round) hold(letters []command.Letter) {
	for _, l := range letters {
		r.receipts = append(r.receipts, l.Receipt)
	}
}

func (r *round) giveBack(ctx context.Context) error {
	if len(r.receipts) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackWithin)
	defer cancel()
	return r.desk.Letters.GiveBack(ctx, r.receipts)
}

func (d Desk) progress(letters int) {
	if d.Progress != nil {
		d.Progress(letters)
	}
}
