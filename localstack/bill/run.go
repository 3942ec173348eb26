package bill

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/meter"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	// perShard is as many as a pass reads, writes and publishes between two saved
	// cursors.
	perShard = 100
	// Objects are those of each upload.
	Objects = 10
	// Messages is how many a worker takes at once, by the deployment's default.
	Messages = 100
)

// Stage is one step of the cleanup, and what was counted in it.
type Stage struct {
	Name   string
	Counts meter.Counts
	// Invocations are those of the stage's function.
	Invocations int
	// Logs is what CloudWatch Logs would take.
	Logs Logs
}

// Run is the cleanup of so many uploads.
type Run struct {
	Uploads                   int
	Marked, Published, Purged Stage
	// Idle is a pass that finds nothing: what an installation costs anyway.
	Idle Stage
	// TombstoneBytes are those of one upload's item once it is deleted.
	TombstoneBytes int
}

// stages are those that the uploads are the reason of.
func (r Run) stages() []Stage { return []Stage{r.Marked, r.Published, r.Purged} }

// scene is an installation under a meter.
type scene struct {
	*installation.Installation
	ids    []upload.ID
	meter  *meter.Meter
	logs   *book
	source source
}

// Measure cleans up 100 uploads in each of so many shards of the due index, 1 to
// [ledger.Shards], at the emulator that cfg names. The installation is removed
// at the end. Real is the machine's clock.
func Measure(ctx context.Context, cfg aws.Config, shards int, real func() time.Time) (run Run, err error) {
	m := &meter.Meter{}
	cfg.HTTPClient = m.Transport(cfg.HTTPClient)
	s := &scene{meter: m, logs: &book{}, ids: backlog(shards)}
	clock := installation.NewClock(real, real())
	i, cloud, err := installation.OnCloud(ctx, cfg, "bill-"+strings.ToLower(rand.Text()[:12]), installation.Options{
		Policy: usual(len(s.ids)), Clock: clock, Real: real, Log: s.logs.handler(), Metrics: s.logs.metrics(), Trail: s.logs.trail(),
	})
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, i.Remove(context.WithoutCancel(ctx))) }()
	s.Installation, s.source = i, newSource(cfg, cloud.QueueURL)
	standing, err := s.abandon(ctx)
	if err != nil {
		return Run{}, err
	}
	if run, err = s.clean(ctx); err != nil {
		return Run{}, err
	}
	run.TombstoneBytes, err = s.verify(ctx, standing)
	return run, err
}

// usual is the default policy with a burst that fills a delete call, a rate that
// nobody waits for, and limits that let the whole backlog go: what a pass may
// delete without a person is no matter of cost.
func usual(uploads int) policy.Policy {
	p := policy.Default()
	p.DeleteRate, p.Burst = gate.MaxRate, max(p.Burst, 1_000)
	p.MaxDeleteCount = int64(uploads * Objects)
	return p
}

// clean takes the backlog from the first look to the tombstones.
func (s *scene) clean(ctx context.Context) (run Run, err error) {
	s.Clock.Advance(4 * 24 * time.Hour)
	run.Uploads = len(s.ids)
	if err := s.Census(ctx); err != nil {
		return run, err
	}
	run.Marked, err = s.stage("first pass", func() (int, error) {
		return s.pass(ctx, func(t cleanup.PassTally) int64 { return t.Marked.Uploads })
	})
	if err != nil {
		return run, err
	}
	s.Clock.Advance(25 * time.Hour)
	if err := s.Census(ctx); err != nil {
		return run, err
	}
	run.Published, err = s.stage("second pass", func() (int, error) {
		return s.pass(ctx, func(t cleanup.PassTally) int64 { return t.Published.Uploads })
	})
	if err != nil {
		return run, err
	}
	if run.Purged, err = s.stage("workers", func() (int, error) { return s.work(ctx) }); err != nil {
		return run, err
	}
	s.Clock.Advance(15 * time.Minute)
	run.Idle, err = s.stage("idle pass", func() (int, error) {
		return s.pass(ctx, func(t cleanup.PassTally) int64 { return int64(len(s.ids)) - t.Candidates.Uploads })
	})
	return run, err
}

// stage counts what is done.
func (s *scene) stage(name string, do func() (invocations int, err error)) (Stage, error) {
	s.meter.Take()
	s.logs.take()
	n, err := do()
	if err != nil {
		return Stage{}, fmt.Errorf("%s: %w", name, err)
	}
	return Stage{Name: name, Counts: s.meter.Take(), Invocations: n, Logs: s.logs.take()}, nil
}

// pass makes a pass that has to do something with every upload.
func (s *scene) pass(ctx context.Context, did func(cleanup.PassTally) int64) (invocations int, err error) {
	report, err := s.Pass(ctx)
	if err != nil {
		return 0, err
	}
	if n := did(report.Tally); n != int64(len(s.ids)) {
		return 0, fmt.Errorf("the pass is %s (%s), and did it to %d of %d uploads", report.State, report.Reason, n, len(s.ids))
	}
	return 1, nil
}

// work has workers empty the queue.
func (s *scene) work(ctx context.Context) (invocations int, err error) {
	for left := len(s.ids); left > 0; invocations++ {
		batch, err := s.source.receive(ctx, min(Messages, left))
		if err != nil {
			return 0, err
		}
		failed, err := s.Handle(ctx, batch, s.Clock.Now().Add(s.Policy.WorkerTimeout))
		if err != nil {
			return 0, err
		}
		if len(failed) > 0 {
			return 0, fmt.Errorf("%d of %d messages were not done", len(failed), len(batch))
		}
		if err := s.source.remove(ctx, batch); err != nil {
			return 0, err
		}
		left -= len(batch)
	}
	return invocations, nil
}

// verify expects every upload to be a tombstone, and nothing to stand any more.
func (s *scene) verify(ctx context.Context, standing []upload.Record) (tombstone int, err error) {
	for _, r := range standing {
		for _, err := range s.Stores.Objects.Versions(ctx, r.Bucket, r.Folder()) {
			return 0, cmp.Or(err, fmt.Errorf("versions of upload %s still stand", r.Upload))
		}
	}
	records, err := s.Stores.Ledger.LoadMany(ctx, s.ids)
	if err != nil {
		return 0, err
	}
	for _, r := range records {
		if r.State != upload.StateDeleted {
			return 0, fmt.Errorf("upload %s is %s", r.Upload, r.State)
		}
	}
	items, bytes := s.meter.Stored("T")
	return int(bytes / int64(items)), nil
}
