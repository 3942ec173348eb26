package drain

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/strandline-dev/strandline/shared/release"
)

// Queue takes releases. Send answers for each message: nil, or why the queue
// does not take that one. An error of its own means that the queue could not be
// asked, and then any of them may have arrived.
type Queue interface {
	Send(ctx context.Context, batch []release.Message) ([]error, error)
}

// Drainer empties one database's outbox.
type Drainer struct {
	Pool  *pgxpool.Pool
	Queue Queue
	// Source is the name that the relay knows this database by.
	Source string
	// HoldBack is how long a release waits before it is decided: as long as the
	// application may bring a deleted row back.
	HoldBack time.Duration
	// Keep is how long what was sent is remembered: a row that names it again is
	// refused as long.
	Keep time.Duration
	// MaxAttempts is how often the queue may refuse one release.
	MaxAttempts int
	// Poll is how long to wait when nothing was due.
	Poll time.Duration
	Log  *slog.Logger
}

// The rest of its limits.
const (
	decideAtOnce = 500
	sendAtOnce   = 10 // of one call to SQS
	lease        = time.Minute
	sendTimeout  = 20 * time.Second
	markTimeout  = 10 * time.Second
	maxWait      = time.Minute
)

// Validate says in one line what of the drainer cannot be.
func (d *Drainer) Validate() error {
	switch {
	case d.Pool == nil || d.Queue == nil || d.Log == nil:
		return errors.New("drainer: a database, a queue and a log are needed")
	case d.Source == "":
		return errors.New("drainer: the source's name is empty")
	case d.HoldBack < 0 || d.Keep <= 0 || d.Poll <= 0:
		return errors.New("drainer: the hold-back is negative, or one of keep and poll is not positive")
	case d.MaxAttempts < 1:
		return errors.New("drainer: at least one attempt is needed")
	}
	return nil
}

// Tally counts what a round did, in releases.
type Tally struct {
	Released, Kept, Sent, Refused, Parked int
}

func (t Tally) any() bool { return t != Tally{} }

// ErrQueue: the queue could not be asked; nothing of it is any release's fault.
var ErrQueue = errors.New("the queue of releases cannot be reached")

// Run drains until the context ends; then what is being sent is still marked,
// and the error is nil. What goes wrong meanwhile is logged, waited for, ever
// longer up to a minute, and tried again.
func (d *Drainer) Run(ctx context.Context) error {
	if err := d.Validate(); err != nil {
		return err
	}
	wait := d.Poll
	for ctx.Err() == nil {
		t, err := d.Round(ctx)
		if t.any() {
			d.Log.InfoContext(ctx, "drained", "released", t.Released, "kept", t.Kept, "sent", t.Sent, "refused", t.Refused, "parked", t.Parked)
		}
		switch {
		case ctx.Err() != nil:
		case err != nil:
			d.Log.ErrorContext(ctx, "not drained", "error", err, "again_in", wait)
			sleep(ctx, wait)
			wait = min(2*wait, maxWait)
		case t.any():
			wait = d.Poll
		default:
			wait = d.Poll
			sleep(ctx, wait)
		}
	}
	return nil
}

// Round decides what is due, up to 500, sends what is released, and forgets what
// was sent long ago.
func (d *Drainer) Round(ctx context.Context) (Tally, error) {
	t, err := d.decide(ctx)
	if err != nil {
		return t, err
	}
	sent, err := d.send(ctx)
	t.Sent, t.Refused, t.Parked = sent.Sent, sent.Refused, t.Parked+sent.Parked
	return t, cmp.Or(err, d.forget(ctx))
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
