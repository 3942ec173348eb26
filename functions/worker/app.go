package worker

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	smithytime "github.com/aws/smithy-go/time"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	sources "github.com/strandline-dev/strandline/shared/source/dynamo"
	"github.com/strandline-dev/strandline/shared/source/rows"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/telemetry/loggroup"
)

// App is the function, composed.
type App struct {
	worker  *cleanup.Worker
	log     *slog.Logger
	metrics *telemetry.Sink
	trail   *telemetry.Trail
}

// Deps are what the function stands on: clients, or their doubles in memory.
type Deps struct {
	Records cleanup.Records
	Store   cleanup.Store
	Parts   cleanup.Parts
	Gate    cleanup.Gate
	Queue   cleanup.Receipts
	// Uses may be nil where nobody is to be asked.
	Uses  cleanup.Uses
	Log   *slog.Logger
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	// Metrics and Trail may be nil, for none.
	Metrics *telemetry.Sink
	Trail   *telemetry.Trail
}

// New composes the function over AWS, on the machine's clock, with a log and
// metrics as JSON lines on standard output.
func New(cfg Config, cloud aws.Config) (*App, error) {
	dynamo, store := awsconf.DynamoDB(cloud), s3.New(awsconf.S3(cloud))
	log := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: cfg.LogLevel}))
	return NewFrom(cfg, Deps{
		Records: ledgers.New(dynamo, cfg.Table),
		Store:   store,
		Parts:   store,
		Gate:    gates.New(dynamo, cfg.Table, cfg.Gate, time.Now),
		Queue:   sqs.New(awsconf.SQS(cloud), cfg.QueueURL, cfg.DeadLetterURL),
		Uses:    rows.Of(cfg.Sources, sources.New(dynamo)),
		Log:     log,
		Now:     time.Now,
		Sleep:   smithytime.SleepWithContext,
		Metrics: telemetry.To(os.Stdout, cfg.Table),
		Trail:   loggroup.Trail(cloud, cfg.AuditGroup, "worker", os.Stdout, log, time.Now),
	})
}

// NewFrom composes the function over anything.
func NewFrom(cfg Config, d Deps) (*App, error) {
	w := &cleanup.Worker{
		Records: d.Records, Store: d.Store, Parts: d.Parts, Gate: d.Gate, Queue: d.Queue, Uses: d.Uses,
		Policy: cfg.Policy, Name: "worker-" + rand.Text(), Now: d.Now, Sleep: d.Sleep, NewToken: rand.Text,
		Concurrency: cfg.Concurrency, DeadlineMargin: cfg.DeadlineMargin, Log: d.Log, Audit: d.Trail.Writer(),
	}
	if err := w.Validate(); err != nil {
		return nil, err
	}
	return &App{worker: w, log: d.Log, metrics: d.Metrics, trail: d.Trail}, nil
}
