package cleanup

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Runs yields the runs that fired at the instant or later, in that order. It
// holds one at a time. After an error nothing more comes.
func (p Pass) Runs(ctx context.Context, from time.Time) iter.Seq2[Report, error] {
	first := strings.TrimSuffix(RunID("", from), "#")
	return func(yield func(Report, error) bool) {
		for doc, err := range p.Documents.List(ctx, runs, first, "") {
			if err != nil {
				yield(Report{}, fmt.Errorf("read the runs: %w", err))
				return
			}
			r, err := decodeReport(doc)
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// ReadRun returns a run as it is stored; upload.ErrAbsent if there is none.
func (p Pass) ReadRun(ctx context.Context, id string) (Report, error) {
	doc, err := p.Documents.Get(ctx, runs, id)
	switch {
	case err != nil:
		return Report{}, fmt.Errorf("read run %s: %w", id, err)
	case doc.Revision == 0:
		return Report{}, fmt.Errorf("read run %s: %w", id, upload.ErrAbsent)
	}
	return decodeReport(doc)
}

// PlanOf reads the plan that a run stored when it was paused: what a person
// looks at. A plan that is not whole, or not the run's, is an error.
func (p Pass) PlanOf(ctx context.Context, r Report) (*Plan, error) { return p.loadPlan(ctx, r) }

// ToApprove is what an approval of this run and digest would let go: the run
// and its plan. It writes nothing. The error matches upload.ErrRefused where
// [Pass.Approve] would refuse: another digest, used already, too old, not
// paused, the gate closed, a clock that is wrong.
func (p Pass) ToApprove(ctx context.Context, run, digest string) (Report, *Plan, error) {
	start := p.start()
	r, err := p.ReadRun(ctx, run)
	if err != nil {
		return Report{}, nil, err
	}
	if err := r.approvable(digest, start); err != nil {
		return r, nil, err
	}
	if err := p.mayExecute(ctx, start); err != nil {
		return r, nil, err
	}
	plan, err := p.loadPlan(ctx, r)
	return r, plan, err
}

// ApprovableUntil is how long a paused run's plan can be approved; zero for
// any other run.
func (r Report) ApprovableUntil() time.Time {
	if r.State != RunPaused {
		return time.Time{}
	}
	return r.PausedAt.Add(approvableFor)
}
