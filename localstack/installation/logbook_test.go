package installation_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/telemetry"
)

// logbook keeps what the functions log: the line of each message that a worker
// concluded, and every text, since no log may hold an object key.
type logbook struct {
	mu    sync.Mutex
	lines []line
	texts []string
	// fields are the names of all fields that were ever logged.
	fields map[string]bool
}

// line is what a worker says became of one message.
type line struct {
	upload, outcome, reason string
	hide                    time.Duration
	gone, retained          int64
}

func (l line) String() string { return l.outcome + ": " + l.reason }

func (b *logbook) Enabled(context.Context, slog.Level) bool { return true }

func (b *logbook) WithGroup(string) slog.Handler { return b }

// WithAttrs keeps the names of what all lines of a logger carry.
func (b *logbook) WithAttrs(attrs []slog.Attr) slog.Handler {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range attrs {
		b.named(a.Key)
	}
	return b
}

func (b *logbook) named(field string) {
	if b.fields == nil {
		b.fields = map[string]bool{}
	}
	b.fields[field] = true
}

// assertFields: nothing but what the closed list has. A field that somebody adds
// in passing is where a key would get into a log.
func (b *logbook) assertFields(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range telemetry.Fields() {
		delete(b.fields, f.Name)
	}
	for name := range b.fields {
		t.Errorf("a log line has the field %q, which is not in the list", name)
	}
}

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
	for name := range fields {
		b.named(name)
	}
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
