package passes

import (
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/policy"
)

// likeness says whether the policy here is that of the last pass which a
// schedule ran, and names the first variable in which it is not.
type likeness struct {
	// Run is that pass; empty if there was none in the last days.
	Run      string `json:"run,omitempty"`
	Variable string `json:"variable,omitempty"`
	Here     string `json:"here,omitempty"`
	There    string `json:"there,omitempty"`
}

func (l likeness) differs() bool { return l.Variable != "" }

func (l likeness) String() string {
	switch {
	case l.Run == "":
		return fmt.Sprintf("compared with nothing: no schedule has run a pass in the last %d days", int(cleanup.MaxTriggerAge.Hours()/24))
	case !l.differs():
		return "that of run " + l.Run
	}
	return fmt.Sprintf("%s is %s here and %s in run %s", l.Variable, l.Here, l.There, l.Run)
}

// comparePolicy compares the policy here with that of the last pass that a
// schedule ran in the last days. With another policy an operator's pass would
// mark what the schedule's would not.
func (o Office) comparePolicy(ctx context.Context) (likeness, error) {
	var last cleanup.Report
	for r, err := range o.Pass.Runs(ctx, o.Pass.Now().Add(-cleanup.MaxTriggerAge)) {
		switch {
		case err != nil:
			return likeness{}, err
		case r.By == "" && r.Policy != nil:
			last = r
		}
	}
	if last.Policy == nil {
		return likeness{}, nil
	}
	l := likeness{Run: last.Run}
	l.Variable, l.Here, l.There = policy.Differing(o.Pass.Policy.Settings(), last.Policy)
	return l, nil
}
