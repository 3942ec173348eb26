package cleanup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Preview is what a pass that began now would do.
type Preview struct {
	At time.Time
	// Plan is nil where a pass would be stopped.
	Plan  *Plan
	Stats Stats
	// Buckets compares what would be published with the limits.
	Buckets []BucketVerdict
	// Would is the state in which a run with this plan ends: done, reported,
	// paused or stopped. Reason says why; empty for done.
	Would  RunState
	Reason string
	// Notes say what else keeps a run from all of it.
	Notes []string
	// Gate is the switch as it was read.
	Gate gate.State
	// Census is what the percentage was taken of.
	Census Counted
	// Busy is the run that has the pass lease, so that another would be refused.
	Busy lease.Holder
	// Queued is how many messages the queue holds; -1 where it was not given.
	Queued int64
}

// Preview plans and judges as a pass that begins now would, and writes nothing:
// neither a run, nor a cursor, nor a record. Queue and Log may be nil.
//
// A pass plans anew: what becomes due, or is revived, until it runs is not in
// this one. The error matches upload.ErrRefused if a pass would be refused.
func (p Pass) Preview(ctx context.Context) (Preview, error) {
	if err := p.mayPreview(); err != nil {
		return Preview{}, err
	}
	p.Candidates, p.Documents = readCandidates{p.Candidates}, readDocuments{p.Documents}
	v := Preview{At: p.start(), Queued: -1}
	var err error
	if v.Gate, err = p.Switch.Read(ctx); err != nil {
		return Preview{}, fmt.Errorf("read the gate: %w", err)
	}
	if err := p.checkClock(v.Gate, v.At); err != nil {
		return Preview{}, err
	}
	if v.Busy, err = lease.Look(ctx, p.Documents, leaseKind, v.At); err != nil {
		return Preview{}, err
	}
	if err := p.previewQueue(ctx, &v); err != nil {
		return Preview{}, err
	}
	return v, p.previewPlan(ctx, &v)
}

func (p Pass) mayPreview() error {
	err := missing("preview", required{p.Candidates != nil, "Candidates"}, required{p.Documents != nil, "Documents"},
		required{p.Switch != nil, "Switch"}, required{p.Now != nil, "Now"})
	if err != nil {
		return err
	}
	return p.Policy.Validate()
}

func (p Pass) previewQueue(ctx context.Context, v *Preview) (err error) {
	if p.Queue == nil {
		return nil
	}
	if v.Queued, err = p.Queue.Depth(ctx); err != nil {
		return fmt.Errorf("read the queue's depth: %w", err)
	}
	if v.Queued > p.Policy.QueueHighWater {
		v.Notes = append(v.Notes, SkipHighWater)
	}
	return nil
}

// previewPlan looks as work.attempt does, and says what it would come to.
func (p Pass) previewPlan(ctx context.Context, v *Preview) error {
	run, cutoff := RunID("preview", v.At), v.At.Add(-p.Policy.SafetyMargin)
	var err error
	if v.Census, err = countedOf(ctx, p.Documents); err != nil {
		return err
	}
	recent, err := p.published(ctx, run, v.At)
	if err != nil {
		return err
	}
	plan, err := p.plan(ctx, run, cutoff, v.At)
	if errors.Is(err, upload.ErrFuture) {
		v.Would, v.Reason = RunStopped, err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	plan.used = true // nothing may execute it: no run stands behind it
	v.Plan, v.Stats = plan, plan.Stats()
	v.Buckets = judge(p.Policy, plan, recent, v.Census.census())
	stale, over := v.Census.Stale(p.Policy, v.At), (Report{Buckets: v.Buckets}).overLimit()
	if stale != "" {
		v.Notes = append(v.Notes, stale)
	}
	v.Would, v.Reason = outlook(v.Gate, stale, over)
	if v.Would == RunReported && over != "" && stale == "" {
		v.Notes = append(v.Notes, "would be paused: "+over)
	}
	return nil
}

// outlook is how a run ends whose plan was judged: reported where the gate is
// closed, paused where a bucket is over its limit; else it is executed. A
// census that nothing can be judged by holds the purges back instead.
func outlook(state gate.State, stale, over string) (ends RunState, reason string) {
	switch {
	case !state.Open():
		return RunReported, closedReason(state)
	case stale == "" && over != "":
		return RunPaused, over
	}
	return RunDone, ""
}

// errReadOnly: a preview came to a place that writes.
var errReadOnly = errors.New("a preview writes nothing")

// readCandidates refuses to write.
type readCandidates struct{ Candidates }

func (readCandidates) Commit(context.Context, upload.Change) error { return errReadOnly }

// readDocuments refuses to write.
type readDocuments struct{ documents Documents }

func (r readDocuments) Get(ctx context.Context, collection, id string) (ledger.Document, error) {
	return r.documents.Get(ctx, collection, id)
}

func (r readDocuments) List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error] {
	return r.documents.List(ctx, collection, from, to)
}

func (readDocuments) Put(context.Context, ledger.Document) error { return errReadOnly }
