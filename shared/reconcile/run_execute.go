package reconcile

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Execute does what the plan says: it records the run, opens holds, takes
// uploads back into cleanup, closes holds that are none any more, raises
// alarms, and records the run as finished. Whatever it wrote before an error
// may be written again.
func (p *Plan) Execute(ctx context.Context) (Report, error) {
	r := p.runner
	x := &execution{Plan: p, book: r.book(), by: hold.Sighting{Run: p.id, Inventory: p.summary.Created}}
	x.report = Report{
		Run: p.id, Bucket: p.summary.Bucket, Inventory: p.summary.Created, Counts: p.Counts(),
		Rows: p.summary.Rows, Entries: p.summary.Entries, HoldsBlocked: p.summary.HoldsBlocked,
	}
	if err := r.putRun(ctx, p.id, func(d *runData) { d.Begun = r.Now() }); err != nil {
		return Report{}, err
	}
	if err := inBatches(ctx, p.resolved.all(), x.act); err != nil {
		return x.report, err
	}
	if err := x.closeHolds(ctx); err != nil {
		return x.report, err
	}
	x.alarm()
	view := hold.View{Run: p.id, Inventory: p.summary.Created, ManifestAt: p.summary.ManifestAt, Finished: r.Now()}
	if err := x.book.SetView(ctx, x.report.Bucket, view); err != nil {
		return x.report, err
	}
	return x.report, r.putRun(ctx, p.id, func(d *runData) { d.Finished, d.Report = r.Now(), x.report })
}

// execution is a plan on its way into the ledger.
type execution struct {
	*Plan
	book hold.Book
	by   hold.Sighting

	mu     sync.Mutex // of the report's counts
	report Report
}

func (x *execution) count(what *int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	*what++
}

func (x *execution) act(ctx context.Context, f looked) error {
	switch f.Verdict {
	case Orphan:
		return x.open(ctx, f)
	case Conflict, NotCheckable:
		return x.touch(ctx, f)
	case Undead:
		return x.takeBack(ctx, f, &x.report.Reopened)
	case Leftover:
		return x.takeBack(ctx, f, &x.report.Resuperseded)
	case Changed:
		return x.book.SetChanged(ctx, f.Bucket, f.Key, x.id, x.runner.Now())
	}
	return nil
}

func subjectOf(f Finding) hold.Subject {
	return hold.Subject{Kind: hold.Version, Bucket: f.Bucket, Key: f.Key, VersionID: f.VersionID}
}

// open opens a hold, with the facts that the store showed.
func (x *execution) open(ctx context.Context, f looked) error {
	if x.report.HoldsBlocked {
		return nil
	}
	h, outcome, err := x.book.See(ctx, hold.Seen{
		Subject: subjectOf(f.Finding), Size: f.facts.Size, ETag: f.facts.ETag, LastModified: f.facts.LastModified,
		Tenant: f.Tenant, Upload: f.Upload, KeyKnown: f.KeyKnown, Latest: f.Latest, By: x.by,
	}, x.runner.Now())
	switch outcome {
	case hold.Opened:
		x.count(&x.report.Opened)
		x.runner.heldLine(ctx, audit.HoldOpened, h, x.id, "", string(f.Verdict))
	case hold.Again:
		x.count(&x.report.Again)
	}
	return err
}

// touch keeps a hold whose version this run could not judge.
func (x *execution) touch(ctx context.Context, f looked) error {
	if f.VersionID == "" {
		return nil
	}
	return x.book.Touch(ctx, subjectOf(f.Finding), x.by, x.runner.Now())
}

// takeBack lets the worker look again at an upload of which something stands
// that should not. What is not in the ledger is only reported.
func (x *execution) takeBack(ctx context.Context, f looked, count *int64) error {
	id := upload.ID{Tenant: f.Tenant, Upload: f.Upload}
	if id.Validate() != nil {
		return nil
	}
	for range writeTries {
		record, err := x.runner.Records.Load(ctx, id)
		if err != nil {
			return fmt.Errorf("take upload %s back: %w", id.Upload, err)
		}
		event := eventFor(record, f.Finding)
		if event == nil {
			return nil
		}
		change, err := upload.Step(x.runner.Policy, record, event, x.runner.Now())
		if errors.Is(err, upload.ErrRefused) {
			return nil // it is another one by now
		}
		if err != nil {
			return fmt.Errorf("take upload %s back: %w", id.Upload, err)
		}
		if change.Nothing() {
			return nil
		}
		if err = x.runner.Records.Commit(ctx, change); err == nil {
			x.count(count)
			x.tookBack(ctx, change, f.Verdict, "")
			return nil
		}
		if errors.Is(err, upload.ErrUnclear) {
			x.tookBack(ctx, change, f.Verdict, audit.Unclear)
		}
		if !errors.Is(err, upload.ErrChanged) {
			return fmt.Errorf("take upload %s back: %w", id.Upload, err)
		}
	}
	return fmt.Errorf("take upload %s back: %w", id.Upload, upload.ErrChanged)
}

const writeTries = 5

// eventFor is what the finding makes of the record; nil if it is not, or not
// any more, about what the finding names.
func eventFor(r upload.Record, f Finding) upload.Event {
	if r.Bucket != f.Bucket || r.Schema > upload.Schema {
		return nil
	}
	_, key, ok := upload.ParseObjectKey(f.Key)
	generated := ok && r.Declares(f.Key, key)
	switch {
	case f.Verdict == Undead && r.State == upload.StateDeleted && (generated || names(r, f)):
		return upload.Reopen{Undead: true}
	case f.Verdict == Leftover && r.State == upload.StateComplete && generated:
		return upload.Resupersede{Key: key}
	}
	return nil
}

// names reports whether the record holds exactly that version explicitly.
func names(r upload.Record, f Finding) bool {
	for _, e := range r.Manifest.Explicit {
		if e.Bucket == f.Bucket && e.Key == f.Key && e.VersionID == f.VersionID {
			return true
		}
	}
	return false
}

// alarm says in one line, at error level, what a person has to look at. It
// names the run, never an object: the findings are in a restricted report.
func (x *execution) alarm() {
	c := x.report.Counts
	if x.report.HoldsBlocked {
		x.runner.Log.Error("holds are blocked: too many orphans to be true",
			"run", x.id, "orphans", c[Orphan].Count, "rows", x.report.Rows, "max_percent", x.runner.Policy.MaxOrphanPercent)
	}
	if c[Missing].Count+c[Changed].Count+c[Corrupt].Count > 0 {
		x.runner.Log.Error("objects are not as their owner recorded them",
			"run", x.id, "missing", c[Missing].Count, "changed", c[Changed].Count, "corrupt", c[Corrupt].Count)
	}
}
