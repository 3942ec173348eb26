package installation

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/functions/reconciler"
	"github.com/strandline-dev/strandline/functions/recorder"
	"github.com/strandline-dev/strandline/functions/relay"
	"github.com/strandline-dev/strandline/functions/scheduler"
	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/source/rows"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Options say what an installation is like.
type Options struct {
	Policy policy.Policy
	// Clock is the time that every part of it sees; Real the machine's, which
	// only bounds waiting.
	Clock *Clock
	Real  func() time.Time
	// Wrap puts something in front of the stores that the functions use; nil
	// for nothing. What the applications of the installation use stays bare.
	Wrap func(Stores) Stores
	// Log also gets what the functions log; nil for nobody.
	Log slog.Handler
	// Metrics and Trail are those of all functions; nil for none.
	Metrics *telemetry.Sink
	Trail   *telemetry.Trail
	// Schedule names the passes; one that is not set is "passes".
	Schedule string
	// Sources are the applications whose rows refer to objects; nil for none.
	Sources []source.Source
	// Inventories is where inventories of its bucket are delivered; nil for
	// nowhere, and then it has no reconciler.
	Inventories reconciler.Inventories
}

// Installation is one installation with its functions in this process.
type Installation struct {
	Stores Stores // bare
	Bucket string
	Policy policy.Policy
	Clock  *Clock
	Intake *intake.Service

	real        func() time.Time
	metrics     *telemetry.Sink
	trail       *telemetry.Trail
	schedule    string
	signals     *signals
	sources     []source.Source
	scheduler   *scheduler.App
	worker      *worker.App
	recorder    *recorder.App
	relay       *relay.App
	inventories reconciler.Inventories
	reconciler  *reconciler.App
	remove      func(context.Context) error
}

// names are what the functions are told of an installation's resources.
type names struct {
	table, queueURL, deadLetterURL, bucket string
}

// gateName is the name of the installation's gate.
const gateName = "main"

// assemble builds the functions over stores that exist, and opens the gate.
func assemble(ctx context.Context, bare Stores, n names, o Options) (*Installation, error) {
	if o.Schedule == "" {
		o.Schedule = "passes"
	}
	i := &Installation{
		Stores: bare, Bucket: n.bucket, Policy: o.Policy, Clock: o.Clock, real: o.Real, schedule: o.Schedule, sources: o.Sources,
		signals: newSignals(o.Log), inventories: o.Inventories, metrics: o.Metrics, trail: o.Trail,
	}
	var err error
	i.Intake, err = intake.New(intake.Config{
		Records: bare.Ledger, Lookups: bare.Ledger, Objects: bare.Objects, Policy: o.Policy, Now: o.Clock.Now,
	})
	if err != nil {
		return nil, err
	}
	wrapped := bare
	wrapped.Gate = shifted{bare.Gate, o.Clock}
	if o.Wrap != nil {
		wrapped = o.Wrap(wrapped)
	}
	if err := i.functions(wrapped, n); err != nil {
		return nil, err
	}
	if err := bare.Gate.SetRate(ctx, o.Policy.DeleteRate, o.Policy.Burst); err != nil {
		return nil, err
	}
	return i, bare.Gate.SetMode(ctx, gate.Delete)
}

