package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	populationAge   = 31 * time.Hour
	populationLease = 10 * time.Minute
	// parallel is how many applications upload at once, deliverers how many
	// workers Lambda would run, deliverBatch how many messages it hands over.
	parallel     = 16
	deliverers   = 2
	deliverBatch = 100
	// duplicates is how many commands the queue delivers twice, poison how
	// many messages are none.
	duplicates = 20
)

// tenants of the population; ids are what the applications have.
var tenants = []string{"north", "south", "a#b", "a/b", "größe", "acme 7"}

// population is one installation with many uploads of every kind in it.
type population struct {
	*installation.Installation
	cloud    cloud
	checks   *checks
	progress *progress
	members  []*member
	reports  []cleanup.Report // of the passes, as approved
}

// newPopulation lays out at least uploads members, in rounds of all kinds.
func newPopulation(i *installation.Installation, c cloud, uploads int, out *checks, p *progress) *population {
	w := &population{Installation: i, cloud: c, checks: out, progress: p}
	all := kinds()
	for len(w.members) < uploads {
		for k := range all {
			for range all[k].share {
				n := len(w.members)
				w.members = append(w.members, &member{kind: &all[k], world: w, number: n, chunks: 6 + n%7})
			}
		}
	}
	return w
}

// tellPopulation runs the population through both passes.
func tellPopulation(ctx context.Context, c cloud, uploads int, out *checks, bar *progress) (w *population, err error) {
	i, err := c.install(ctx, "population", installation.Options{Policy: policy.Default()})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove(ctx, i)) }()
	w = newPopulation(i, c, uploads, out, bar)
	if err := w.grow(ctx); err != nil {
		return nil, err
	}
	if err := w.passOne(ctx); err != nil {
		return nil, err
	}
	if err := w.between(ctx); err != nil {
		return nil, err
	}
	if err := w.passTwo(ctx); err != nil {
		return nil, err
	}
	return w, w.verify(ctx)
}

// each does the same for every member, parallel at once.
func (w *population) each(ctx context.Context, title string, do func(context.Context, *member) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	w.progress.start(title, len(w.members))
	defer w.progress.stop()
	for _, m := range w.members {
		g.Go(func() error {
			if err := do(ctx, m); err != nil {
				return fmt.Errorf("upload %d (%s): %w", m.number, m.kind.name, err)
			}
			w.progress.step()
			return ctx.Err()
		})
	}
	return g.Wait()
}

func (w *population) grow(ctx context.Context) error {
	return w.each(ctx, "uploading", func(ctx context.Context, m *member) error {
		if err := m.reserve(ctx); err != nil {
			return err
		}
		if err := m.kind.live(m, ctx); err != nil {
			return err
		}
		if m.kind.name != kindHeld {
			return nil
		}
		o := m.session.Record().Manifest.Object(m.session.Key(1))
		key := m.session.Record().ObjectKey(o.Key)
		return w.cloud.hold(ctx, w.Installation, key, o.VersionID)
	})
}

func (m *member) reserve(ctx context.Context) (err error) {
	chunks := m.chunks
	if m.kind.name == kindLeftover {
		chunks = leftOver
	}
	m.session, err = m.world.Intake.Reserve(ctx, intake.Request{
		Tenant: tenants[m.number%len(tenants)], Owner: fmt.Sprintf("owner-%d", m.number%50),
		QuotaLimit: 1_000, Holder: fmt.Sprintf("client-%d", m.number), Lease: populationLease,
		Hold: m.kind.hold, Bucket: m.world.Bucket, Prefix: "uploads", Chunks: chunks,
	})
	return err
}

// body is a member's chunk: a few hundred bytes, different for each.
func (m *member) body(seq int) []byte {
	return chunkOf(m.session.ID().Upload, seq, 100+10*seq+m.number%100)
}

func (w *population) of(name string) []*member {
	return slices.DeleteFunc(slices.Clone(w.members), func(m *member) bool { return m.kind.name != name })
}

