package letters

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/deadletter"
)

// Clerk lets a person decide about dead letters. It shows what a decision would
// do and asks, before it does anything.
type Clerk struct {
	Office
	Ask consent.Ask
	// Who decides; written into the audit trail, a line for each letter.
	Who   string
	Audit audit.To
}

// Outcome is what became of a letter.
type Outcome string

// The outcomes.
const (
	Redriven  Outcome = "redriven"
	Discarded Outcome = "discarded"
	Left      Outcome = "left"
)

// Wanted says which letters a decision is about: those that are named, or all
// whose reason holds the text.
type Wanted struct {
	Names  []string
	All    bool
	Reason string
}

// Redrive sends letters back to the queue of commands. One that is named and
// would only come back refuses them all; of all letters, those are left.
func (c Clerk) Redrive(ctx context.Context, w Wanted) error {
	at := slices.IndexFunc(c.Boxes, func(b Box) bool { return b.Name == Purge })
	if at < 0 {
		return errors.New("the purge queue's dead letters are not given: there is nothing to redrive")
	}
	desk := c.Boxes[at].Desk
	desk.Did = c.noting(Purge, Redriven)
	plan, err := c.plan(ctx, desk, w)
	if err != nil {
		return err
	}
	letters, left := foundIn(Purge, plan.Redriven), foundIn(Purge, plan.Left)
	if len(letters) == 0 {
		return c.report(Redriven, nil, left, deadletter.Done{})
	}
	if err := c.confirm(letters, left, Redriven); err != nil {
		return err
	}
	done, err := desk.Redrive(ctx, plan)
	c.clear()
	return errors.Join(c.report(Redriven, foundIn(Purge, done.Letters), left, done), err)
}

// plan plans for what is wanted.
func (c Clerk) plan(ctx context.Context, desk deadletter.Desk, w Wanted) (deadletter.Plan, error) {
	wanted := newNames(w.Names)
	seen := 0
	plan, err := desk.Plan(ctx, func(l command.Letter) bool {
		seen++
		return wanted.match(l.MessageID) || w.All && strings.Contains(l.Reason, w.Reason)
	})
	c.clear()
	if err != nil {
		return plan, fmt.Errorf("look at the dead letters: %w", err)
	}
	for _, f := range append(foundIn(Purge, plan.Redriven), foundIn(Purge, plan.Left)...) {
		wanted.keep(f)
	}
	if _, err := wanted.letters(); err != nil {
		return plan, err
	}
	if len(plan.Left) > 0 && !w.All {
		f := found{Judged: plan.Left[0], box: Purge}
		return plan, fmt.Errorf("dead letter %s is not redriven, it would only come back: %s%s", short(f.MessageID), show.Plain(f.Against), hint(f))
	}
	if plan.Complete && w.All {
		c.allSeen(ctx, Box{Name: Purge, Desk: desk}, seen)
	}
	if !plan.Complete && w.All {
		fmt.Fprintln(c.Notes, "there are more than one look goes through: redrive once more afterwards")
	}
	return plan, nil
}

func foundIn(box string, judged []deadletter.Judged) []found {
	all := make([]found, len(judged))
	for i, j := range judged {
		all[i] = found{Judged: j, box: box}
	}
	return all
}

// Discard removes letters for good.
func (c Clerk) Discard(ctx context.Context, w Wanted) error {
	letters, err := c.wanted(ctx, w)
	if err != nil {
		return err
	}
	if len(letters) > 0 {
		if err := c.confirm(letters, nil, Discarded); err != nil {
			return err
		}
	}
	var sum deadletter.Done
	var gone []found
	for _, b := range c.Boxes {
		var named []deadletter.Judged
		for _, f := range letters {
			if f.box == b.Name {
				named = append(named, f.Judged)
			}
		}
		b.Desk.Did = c.noting(b.Name, Discarded)
		done, failed := b.Desk.Discard(ctx, named)
		gone = append(gone, foundIn(b.Name, done.Letters)...)
		sum.Back, sum.Gone = sum.Back+done.Back, sum.Gone+done.Gone
		err = errors.Join(err, failed)
	}
	c.clear()
	return errors.Join(c.report(Discarded, gone, nil, sum), err)
}

func (c Clerk) wanted(ctx context.Context, w Wanted) (letters []found, err error) {
	if !w.All {
		return c.find(ctx, w.Names)
	}
	_, err = c.look(ctx, deadletter.MaxLetters, func(f found) error {
		if strings.Contains(f.Reason, w.Reason) {
			letters = append(letters, f)
		}
		return nil
	})
	return letters, err
}
