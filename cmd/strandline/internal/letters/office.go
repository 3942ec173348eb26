package letters

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/deadletter"
)

// The queues of dead letters.
const (
	Purge  = "purge"  // commands that no worker could carry out
	Events = "events" // triggers that no function took

	Releases = "releases" // what of outboxes and streams the relay could not read
)

// Box is one queue of dead letters.
type Box struct {
	Name string
	Desk deadletter.Desk
	// Guessed: nobody has named the queue. One that cannot be read is left out.
	Guessed bool
}

// Office shows dead letters.
type Office struct {
	Boxes []Box
	Now   func() time.Time
	// Out gets the results, Notes what is said beside them.
	Out, Notes io.Writer
	// JSON writes one letter a line for programs, not a table.
	JSON bool
	// Body shows what a letter holds.
	Body bool
	// Clear takes the progress away before something is written; nil for none.
	Clear func()
}

// found is a letter and the box it lies in.
type found struct {
	deadletter.Judged
	box     string
	trigger trigger // of a letter in the events' box
}

// extent is how far a look has come.
type extent struct {
	// complete: no letter was left out. hidden: some were not to be had, or
	// nobody knows.
	complete, hidden bool
}

// look goes through all boxes.
func (o Office) look(ctx context.Context, most int, visit func(found) error) (e extent, err error) {
	e.complete = true
	left := most
	for _, b := range o.Boxes {
		before := left
		whole, err := b.Desk.Look(ctx, left, func(j deadletter.Judged) error {
			left--
			f := found{Judged: j, box: b.Name}
			switch b.Name {
			case Events:
				f.trigger = triggerOf(j.Letter)
			case Releases:
				f.Against, f.Outlook = "a release, not a command", "its object stays until the release is sent again, or the reconciler finds it"
			}
			if !o.Body { // there may be many, of up to a megabyte each
				f.Body = ""
			}
			return visit(f)
		})
		o.clear()
		switch {
		case err != nil && b.Guessed && ctx.Err() == nil:
			fmt.Fprintf(o.Notes, "the %s queue's dead letters are not shown: %s\n", b.Name, show.Plain(err.Error()))
			continue
		case err != nil:
			return e, fmt.Errorf("look at the %s queue's dead letters: %w", b.Name, err)
		}
		if e.complete = e.complete && whole; whole && !o.allSeen(ctx, b, before-left) {
			e.hidden = true
		}
	}
	return e, nil
}

// allSeen says where a look has not seen all letters of a box, or where nobody
// knows: that there are none to be seen does not mean that there are none.
func (o Office) allSeen(ctx context.Context, b Box, seen int) bool {
	hidden, err := b.Desk.Hidden(ctx, seen)
	switch {
	case err != nil:
		fmt.Fprintf(o.Notes, "whether the %s queue holds hidden dead letters is not known: %s\n", b.Name, show.Plain(err.Error()))
	case hidden > 0:
		fmt.Fprintf(o.Notes, "the %s queue counts about %s more that %s hidden: somebody looks at them, or did and was killed, and they come back within %d minutes; or its count is late\n",
			b.Name, show.Counted(hidden, "dead letter"), verbOf(hidden), int(deadletter.HideFor.Minutes()))
	}
	return err == nil && hidden == 0
}

func verbOf(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func (o Office) clear() {
	if o.Clear != nil {
		o.Clear()
	}
}

// List shows up to most letters, of all queues together, whose reason holds the
// text.
func (o Office) List(ctx context.Context, most int, reason string) error {
	if most < 1 {
		return errors.New("--most is less than 1: give how many letters to look at")
	}
	rows, sums := newRows(o.Now()), sums{}
	seen, err := o.look(ctx, most, func(f found) error {
		if !strings.Contains(f.Reason, reason) {
			return nil
		}
		if o.JSON {
			return show.JSON(o.Out, o.pageOf(f))
		}
		sums.add(f)
		rows.add(f)
		return nil
	})
	if err != nil {
		return err
	}
	if !seen.complete {
		fmt.Fprintf(o.Notes, "there are more than were looked at: --most is %d\n", most)
	}
	switch {
	case o.JSON:
		return nil
	case rows.Rows() == 0 && seen.hidden:
		_, err := fmt.Fprintln(o.Out, "no dead letters that can be looked at now")
		return err
	case rows.Rows() == 0:
		_, err := fmt.Fprintln(o.Out, "no dead letters")
		return err
	}
	if err := rows.Write(o.Out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.Out, "\n%s\n", sums)
	return err
}

// Show shows everything known of some letters.
func (o Office) Show(ctx context.Context, ids []string) error {
	all, err := o.find(ctx, ids)
	if err != nil {
		return err
	}
	for i, f := range all {
		if o.JSON {
			if err := show.JSON(o.Out, o.pageOf(f)); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(o.Out)
		}
		details(o.Out, f, o.Now(), o.Body)
	}
	return nil
}

// find returns the letters that the ids begin, in their order. One that names
// none, or several, is refused.
func (o Office) find(ctx context.Context, ids []string) ([]found, error) {
	wanted := newNames(ids)
	_, err := o.look(ctx, deadletter.MaxLetters, func(f found) error {
		wanted.keep(f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return wanted.letters()
}
