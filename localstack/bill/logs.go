package bill

import (
	"context"
	"log/slog"
	"sync"

	"github.com/strandline-dev/strandline/shared/telemetry"
)

// Logs is what CloudWatch Logs takes: lines and bytes of the functions' own
// logs, metrics included, and of the audit trail's group.
type Logs struct{ Lines, Bytes, AuditLines, AuditBytes int64 }

// Plus is the sum of two.
func (l Logs) Plus(m Logs) Logs {
	return Logs{l.Lines + m.Lines, l.Bytes + m.Bytes, l.AuditLines + m.AuditLines, l.AuditBytes + m.AuditBytes}
}

// eventOverhead is what CloudWatch Logs bills beside an event's text
// (https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AnalyzingLogData_CostEstimates.html).
const eventOverhead = 26

// book counts what the functions log, at their usual level.
type book struct {
	mu   sync.Mutex
	logs Logs
}

func (b *book) take() Logs {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.logs
	b.logs = Logs{}
	return taken
}

func (b *book) handler() slog.Handler {
	return slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelInfo})
}

func (b *book) metrics() *telemetry.Sink { return telemetry.To(b, "strandline-prod-ledger") }

func (b *book) trail() *telemetry.Trail { return telemetry.TrailTo(b, group{b}, slog.New(b.handler())) }

// Write takes one line.
func (b *book) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.logs.Lines++
	b.logs.Bytes += int64(len(line) + eventOverhead)
	return len(line), nil
}

// group is the trail's group.
type group struct{ book *book }

func (g group) Put(_ context.Context, events []telemetry.Event) error {
	g.book.mu.Lock()
	defer g.book.mu.Unlock()
	for _, e := range events {
		g.book.logs.AuditLines++
		g.book.logs.AuditBytes += int64(len(e.Text) + eventOverhead)
	}
	return nil
}
