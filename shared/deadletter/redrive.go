package deadletter

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Plan is what redriving would do with the letters that are wanted. They hold
// no bodies.
type Plan struct {
	Redriven []Judged
	// Left stays among the dead letters, each for what is against it.
	Left []Judged
	// Complete: no letter was left out.
	Complete bool
}

// Plan looks through the letters and plans for those that are wanted.
func (d Desk) Plan(ctx context.Context, wanted func(command.Letter) bool) (p Plan, err error) {
	p.Complete, err = d.Look(ctx, MaxLetters, func(j Judged) error {
		if !wanted(j.Letter) {
			return nil
		}
		j.Body = "" // there may be many, of up to a megabyte each
		if j.Redriven() {
			p.Redriven = append(p.Redriven, j)
		} else {
			p.Left = append(p.Left, j)
		}
		return nil
	})
	return p, err
}

// Done is what became of the letters that were to be redriven, or discarded.
type Done struct {
	Letters []Judged
	// Back of them are still among the dead letters: they came back before they
	// could be discarded. What was redriven is in both places then.
	Back int
	// Gone were not there to be taken: somebody else has taken them, or has them
	// hidden while they look.
	Gone int
}

// Redrive sends the plan's commands to the queue, and discards each letter that
// the queue has accepted. What it returns is done, also with an error; the rest
// is where it was.
func (d Desk) Redrive(ctx context.Context, p Plan) (Done, error) {
	return d.take(ctx, p.Redriven, func(batch []Judged) ([]bool, error) {
		var commands []upload.Command
		for _, j := range batch {
			commands = append(commands, j.Command)
		}
		accepted, err := d.Queue.Send(ctx, commands)
		if err != nil {
			return accepted, fmt.Errorf("redrive %d dead letters: %w", len(batch), err)
		}
		return accepted, nil
	})
}

// Discard removes letters for good. What the ledger says is due stays due: a
// pass publishes it again.
func (d Desk) Discard(ctx context.Context, letters []Judged) (Done, error) {
	return d.take(ctx, letters, func(batch []Judged) ([]bool, error) {
		all := make([]bool, len(batch))
		for i := range all {
			all[i] = true
		}
		return all, nil
	})
}

// take goes through the letters once more and does those that are named; first
// says which of a batch may be discarded.
func (d Desk) take(ctx context.Context, named []Judged, first func([]Judged) ([]bool, error)) (Done, error) {
	open := make(map[string]Judged, len(named))
	for _, j := range named {
		open[j.MessageID] = j
	}
	if len(open) == 0 {
		return Done{}, nil
	}
	done := Done{}
	_, err := d.round(ctx, MaxLetters, func(letters []command.Letter) (kept []command.Letter, over bool, err error) {
		var batch []Judged
		for _, l := range letters {
			j, ok := open[l.MessageID]
			if !ok {
				kept = append(kept, l)
				continue
			}
			j.Receipt = l.Receipt
			batch = append(batch, j)
			delete(open, l.MessageID)
		}
		if len(batch) == 0 {
			return kept, false, nil
		}
		left, err := d.finish(ctx, batch, first, &done)
		return append(kept, left...), len(open) == 0, err
	})
	if err == nil {
		done.Gone = len(open)
	}
	return done, err
}

// finish does one batch, and returns what stays among the dead letters. A
// letter is discarded last: whatever fails before leaves it where it is.
func (d Desk) finish(ctx context.Context, batch []Judged, first func([]Judged) ([]bool, error), done *Done) (left []command.Letter, err error) {
	may, err := first(batch)
	gone := d.discard(ctx, batch, may)
	for i, j := range batch {
		if !may[i] {
			left = append(left, j.Letter)
			continue
		}
		done.Letters = append(done.Letters, j)
		d.did(ctx, j)
		switch {
		case errors.Is(gone[i], upload.ErrAbsent):
			done.Back++
		case gone[i] != nil:
			done.Back++
			left, err = append(left, j.Letter), errors.Join(err, fmt.Errorf("letter %s: %w", j.MessageID, gone[i]))
		}
	}
	return left, err
}

func (d Desk) did(ctx context.Context, j Judged) {
	if d.Did != nil {
		d.Did(context.WithoutCancel(ctx), j)
	}
}

// discard discards the letters of a batch that may be, side by side, also when a
// person interrupts: what is in the queue by now need not be in both.
func (d Desk) discard(ctx context.Context, batch []Judged, may []bool) []error {
	ctx = context.WithoutCancel(ctx)
	errs := make([]error, len(batch))
	var all sync.WaitGroup
	for i, j := range batch {
		if may[i] {
			all.Go(func() { errs[i] = d.Letters.Discard(ctx, j.Receipt) })
		}
	}
	all.Wait()
	return errs
}
