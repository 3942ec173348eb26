package installation_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// logbook keeps what the functions log: the line of each message that a worker
// concluded, and every text, since no log may hold an object key.
type logbook struct {
	mu    sync.Mutex
	lines []line
	texts []string
}

// line is what a worker says became of one message.
type line struct {
	upload, outcome, reason string
	hide                    time.Duration
	gone, retained          int64
}

func (l line) String() string { return l.outcome + ": " + l.reason }

func (b *logbook) Enabled(context.Context, slog.Level) bool { return true }
func (b *logbook) WithAttrs([]slog.Attr) slog.Handler       { return b }
func (b *logbook) WithGroup(string) slog.Handler            { return b }

func (b *logbook) Handle(_ context.Context, r slog.Record) error {
	fields := map[string]slog.Value{}
	var text strings.Builder
	text.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		fields[a.Key] = a.Value
		fmt.Fprintf(&text, " %s=%v", a.Key, a.Value)
		return true
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts = append(b.texts, text.String())
	if r.Message != "purge" {
		return nil
	}
	b.lines = append(b.lines, line{
		upload: fields["upload"].String(), outcome: fields["outcome"].String(), reason: fields["reason"].String(),
		hide: fields["hide"].Duration(), gone: fields["gone"].Int64(), retained: fields["retained"].Int64(),
	})
	return nil
}

// take returns the lines since it was last called.
func (b *logbook) take() []line {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := b.lines
	b.lines = nil
	return lines
}

// mentions reports whether any log line holds the text.
func (b *logbook) mentions(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.texts, func(s string) bool { return strings.Contains(s, text) })
}
