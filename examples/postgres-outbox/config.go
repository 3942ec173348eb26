package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/strandline-dev/strandline/examples/postgres-outbox/drain"
	"github.com/strandline-dev/strandline/shared/awsconf"
)

// config is what the drainer is told by its environment. Region, credentials
// and endpoint of the queue are the AWS SDK's own variables.
type config struct {
	// Database is a connection string: postgres://user:password@host/database.
	Database string `env:"DATABASE_URL,required,notEmpty"`
	// Releases is the URL of the installation's queue of releases.
	Releases string `env:"STRANDLINE_RELEASES_URL,required,notEmpty"`
	// Source is the name that the relay's sources have for this database.
	Source string `env:"STRANDLINE_SOURCE,required,notEmpty"`
	// HoldBack is how long a deleted row may be brought back.
	HoldBack time.Duration `env:"OUTBOX_HOLD_BACK" envDefault:"15m"`
	// Keep is how long a row that names what was sent is refused.
	Keep     time.Duration `env:"OUTBOX_KEEP" envDefault:"720h"`
	Attempts int           `env:"OUTBOX_MAX_ATTEMPTS" envDefault:"8"`
	Poll     time.Duration `env:"OUTBOX_POLL" envDefault:"5s"`
}

// newDrainer builds it; release gives back what it holds.
func newDrainer(ctx context.Context, log *slog.Logger) (d *drain.Drainer, release func(), err error) {
	c, err := env.ParseAs[config]()
	if err != nil {
		return nil, nil, err
	}
	cloud, err := awsconf.Load(ctx)
	if err != nil {
		return nil, nil, err
	}
	pool, err := pgxpool.New(ctx, c.Database)
	if err != nil {
		return nil, nil, fmt.Errorf("database: %w", err)
	}
	d = &drain.Drainer{
		Pool: pool, Queue: drain.SQS{Client: awsconf.SQS(cloud), URL: c.Releases}, Source: c.Source,
		HoldBack: c.HoldBack, Keep: c.Keep, MaxAttempts: c.Attempts, Poll: c.Poll, Log: log,
	}
	return d, pool.Close, d.Validate()
}
