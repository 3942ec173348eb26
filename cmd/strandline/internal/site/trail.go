package site

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/telemetry/loggroup"
)

// trailWithin is how long a command waits for the trail's log group.
const trailWithin = 10 * time.Second

// Trail is where the decisions of a command are written down, and what brings
// the last of them there: called at the command's end, also when it has failed.
// The group has no say in a decision: lines that it does not take are written to
// errs, so that they are not lost. Without a group there is no trail.
func (o Opened) Trail(errs io.Writer, now func() time.Time) (to audit.To, flush func(context.Context)) {
	if o.site.AuditGroup == "" {
		return nil, func(context.Context) {}
	}
	log := slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	group := loggroup.New(o.Config, o.site.AuditGroup, "operator/"+rand.Text(), now)
	t := &trail{Trail: telemetry.TrailOrElse(group, errs, log), now: now, sent: now()}
	return t.write, func(ctx context.Context) { t.Flush(ctx, trailWithin) }
}

// sendEvery is how long lines wait for the next one to be sent with; what waits is
// lost with a command that is killed.
const sendEvery = time.Second

// trail sends its lines on the way, and not only when a batch is full: a pass may
// take minutes, and what one has decided that was killed nobody else has
// written down.
type trail struct {
	*telemetry.Trail
	now func() time.Time

	mu   sync.Mutex
	sent time.Time
	// failed: the group has not taken something, and is left alone until the end.
	failed bool
}

func (t *trail) write(ctx context.Context, l audit.Line) {
	t.Writer()(ctx, l)
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.now(); !t.failed && now.Sub(t.sent) >= sendEvery {
		t.failed = t.Flush(ctx, trailWithin) > 0
		t.sent = t.now()
	}
}

// withoutTime leaves out when and how bad: a person reads it now.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}
