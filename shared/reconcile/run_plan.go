package reconcile

import (
	"context"
	"errors"
	"fmt"
	"maps"
)

// Plan is what a run would do. It is executed once, or closed.
type Plan struct {
	runner   Runner
	task     Task
	rules    ruleset
	id       string
	summary  Summary
	counts   map[Verdict]Count
	resolved *findings
}

// Plan compares, and looks up every candidate: nothing is called missing before
// a look at that very version, and nothing an orphan that does not stand or
// that the ledger's own key layout says is somebody's. It writes nothing. An
// error on either side, or of a look-up, refuses the whole run.
func (r Runner) Plan(ctx context.Context, t Task) (_ *Plan, err error) {
	options := r.options(t)
	rules, err := newRules(t.Inventory.Manifest(), options)
	if err != nil {
		return nil, err
	}
	raw, err := newFindings(r.TempDir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, raw.close()) }()
	summary, err := Compare(ctx, t.Inventory, t.Manifest, options, func(f Finding) error { return raw.add(looked{Finding: f}) })
	if err != nil {
		return nil, err
	}
	p := &Plan{
		runner: r, task: t, rules: rules, id: RunID(t.Inventory.Manifest()), summary: summary, counts: maps.Clone(summary.Counts),
	}
	if p.counts == nil {
		p.counts = map[Verdict]Count{}
	}
	if p.resolved, err = newFindings(r.TempDir); err != nil {
		return nil, err
	}
	if err := p.lookUp(ctx, raw); err != nil {
		return nil, errors.Join(fmt.Errorf("not judged: %w", err), p.Close())
	}
	return p, nil
}

// Counts are by verdict, after the look-ups.
func (p *Plan) Counts() map[Verdict]Count { return maps.Clone(p.counts) }

// Close forgets the plan.
func (p *Plan) Close() error { return p.resolved.close() }

// lookUp resolves the findings, in their order.
func (p *Plan) lookUp(ctx context.Context, raw *findings) error {
	return batches(raw.all(), func(batch []looked) error {
		before := make([]Verdict, len(batch))
		for i := range batch {
			before[i] = batch[i].Verdict
		}
		if err := sideBySide(ctx, batch, p.runner.resolve); err != nil {
			return err
		}
		for i, f := range batch {
			if f.Verdict != before[i] {
				p.recount(f.Finding, before[i])
			}
			if err := p.resolved.add(f); err != nil {
				return err
			}
		}
		return nil
	})
}

// recount moves a finding from one verdict's count to another's.
func (p *Plan) recount(f Finding, from Verdict) {
	bytes := max(f.Size, 0)
	c := p.counts[from]
	p.counts[from] = Count{c.Count - 1, c.Bytes - bytes}
	c = p.counts[f.Verdict]
	p.counts[f.Verdict] = Count{c.Count + 1, c.Bytes + bytes}
}
