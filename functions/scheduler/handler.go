package scheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// finishWithin is how long before its deadline an invocation begins nothing
// new: a batch of writes, a cursor and the run's report must still fit.
const finishWithin = 30 * time.Second

// Answer is what an invocation did: exactly one field is set. It holds no
// object key.
type Answer struct {
	Pass   *cleanup.Report                 `json:"pass,omitempty"`
	Census map[string]cleanup.BucketCensus `json:"census,omitempty"`
}

// Handle takes one event of a schedule. An error makes Lambda invoke again, and
// after that gives the event to the function's own dead-letter queue; the run
// is then taken up where it can be.
func (a *App) Handle(ctx context.Context, raw json.RawMessage) (Answer, error) {
	e, err := readEvent(raw)
	if err != nil {
		return Answer{}, fmt.Errorf("scheduler event: %w", err)
	}
	defer a.delivered(ctx)
	if e.task == taskCensus {
		counted, err := a.census.Recount(ctx)
		return Answer{Census: counted}, err
	}
	began := a.pass.Now().UTC().Truncate(time.Millisecond)
	report, err := a.pass.Run(ctx, cleanup.Trigger{Schedule: e.schedule, FireTime: e.fired, Enough: enough(ctx, a.pass.Now)})
	if report.Run == "" {
		return Answer{}, err
	}
	if !report.Started.Before(began) { // else a run that had ended is answered again
		a.measure(ctx, measured(report))
	}
	return Answer{Pass: &report}, err
}

// delivered brings the rest of the audit trail to its group, at the end of every
// invocation.
func (a *App) delivered(ctx context.Context) {
	now := a.pass.Now()
	lost := a.trail.Flush(ctx, telemetry.Within(ctx, now))
	a.measure(ctx, telemetry.Values{Plain: map[telemetry.Name]float64{telemetry.AuditUndelivered: float64(lost)}})
}

func (a *App) measure(ctx context.Context, v telemetry.Values) {
	if err := a.metrics.Put(a.pass.Now(), v); err != nil {
		a.pass.Log.ErrorContext(ctx, "metrics not written", "error", err)
	}
}

// Approve executes the stored plan of a paused run; see [cleanup.Pass.Approve].
func (a *App) Approve(ctx context.Context, run, digest, who string) (cleanup.Report, error) {
	defer a.delivered(ctx)
	return a.pass.Approve(ctx, run, digest, who)
}

// enough reports that the invocation's deadline is near; without a deadline it
// is never asked.
func enough(ctx context.Context, now func() time.Time) func() bool {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil
	}
	return func() bool { return deadline.Sub(now()) < finishWithin }
}
