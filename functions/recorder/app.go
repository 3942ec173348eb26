package recorder

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	smithytime "github.com/aws/smithy-go/time"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/confirm"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/telemetry/loggroup"
)

// App is the function, composed.
type App struct {
	recorder *confirm.Recorder
	log      *slog.Logger
	metrics  *telemetry.Sink
	trail    *telemetry.Trail
}

// Deps are what the function stands on: clients, or their doubles in memory.
type Deps struct {
	Records confirm.Records
	Store   confirm.Store
	Log     *slog.Logger
	Now     func() time.Time
	Sleep   func(ctx context.Context, d time.Duration) error
	// Metrics and Trail may be nil, for none.
	Metrics *telemetry.Sink
	Trail   *telemetry.Trail
}

// New composes the function over AWS, on the machine's clock, with a log and
// metrics as JSON lines on standard output.
func New(cfg Config, cloud aws.Config) (*App, error) {
	log := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: cfg.LogLevel}))
	return NewFrom(cfg, Deps{
		Records: ledgers.New(awsconf.DynamoDB(cloud), cfg.Table),
		Store:   s3.New(awsconf.S3(cloud)),
		Log:     log,
		Now:     time.Now,
		Sleep:   smithytime.SleepWithContext,
		Metrics: telemetry.To(os.Stdout, cfg.Table),
		Trail:   loggroup.Trail(cloud, cfg.AuditGroup, "recorder", os.Stdout, log, time.Now),
	})
}

// NewFrom composes the function over anything.
func NewFrom(cfg Config, d Deps) (*App, error) {
	r := &confirm.Recorder{
		Records: d.Records, Store: d.Store, Policy: cfg.Policy, Concurrency: cfg.Concurrency,
		Now: d.Now, Sleep: d.Sleep, Log: d.Log, Audit: d.Trail.Writer(),
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return &App{recorder: r, log: d.Log, metrics: d.Metrics, trail: d.Trail}, nil
}