// functions composes scheduler, worker, recorder, relay and reconciler as their
// mains do, over the stores.
func (i *Installation) functions(s Stores, n names) (err error) {
	log := slog.New(i.signals)
	i.scheduler, err = scheduler.NewFrom(scheduler.Config{
		Table: n.table, QueueURL: n.queueURL, Gate: gateName, Policy: i.Policy,
	}, scheduler.Deps{
		Ledger: s.Ledger, Gate: s.Gate, Queue: s.Queue, Now: i.Clock.Now, Log: log, Metrics: i.metrics, Trail: i.trail,
	})
	if err != nil {
		return err
	}
	i.worker, err = worker.NewFrom(worker.Config{
		Table: n.table, QueueURL: n.queueURL, DeadLetterURL: n.deadLetterURL, Gate: gateName,
		Concurrency: workerConcurrency, DeadlineMargin: min(workerMargin, i.Policy.WorkerTimeout/2), Policy: i.Policy,
	}, worker.Deps{
		Records: s.Ledger, Store: s.Objects, Parts: s.Objects, Gate: s.Gate, Queue: s.Queue, Uses: rows.Of(i.sources, s.Rows),
		Log: log, Now: i.Clock.Now, Sleep: i.Clock.Sleep, Metrics: i.metrics, Trail: i.trail,
	})
	if err != nil {
		return err
	}
	i.recorder, err = recorder.NewFrom(recorder.Config{Table: n.table, Concurrency: recorderConcurrency, Policy: i.Policy}, recorder.Deps{
		Records: s.Ledger, Store: s.Objects, Now: i.Clock.Now, Sleep: i.Clock.Sleep, Log: log, Metrics: i.metrics, Trail: i.trail,
	})
	if err != nil {
		return err
	}
	if err := i.relays(s, n, log); err != nil || i.inventories == nil {
		return err
	}
	i.reconciler, err = reconciler.NewFrom(reconciler.Config{
		Table: n.table, InventoryBucket: inventoryBucket, SourceBuckets: []string{i.Bucket}, Segments: 2, Policy: i.Policy,
	}, reconciler.Deps{
		Ledger: s.Ledger, Objects: s.Objects, Inventories: i.inventories, Now: i.Clock.Now, Log: log, Metrics: i.metrics, Trail: i.trail,
	})
	return err
}

// The worker's own defaults; the margin is never more than it may be.
const (
	workerConcurrency = 16
	workerMargin      = 10 * time.Second
)

// Pass triggers the scheduler as its schedule would now.
func (i *Installation) Pass(ctx context.Context) (cleanup.Report, error) {
	return i.PassAt(ctx, i.Clock.Now())
}

// PassAt triggers the scheduler with a fire time: the same one again is a
// retried trigger.
func (i *Installation) PassAt(ctx context.Context, fired time.Time) (cleanup.Report, error) {
	answer, err := i.trigger(ctx, "pass", fired)
	if answer.Pass == nil {
		return cleanup.Report{}, err
	}
	return *answer.Pass, err
}

// Census triggers the daily recount.
func (i *Installation) Census(ctx context.Context) error {
	_, err := i.trigger(ctx, "census", i.Clock.Now())
	return err
}

// Approve lets the paused run's plan go, as a person would.
func (i *Installation) Approve(ctx context.Context, paused cleanup.Report) (cleanup.Report, error) {
	return i.scheduler.Approve(ctx, paused.Run, paused.Digest, "operator")
}

// trigger sends the event that EventBridge Scheduler would.
func (i *Installation) trigger(ctx context.Context, task string, fired time.Time) (scheduler.Answer, error) {
	event, err := json.Marshal(map[string]string{
		"task": task, "schedule": i.schedule, "time": fired.UTC().Format(time.RFC3339),
	})
	if err != nil {
		return scheduler.Answer{}, err
	}
	answer, err := i.scheduler.Handle(ctx, event)
	if err != nil {
		return answer, fmt.Errorf("scheduler %s: %w", task, err)
	}
	return answer, nil
}

func (i *Installation) handleMessages(ctx context.Context, batch []command.Received) (events.SQSEventResponse, error) {
	raw, err := lambdaevent.Messages(batch...)
	if err != nil {
		return events.SQSEventResponse{}, err
	}
	return i.worker.Handle(ctx, raw)
}

// Command is a claim of the upload as a pass would publish it now, for tests
// that deliver one by hand.
func (i *Installation) Command(r upload.Record) upload.Command {
	return upload.Command{
		Run: cleanup.RunID(i.schedule, i.Clock.Now()), Operation: upload.OpClaim, ID: r.ID, Version: r.Version,
		Cutoff: i.Clock.Now().Add(-i.Policy.SafetyMargin), Reason: "by hand",
	}
}

// Remove takes away what the installation made; nothing that was there before.
func (i *Installation) Remove(ctx context.Context) error {
	if i.remove == nil {
		return nil
	}
	return i.remove(ctx)
}
