package explanation

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Ledger is where records, runs, cursors and the census are read.
type Ledger interface {
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	References(ctx context.Context, id upload.ID) iter.Seq2[ledger.ReferenceUse, error]
	cleanup.Documents
	cleanup.Holdings
}

// Sources are where the facts come from. Every field is required.
type Sources struct {
	Ledger Ledger
	Gate   cleanup.Switch
	Policy policy.Policy
	Now    func() time.Time
}

// Facts are everything that an explanation is made of.
type Facts struct {
	Now    time.Time
	Policy policy.Policy
	ID     upload.ID
	// Record is the zero Record where the tenant has no such upload.
	Record upload.Record
	// Look is when a pass next comes by, Ahead what passes decide from then on.
	Look  cleanup.Look
	Ahead []upload.Foreseen
	// Obstacles keep it from deletion now.
	Obstacles []upload.Obstacle
	// Referrers are some of its live references, Dropped how many were dropped.
	Referrers []upload.Reference
	Dropped   int64
	// Future: its activity lies ahead of every clock; a pass that meets it stops.
	Future bool
	Surroundings
}

// Surroundings are what of the installation matters to any upload.
type Surroundings struct {
	Gate gate.State
	// Stale is why nothing can be judged by the census; empty if it can.
	Stale string
	// Last is the latest run of the last day; its Run is empty if there is none.
	Last cleanup.Report
	// Waiting are the runs whose plan waits for a person and holds the upload.
	Waiting []Waiting
}

// Waiting is one candidate of a plan that waits for a person.
type Waiting struct {
	Run    cleanup.Report
	Action string
	Reason string
}

// runsSince is how far back runs are looked at: the age of a plan that can
// still be approved.
const runsSince = 25 * time.Hour

// Gather reads the facts about one upload. It writes nothing.
func (s Sources) Gather(ctx context.Context, id upload.ID) (Facts, error) {
	f := Facts{Now: s.Now().UTC().Truncate(time.Millisecond), Policy: s.Policy, ID: id}
	if err := id.Validate(); err != nil {
		return Facts{}, err
	}
	var err error
	if f.Record, err = s.Ledger.Load(ctx, id); err != nil {
		return Facts{}, err
	}
	if f.Surroundings, err = s.Surround(ctx, f.Now, id); err != nil {
		return Facts{}, err
	}
	if err := s.refer(ctx, &f); err != nil {
		return Facts{}, err
	}
	return f, s.foresee(ctx, &f)
}

// mostReferrers is how many live references are named.
const mostReferrers = 20

// refer looks who refers to the upload. Only what was complete can be referred
// to.
func (s Sources) refer(ctx context.Context, f *Facts) error {
	if f.Record.CompletedAt.IsZero() {
		return nil
	}
	for use, err := range s.Ledger.References(ctx, f.ID) {
		switch {
		case err != nil:
			return err
		case use.State == ledger.ReferenceDropped:
			f.Dropped++
		case len(f.Referrers) < mostReferrers:
			f.Referrers = append(f.Referrers, use.Reference)
		}
	}
	return nil
}

// foresee asks the core and the cursors what comes.
func (s Sources) foresee(ctx context.Context, f *Facts) (err error) {
	if f.Record.State == upload.StateNone {
		return nil
	}
	f.Obstacles = upload.Obstacles(f.Policy, f.Record, f.Now.Add(-f.Policy.SafetyMargin), f.Now)
	if f.Look, err = cleanup.LookAt(ctx, s.Ledger, f.Policy, f.Record, f.Now); err != nil {
		return err
	}
	if _, err := upload.Foresee(f.Policy, f.Record, f.Now); err != nil {
		f.Future = true // an error that only this record can have
		return nil
	}
	from := f.Now
	if f.Look.From.After(from) {
		from = f.Look.From
	}
	f.Ahead, err = upload.Foresee(f.Policy, f.Record, from)
	return err
}

// Surround reads what of the installation matters to any upload, and, of the
// plans that wait for a person, to this one.
func (s Sources) Surround(ctx context.Context, now time.Time, id upload.ID) (Surroundings, error) {
	var around Surroundings
	var err error
	if around.Gate, err = s.Gate.Read(ctx); err != nil {
		return around, fmt.Errorf("read the gate: %w", err)
	}
	counted, err := cleanup.Census{Ledger: s.Ledger}.Read(ctx)
	if err != nil {
		return around, err
	}
	around.Stale = counted.Stale(s.Policy, now)
	pass := cleanup.Pass{Documents: s.Ledger}
	for r, err := range pass.Runs(ctx, now.Add(-runsSince)) {
		if err != nil {
			return around, err
		}
		around.Last = r
		if !r.ApprovableUntil().After(now) {
			continue
		}
		if around.Waiting, err = waiting(ctx, pass, r, id, around.Waiting); err != nil {
			return around, err
		}
	}
	return around, nil
}

// waiting adds what the run's stored plan has of the upload.
func waiting(ctx context.Context, pass cleanup.Pass, r cleanup.Report, id upload.ID, all []Waiting) ([]Waiting, error) {
	plan, err := pass.PlanOf(ctx, r)
	if err != nil {
		return all, err
	}
	for c := range plan.Candidates() {
		if c.Tenant == id.Tenant && c.Upload == id.Upload {
			all = append(all, Waiting{Run: r, Action: c.Action, Reason: c.Reason})
		}
	}
	return all, nil
}
