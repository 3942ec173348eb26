package relay

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/release"
	tables "github.com/strandline-dev/strandline/shared/source/dynamo"
	"github.com/strandline-dev/strandline/shared/source/rows"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// App is the function, composed.
type App struct {
	config    Config
	engine    *release.Engine
	documents release.Documents
	dead      Dead
	now       func() time.Time
	log       *slog.Logger
	metrics   *telemetry.Sink

	mu    sync.Mutex
	noted map[string]time.Time // by source, when its state was last written
}

// Ledger is what the function needs of a ledger.
type Ledger interface {
	release.Records
	release.Documents
}

// Dead takes what cannot be dealt with: the record or message as it came, of
// which source it is, where that is known, and the reason.
type Dead interface {
	Park(ctx context.Context, m command.Received, source, reason string) error
}

// Deps are what the function stands on: clients, or their doubles in memory.
type Deps struct {
	Ledger Ledger
	Store  release.Store
	// Rows may be nil where nobody is to be asked.
	Rows release.Rows
	Dead Dead
	Log  *slog.Logger
	Now  func() time.Time
	// Metrics may be nil, for none.
	Metrics *telemetry.Sink
}

// New composes the function over AWS, on the machine's clock, with a log and
// metrics as JSON lines on standard output.
func New(cfg Config, cloud aws.Config) (*App, error) {
	dynamo := awsconf.DynamoDB(cloud)
	return NewFrom(cfg, Deps{
		Ledger:  ledgers.New(dynamo, cfg.Table),
		Rows:    rows.Of(cfg.Sources, tables.New(dynamo)),
		Store:   s3.New(awsconf.S3(cloud)),
		Dead:    sqs.New(awsconf.SQS(cloud), "", cfg.DeadURL),
		Log:     slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: cfg.LogLevel})),
		Now:     time.Now,
		Metrics: telemetry.To(os.Stdout, cfg.Table),
	})
}

// NewFrom composes the function over anything.
func NewFrom(cfg Config, d Deps) (*App, error) {
	e := &release.Engine{Sources: cfg.Sources, Policy: cfg.Policy, Records: d.Ledger, Store: d.Store, Rows: d.Rows, Now: d.Now}
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if d.Dead == nil || d.Log == nil {
		return nil, errors.New("relay: the dead letters or the log are missing")
	}
	return &App{
		config: cfg, engine: e, documents: d.Ledger, dead: d.Dead, now: d.Now, log: d.Log, metrics: d.Metrics,
		noted: map[string]time.Time{},
	}, nil
}
