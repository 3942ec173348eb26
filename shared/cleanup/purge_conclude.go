package cleanup

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// troubleOf says what an error means for a job; fallback is the kind of one
// that says nothing else.
func (p *purge) troubleOf(what string, err error, fallback OutcomeKind) trouble {
	var busy *gate.BusyError
	now := p.Now()
	switch {
	case errors.Is(err, gate.ErrClosed):
		return trouble{KindClosed, gate.ErrClosed.Error(), now.Add(closedHide)}
	case errors.As(err, &busy):
		return trouble{KindWaiting, "gate is busy", busy.Until}
	case errors.Is(err, errLate), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return trouble{KindWaiting, errLate.Error(), now.Add(shortHide)}
	case errors.Is(err, upload.ErrThrottled):
		p.slow()
		return trouble{KindThrottled, what + ": throttled", now.Add(throttledHide)}
	case err == nil:
		return trouble{fallback, what + ": incomplete answer", now.Add(lookUpHide)}
	}
	return trouble{fallback, what + ": " + err.Error(), now.Add(lookUpHide)}
}

// turnAway concludes a message whose record asks for nothing now.
func (p *purge) turnAway(ctx context.Context, j *job, check upload.Recheck) {
	j.outcome.Objects = j.record.Objects
	switch {
	case check.Verdict == upload.Reject:
		p.reject(ctx, j, check.Reason)
	case check.Verdict == upload.Wait:
		p.conclude(ctx, j, KindWaiting, check.Reason, check.Until)
	case j.record.State == upload.StateDeleting && !j.record.ParkedAt.IsZero():
		// The message of an upload that was parked may have missed its way to
		// the dead-letter queue.
		p.conclude(ctx, j, KindParked, "parked: "+j.record.LastError, time.Time{})
	default:
		p.conclude(ctx, j, KindSkipped, check.Reason, time.Time{})
	}
}

func (p *purge) reject(ctx context.Context, j *job, reason string) {
	p.conclude(ctx, j, KindRejected, reason, time.Time{})
}

func (p *purge) concludeAll(ctx context.Context, jobs []*job, t trouble) {
	p.each(ctx, jobs, func(j *job) { p.conclude(ctx, j, t.kind, t.reason, t.until) })
}

// conclude is the end of a message: acknowledged, dead-lettered, or hidden
// until the instant.
func (p *purge) conclude(ctx context.Context, j *job, kind OutcomeKind, reason string, until time.Time) {
	o := &j.outcome
	o.Kind, o.Reason = kind, reason
	o.Fence, o.Attempt = j.record.Fence, j.record.Attempts
	j.concluded = true
	var err error
	switch kind {
	case KindDeleted, KindTrimmed, KindRetained, KindSkipped:
		o.Done = true
	case KindParked, KindRejected:
		err = p.Queue.DeadLetter(ctx, j.message, reason)
		o.Done = err == nil
	default:
		o.Hide = command.HideFor(max(until.Sub(p.Now()), time.Second))
		err = p.Queue.Hide(ctx, j.message.Receipt, o.Hide)
	}
	p.report(ctx, j, err)
}

// report is the one log line of a message. Never an object key.
func (p *purge) report(ctx context.Context, j *job, queueErr error) {
	level := slog.LevelInfo
	switch j.outcome.Kind {
	case KindParked, KindRejected, KindFailed:
		level = slog.LevelError
	case KindRetrying:
		level = slog.LevelWarn
	}
	fields := append(j.fields(),
		slog.String("outcome", string(j.outcome.Kind)), slog.String("reason", j.outcome.Reason),
		slog.Int64("objects", j.outcome.Objects), slog.Int64("gone", j.outcome.Gone),
		slog.Int64("retained", j.outcome.Retained.Count), slog.Duration("hide", j.outcome.Hide))
	if queueErr != nil {
		level = slog.LevelError
		fields = append(fields, slog.String("queue_error", queueErr.Error()))
	}
	p.Log.Log(ctx, level, "purge", fields...)
}

// fields are what every line about a job carries.
func (j *job) fields() []any {
	c := j.command
	return []any{
		slog.String("message", j.message.MessageID), slog.String("run", c.Run),
		slog.String("tenant", c.ID.Tenant), slog.String("upload", c.ID.Upload),
		slog.String("operation", string(c.Operation)), slog.Int64("fence", j.record.Fence),
		slog.Int("attempt", j.record.Attempts),
	}
}