// heartbeats lets every member of the kind say that it is alive.
func (w *population) heartbeats(ctx context.Context, kind string) error {
	for _, m := range w.of(kind) {
		if err := m.session.Heartbeat(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *population) passOne(ctx context.Context) error {
	w.Clock.Advance(populationAge - 10*time.Minute)
	if err := w.heartbeats(ctx, kindActive); err != nil {
		return err
	}
	w.Clock.Advance(10 * time.Minute)
	report, err := w.pass(ctx, "pass one")
	if err != nil {
		return err
	}
	w.checkPass("pass one", report, func(k *kind) string { return k.one })
	return w.drain(ctx)
}

// pass recounts the census and makes a pass. It is over the limit, as a first
// pass over a neglected bucket is: the demo is the person who looks at the plan
// and approves it.
func (w *population) pass(ctx context.Context, when string) (cleanup.Report, error) {
	if err := w.Census(ctx); err != nil {
		return cleanup.Report{}, err
	}
	report, err := w.Pass(ctx)
	if err != nil {
		return report, err
	}
	w.checks.same(when+": the run over the limit", string(report.State), string(cleanup.RunPaused))
	depth, err := w.Stores.Queue.Depth(ctx)
	if err != nil {
		return report, err
	}
	w.checks.equal(when+": published before the approval", depth, 0)
	w.progress.say("%s is over the limit and waits: %s", when, report.Reason)
	return w.Approve(ctx, report)
}

// between is the day after pass one: some come back.
func (w *population) between(ctx context.Context) error {
	w.Clock.Advance(10 * time.Hour)
	if err := w.heartbeats(ctx, kindRevived); err != nil {
		return err
	}
	w.Clock.Advance(betweenOne - 10*time.Hour - 10*time.Minute)
	if err := w.heartbeats(ctx, kindActive); err != nil {
		return err
	}
	w.Clock.Advance(10 * time.Minute)
	return nil
}

func (w *population) passTwo(ctx context.Context) error {
	report, err := w.pass(ctx, "pass two")
	if err != nil {
		return err
	}
	w.checkPass("pass two", report, func(k *kind) string { return k.two })
	for _, m := range w.of(kindExtended) {
		if err := w.Intake.ExtendHold(ctx, m.session.ID(), w.Clock.Now().Add(longHold)); err != nil {
			return err
		}
	}
	if err := w.disturb(ctx); err != nil {
		return err
	}
	return w.drain(ctx)
}

// disturb puts into the queue what a queue may hold: commands of pass one once
// more, one that names another tenant's upload, and what is no command.
func (w *population) disturb(ctx context.Context) error {
	var commands []upload.Command
	for _, m := range w.of("cancelled")[:duplicates] {
		commands = append(commands, w.command(m, m.session.ID()))
	}
	abandoned := w.of("abandoned")[0]
	commands = append(commands, w.command(abandoned, upload.ID{Tenant: "mallory", Upload: abandoned.session.ID().Upload}))
	if _, err := w.Stores.Queue.Send(ctx, commands); err != nil {
		return err
	}
	return w.cloud.sendRaw(ctx, w.Installation, poisonMessages)
}

var poisonMessages = []string{"not a command", `{"schema":99,"operation":"claim"}`}

func (w *population) command(m *member, id upload.ID) upload.Command {
	return upload.Command{
		Run: "duplicate", Operation: upload.OpClaim, ID: id, Version: m.session.Record().Version,
		Cutoff: w.Clock.Now().Add(-time.Hour), Reason: "delivered twice",
	}
}

// drain runs the workers until the queue is empty.
func (w *population) drain(ctx context.Context) error {
	w.progress.say("workers")
	g, together := errgroup.WithContext(ctx)
	for range deliverers {
		g.Go(func() error {
			_, err := w.Drain(together, deliverBatch)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return drainAll(ctx, w.Installation)
}

// How long messages that the worker has hidden are waited for, and how often
// the queue is looked at.
const (
	hiddenFor  = 4 * time.Minute
	lookEvery  = time.Second
	looksAtAll = int(hiddenFor / lookEvery)
)

// drainAll runs a worker until the queue is empty, hidden messages included: on
// a busy machine a look-up may fail, and its message comes back a minute later.
// No other worker may run: waiting makes a still clock move.
func drainAll(ctx context.Context, i *installation.Installation) error {
	for range looksAtAll {
		if _, err := i.Drain(ctx, deliverBatch); err != nil {
			return err
		}
		depth, err := i.Stores.Queue.Depth(ctx)
		if err != nil || depth == 0 {
			return err
		}
		if err := i.Clock.Sleep(ctx, lookEvery); err != nil {
			return err
		}
	}
	return fmt.Errorf("the queue still holds messages after %v; the worker's last reasons: %v", hiddenFor, i.WaitReasons())
}
