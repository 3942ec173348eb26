package relay

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/ledger"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload"
)

// App is the function, composed.
type App struct {
	config    Config
	engine    *release.Engine
	documents Documents
	dead      Dead
	log       *slog.Logger
	metrics   *telemetry.Sink
}

// Ledger is what the function needs of a ledger.
type Ledger interface {
	release.Records
	Documents
}

// Documents is where the sources' states are kept.
type Documents interface {
	Get(ctx context.Context, collection, id string) (ledger.Document, error)
	Put(ctx context.Context, doc ledger.Document) error
}

// Dead takes what cannot be dealt with: the record or message as it came, which
// source it is of, its id and the reason.
type Dead interface {
	Park(ctx context.Context, body, source, id, reason string) error
}

// Deps are what the function stands on: clients, or their doubles in memory.
type Deps struct {
	Ledger Ledger
	Store  release.Store
	// Uses may be nil where no source has an index.
	Uses cleanup.Uses
	Dead Dead
	Log  *slog.Logger
	Now  func() time.Time
	// Metrics may be nil, for none.
	Metrics *telemetry.Sink
}

// New composes the function over AWS, on the machine's clock, with a log and
// metrics as JSON lines on standard output.
func New(cfg Config, cloud aws.Config) (*App, error) {
	return NewFrom(cfg, Deps{
		Ledger:  ledgers.New(awsconf.DynamoDB(cloud), cfg.Table),
		Store:   s3.New(awsconf.S3(cloud)),
		Log:     slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: cfg.LogLevel})),
		Now:     time.Now,
		Metrics: telemetry.To(os.Stdout, cfg.Table),
	})
}

// NewFrom composes the function over anything.
func NewFrom(cfg Config, d Deps) (*App, error) {
	e := &release.Engine{Sources: cfg.Sources, Policy: cfg.Policy, Records: d.Ledger, Store: d.Store, Now: d.Now}
	if d.Uses != nil {
		e.Rows = rows{d.Uses}
	}
	return &App{config: cfg, engine: e, documents: d.Ledger, dead: d.Dead, log: d.Log, metrics: d.Metrics}, nil
}

// rows asks what the worker asks too.
type rows struct{ uses cleanup.Uses }

func (r rows) Named(ctx context.Context, record upload.Record) (bool, error) {
	use, err := r.uses.Used(ctx, record)
	return use != cleanup.Use{}, err
}
