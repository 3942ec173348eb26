package passes

import (
	"context"
	"fmt"
	"io"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/policy"
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
	differs, err := o.policyDiffers(ctx)
	if err != nil {
		return err
	}
	if o.JSON {
		return show.JSON(o.Out, pageOf(v, differs))
	}
	return o.preview(v, differs)
}

// difference is a variable in which the policy here is not that of the last
// pass which a schedule ran.
type difference struct {
	Variable string `json:"variable"`
	Here     string `json:"here"`
	There    string `json:"there"`
	Run      string `json:"run"`
}

func (d *difference) String() string {
	return fmt.Sprintf("%s is %s here and %s in run %s", d.Variable, d.Here, d.There, d.Run)
}

// policyDiffers compares the policy here with that of the last pass that a
// schedule ran in the last days; nil where they agree or there is none. With
// another policy an operator's pass would mark what the schedule's would not.
func (o Office) policyDiffers(ctx context.Context) (*difference, error) {
	var last cleanup.Report
	for r, err := range o.Pass.Runs(ctx, o.Pass.Now().Add(-cleanup.MaxTriggerAge)) {
		switch {
		case err != nil:
			return nil, err
		case r.By == "" && r.Policy != nil:
			last = r
		}
	}
	if last.Policy == nil {
		return nil, nil
	}
	name, here, there := policy.Differing(o.Pass.Policy.Settings(), last.Policy)
	if name == "" {
		return nil, nil
	}
	return &difference{Variable: name, Here: here, There: there, Run: last.Run}, nil
}
