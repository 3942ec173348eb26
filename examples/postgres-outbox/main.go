// Command postgres-outbox drains the outbox of a PostgreSQL database into
// Strandline's queue of releases, until it is told to stop. README.md says how
// the outbox comes into the database.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "postgres-outbox:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	d, release, err := newDrainer(ctx, slog.New(slog.NewJSONHandler(os.Stdout, nil)))
	if err != nil {
		return err
	}
	defer release()
	return d.Run(ctx)
}
