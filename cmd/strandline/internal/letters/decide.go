package letters

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/deadletter"
)

// maxShown is how many letters are shown before a decision is asked about; the
// sums are of all.
const maxShown = 20

// confirm shows the letters and what would become of them, and asks.
func (c Clerk) confirm(letters, left []found, o Outcome) error {
	if c.Ask == nil {
		return nil
	}
	rows := newRows(c.Now())
	for _, f := range append(append([]found{}, letters...), left...) {
		if rows.Rows() < maxShown {
			rows.add(f)
		}
	}
	if err := rows.Write(c.Out); err != nil {
		return err
	}
	if more := len(letters) + len(left) - rows.Rows(); more > 0 {
		fmt.Fprintf(c.Out, "… and %d more\n", more)
	}
	fmt.Fprintln(c.Out)
	question := "Discard"
	if o == Redriven {
		question = "Redrive"
		fmt.Fprintf(c.Out, "%s back to the queue of commands; the workers decide about each of them again.\n", show.CountedAs(int64(len(letters)), "goes", "go"))
	} else {
		fmt.Fprintf(c.Out, "%s away for good. What the ledger says is due stays due: a pass publishes it again.\n", show.CountedAs(int64(len(letters)), "goes", "go"))
	}
	if o == Discarded && slices.ContainsFunc(letters, func(f found) bool { return f.box == Releases }) {
		fmt.Fprintln(c.Out, "The object of a release stays, until it is released again or the reconciler finds it.")
	}
	if len(left) > 0 {
		fmt.Fprintf(c.Out, "%s: they would only come back.\n", show.CountedAs(int64(len(left)), "stays", "stay"))
	}
	return c.Ask.Confirm(question + " " + show.These(len(letters)) + "?")
}

// lineOf is what the audit trail says of a letter. That of a trigger names no
// upload.
func (c Clerk) lineOf(f found, o Outcome) audit.Line {
	l := audit.Line{
		At: c.Now(), Who: c.Who, What: audit.LetterDiscarded, Why: reasonOf(f), Letter: f.MessageID,
		Run: f.Command.Run, Operation: string(f.Command.Operation), Tenant: f.Command.ID.Tenant, Upload: f.Command.ID.Upload,
		Before: "dead", After: string(Discarded),
	}
	if o == Redriven {
		l.What, l.After = audit.LetterRedriven, "queued"
	}
	return l
}

// noting writes a line into the trail as soon as something became of a letter:
// whoever is killed among thousands leaves no more than one batch without.
func (c Clerk) noting(box string, o Outcome) func(context.Context, deadletter.Judged) {
	return func(ctx context.Context, j deadletter.Judged) {
		c.Audit.Write(ctx, c.lineOf(found{Judged: j, box: box}, o))
	}
}

// errGone: some of what was shown was not there any more.
var errGone = errors.New("somebody else has taken them meanwhile, or is looking at them; \"strandline dlq list\" shows what there is")

// report says what became of the letters. Some that were not there are an
// error: nobody knows what becomes of them.
func (c Clerk) report(o Outcome, letters, left []found, done deadletter.Done) error {
	if err := c.outcome(o, letters, left, done); err != nil || done.Gone == 0 {
		return err
	}
	return fmt.Errorf("%s not %s: %w", show.CountedAs(int64(done.Gone), "dead letter was", "dead letters were"), o, errGone)
}

func (c Clerk) outcome(o Outcome, letters, left []found, done deadletter.Done) error {
	if c.JSON {
		return errors.Join(c.lines(letters, o), c.lines(left, Left))
	}
	say := func(n int, what string) {
		if n > 0 {
			fmt.Fprintf(c.Out, "%d %s\n", n, what)
		}
	}
	if len(letters) == 0 {
		fmt.Fprintf(c.Out, "nothing to do: no dead letter is %s\n", o)
	}
	say(len(letters), string(o))
	say(len(left), "left: redriven now they would only come back; \"strandline dlq list\" says why")
	if o == Redriven {
		say(done.Back, "of them among the dead letters still, and in the queue too: done twice does no harm")
	} else {
		say(done.Back, "of them among the dead letters still: they came back too soon, discard them once more")
	}
	return nil
}

func (c Clerk) lines(letters []found, o Outcome) error {
	for _, f := range letters {
		p := c.pageOf(f)
		p.Outcome = string(o)
		if err := show.JSON(c.Out, p); err != nil {
			return err
		}
	}
	return nil
}
