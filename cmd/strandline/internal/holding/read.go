package holding

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/hold"
)

// Office shows the holds of one bucket.
type Office struct {
	Book   hold.Book
	Bucket string
	Now    func() time.Time
	Out    io.Writer
	// JSON writes one hold a line for programs, not a table.
	JSON bool
}

// ParseStates reads the names of states; "all" is every one of them.
func ParseStates(names []string) (states []hold.State, err error) {
	for _, name := range names {
		if name == "all" {
			return hold.States(), nil
		}
		if !slices.Contains(hold.States(), hold.State(name)) {
			return nil, fmt.Errorf("--state is %q: expected %s, %s, %s, %s or all", name, hold.Open, hold.Kept, hold.Approved, hold.Closed)
		}
		states = append(states, hold.State(name))
	}
	return states, nil
}

// List shows the bucket's holds in these states, all of them.
func (o Office) List(ctx context.Context, states []hold.State) error {
	lines, found := newList(o.Now()), 0
	for h, err := range o.Book.All(ctx, o.Bucket) {
		switch {
		case err != nil:
			return err
		case !slices.Contains(states, h.State):
			continue
		}
		found++
		if !o.JSON {
			lines.add(h)
			continue
		}
		if err := show.JSON(o.Out, pageOf(h)); err != nil {
			return err
		}
	}
	switch {
	case o.JSON:
		return nil
	case found == 0:
		_, err := fmt.Fprintf(o.Out, "no such holds in bucket %s; --state all shows the closed ones too\n", o.Bucket)
		return err
	}
	return lines.Write(o.Out)
}

// Show shows everything known of some holds.
func (o Office) Show(ctx context.Context, ids []string) error {
	all, err := o.find(ctx, ids)
	if err != nil {
		return err
	}
	for i, h := range all {
		if o.JSON {
			if err := show.JSON(o.Out, pageOf(h)); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(o.Out)
		}
		details(o.Out, h, o.Now())
	}
	return nil
}

// find returns the holds that the ids begin, in their order. One that names
// none, or several, is refused.
func (o Office) find(ctx context.Context, ids []string) (all []hold.Hold, err error) {
	for _, id := range ids {
		found, err := o.Book.Find(ctx, o.Bucket, id, 2)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 0:
			return nil, fmt.Errorf("there is no hold %s in bucket %s; \"strandline holds list --state all\" shows them", id, o.Bucket)
		case len(found) > 1:
			return nil, fmt.Errorf("more than one hold begins with %s: give more of its id", id)
		case !slices.ContainsFunc(all, func(h hold.Hold) bool { return h.ID() == found[0].ID() }):
			all = append(all, found[0])
		}
	}
	return all, nil
}
