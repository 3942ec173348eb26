package site

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
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
	trail := telemetry.TrailOrElse(group, errs, log)
	return trail.Writer(), func(ctx context.Context) { trail.Flush(ctx, trailWithin) }
}

// withoutTime leaves out when and how bad: a person reads it now.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}
