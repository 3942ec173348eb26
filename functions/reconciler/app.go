package reconciler

import (
	"context"
	"iter"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/inventory"
	inventories "github.com/strandline-dev/strandline/shared/inventory/s3"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/manifest"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/telemetry/loggroup"
)

// App is the function, composed.
type App struct {
	config      Config
	runner      reconcile.Runner
	ledger      manifest.Owned
	inventories Inventories
	metrics     *telemetry.Sink
	trail       *telemetry.Trail
}

// Ledger is what the function needs of a ledger.
type Ledger interface {
	reconcile.Records
	hold.Documents
	manifest.Owned
}

// Objects is what the function needs of the source buckets: nothing that
// deletes.
type Objects interface {
	reconcile.Store
	reconcile.Parts
}

// Inventories is the bucket that inventories are delivered into.
type Inventories interface {
	inventory.Bucket
	// Below yields the names directly below a folder; those of folders end in a
	// slash.
	Below(ctx context.Context, folder string) iter.Seq2[string, error]
}

// Deps are what the function stands on: clients, or their doubles in memory.
type Deps struct {
	Ledger      Ledger
	Objects     Objects
	Inventories Inventories
	Now         func() time.Time
	Log         *slog.Logger
	// Metrics and Trail may be nil, for none.
	Metrics *telemetry.Sink
	Trail   *telemetry.Trail
}

// New composes the function over AWS, on the machine's clock, with a log and
// metrics as JSON lines on standard output.
func New(cfg Config, cloud aws.Config) (*App, error) {
	client := awsconf.S3(cloud)
	log := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: cfg.LogLevel}))
	return NewFrom(cfg, Deps{
		Ledger:      ledgers.New(awsconf.DynamoDB(cloud), cfg.Table),
		Objects:     s3.New(client),
		Inventories: inventories.New(client, cfg.InventoryBucket),
		Now:         time.Now,
		Log:         log,
		Metrics:     telemetry.To(os.Stdout, cfg.Table),
		Trail:       loggroup.Trail(cloud, cfg.AuditGroup, "reconciler", os.Stdout, log, time.Now),
	})
}

// NewFrom composes the function over anything.
func NewFrom(cfg Config, d Deps) (*App, error) {
	a := &App{
		config: cfg, ledger: d.Ledger, inventories: d.Inventories, metrics: d.Metrics, trail: d.Trail,
		runner: reconcile.Runner{
			Policy: cfg.Policy, Records: d.Ledger, Documents: d.Ledger, Store: d.Objects, Parts: d.Objects,
			Threads: cfg.Threads, TempDir: cfg.TempDir, Now: d.Now, Log: d.Log, Audit: d.Trail.Writer(),
		},
	}
	if err := a.runner.Validate(); err != nil {
		return nil, err
	}
	return a, nil
}
