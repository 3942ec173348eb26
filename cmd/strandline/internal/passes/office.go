package passes

import (
	"context"
	"io"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
)

// ByHand is the schedule under which an operator's passes run. No deployed
// schedule has its name, so that neither takes up the other's runs.
const ByHand = "by-hand"

// Office shows passes. Queue and Log of its Pass may be nil where nothing is
// run.
type Office struct {
	Pass cleanup.Pass
	Out  io.Writer
	// JSON writes documents for programs, a line each.
	JSON bool
	// Tenants is how many tenants a table shows; 0 for all of them.
	Tenants int
	// Progress, where set, is told how many things a step has dealt with, by many
	// at once.
	Progress func(stage string, done int64, unit string)
	// Clear, where set, takes the progress away before something is printed.
	Clear func()
}

// watched is the pass with its progress shown.
func (o Office) watched() cleanup.Pass {
	if o.Progress == nil {
		return o.Pass
	}
	return watch(o.Pass, o.Progress)
}

func (o Office) clear() {
	if o.Clear != nil {
		o.Clear()
	}
}

// Plan shows what a pass that began now would do. It writes nothing.
func (o Office) Plan(ctx context.Context) error {
	v, err := o.watched().Preview(ctx)
	o.clear()
	if err != nil {
		return err
	}
	like, err := o.comparePolicy(ctx)
	if err != nil {
		return err
	}
	if o.JSON {
		return show.JSON(o.Out, pageOf(v, like))
	}
	return o.preview(v, like)
}
