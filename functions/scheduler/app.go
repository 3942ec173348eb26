package scheduler

import (
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/telemetry/loggroup"
)

// App is the function, composed.
type App struct {
	pass    cleanup.Pass
	census  cleanup.Census
	metrics *telemetry.Sink
	trail   *telemetry.Trail
}

// Ledger is what the function needs of a ledger.
type Ledger interface {
	cleanup.Candidates
	cleanup.Documents
	cleanup.Holdings
}

// Deps are what the function stands on: clients, or their doubles in memory.
type Deps struct {
	Ledger Ledger
	Gate   cleanup.Switch
	Queue  cleanup.Publisher
	Now    func() time.Time
	Log    *slog.Logger
	// AtOnce is the pass's; zero for its own.
	AtOnce int
	// Metrics and Trail may be nil, for none.
	Metrics *telemetry.Sink
	Trail   *telemetry.Trail
}

// New composes the function over AWS, on the machine's clock, with a log and
// metrics as JSON lines on standard output.
func New(cfg Config, cloud aws.Config) (*App, error) {
	dynamo := awsconf.DynamoDB(cloud)
	log := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: cfg.LogLevel}))
	return NewFrom(cfg, Deps{
		Ledger: ledgers.New(dynamo, cfg.Table),
		Gate:   gates.New(dynamo, cfg.Table, cfg.Gate, time.Now),
		Queue:  sqs.New(awsconf.SQS(cloud), cfg.QueueURL, ""),
		Now:    time.Now,
		Log:    log,

		Metrics: telemetry.To(os.Stdout, cfg.Table),
		Trail:   loggroup.Trail(cloud, cfg.AuditGroup, "scheduler", os.Stdout, log, time.Now),
	})
}

// NewFrom composes the function over anything.
func NewFrom(cfg Config, d Deps) (*App, error) {
	pass := cleanup.Pass{
		Policy: cfg.Policy, Candidates: d.Ledger, Documents: d.Ledger, Switch: d.Gate, Queue: d.Queue,
		Now: d.Now, Log: d.Log, Audit: d.Trail.Writer(), AtOnce: d.AtOnce,
	}
	if err := pass.Validate(); err != nil {
		return nil, err
	}
	return &App{pass: pass, census: cleanup.Census{Ledger: d.Ledger, Now: d.Now, Log: d.Log}, metrics: d.Metrics, trail: d.Trail}, nil
}
