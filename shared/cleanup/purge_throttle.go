package cleanup

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// tellWithin bounds how long a job waits until the gate knows of a throttle:
// the ledger, in which it is written, may be what is overloaded.
const tellWithin = 2 * time.Second

// slower tells the gate that a store or the ledger asked to slow down: once,
// however many calls of a batch are throttled, and whoever is asked first.
func (w *Worker) slower(ctx context.Context) func() {
	var told atomic.Bool
	return func() {
		if told.CompareAndSwap(false, true) {
			w.tellGate(ctx)
		}
	}
}

// tellGate lowers the rate for everybody. Where that fails, the rate is as it
// was: the next batch that is throttled says so again.
func (w *Worker) tellGate(ctx context.Context) {
	defer func() {
		if v := recover(); v != nil {
			w.Log.ErrorContext(ctx, "gate panicked", slog.String("panic", describe(v)))
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellWithin)
	defer cancel()
	state, err := w.Gate.Throttled(ctx)
	if err != nil {
		w.Log.WarnContext(ctx, "throttled, and the gate not slowed", slog.String("reason", err.Error()))
		return
	}
	w.Log.WarnContext(ctx, "throttled: the gate is slowed for everybody", slog.Int("rate", state.RateAt(w.Now())), slog.Int("of", state.Rate))
}
