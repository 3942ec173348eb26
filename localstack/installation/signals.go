package installation

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/strandline-dev/strandline/shared/cleanup"
)

// signals reads what the functions log, as an operator would, and adds it up.
type signals struct {
	next slog.Handler // may be nil

	mu     *sync.Mutex
	purged *cleanup.PurgeTally
	skips  map[string]cleanup.Amount
	waits  map[string]bool
}

func newSignals(next slog.Handler) *signals {
	return &signals{next: next, mu: &sync.Mutex{}, purged: &cleanup.PurgeTally{}, skips: map[string]cleanup.Amount{}, waits: map[string]bool{}}
}

// Enabled takes everything: the sums need all lines.
func (s *signals) Enabled(context.Context, slog.Level) bool { return true }

// Handle adds up the worker's batches and its skipped messages.
func (s *signals) Handle(ctx context.Context, r slog.Record) error {
	fields := map[string]slog.Value{}
	r.Attrs(func(a slog.Attr) bool {
		fields[a.Key] = a.Value
		return true
	})
	s.mu.Lock()
	switch r.Message {
	case "batch":
		if t, ok := fields["tally"].Any().(cleanup.PurgeTally); ok {
			*s.purged = s.purged.Plus(t)
		}
	case "purge":
		if fields["outcome"].String() == string(cleanup.KindSkipped) {
			reason := fields["reason"].String()
			s.skips[reason] = s.skips[reason].Plus(cleanup.Amount{Uploads: 1, Objects: fields["objects"].Int64()})
		} else if fields["hide"].Kind() == slog.KindDuration && fields["hide"].Duration() > 0 {
			s.waits[fields["reason"].String()] = true
		}
	}
	s.mu.Unlock()
	if s.next == nil || !s.next.Enabled(ctx, r.Level) {
		return nil
	}
	return s.next.Handle(ctx, r)
}

// WithAttrs and WithGroup pass the attributes on; the sums do not need them.
func (s *signals) WithAttrs(attrs []slog.Attr) slog.Handler {
	if s.next == nil {
		return s
	}
	with := *s
	with.next = s.next.WithAttrs(attrs)
	return &with
}

// WithGroup see [signals.WithAttrs].
func (s *signals) WithGroup(name string) slog.Handler {
	if s.next == nil {
		return s
	}
	with := *s
	with.next = s.next.WithGroup(name)
	return &with
}

// Purged is what the worker did so far.
func (i *Installation) Purged() cleanup.PurgeTally {
	i.signals.mu.Lock()
	defer i.signals.mu.Unlock()
	return *i.signals.purged
}

// WaitReasons lists why messages were hidden so far.
func (i *Installation) WaitReasons() []string {
	i.signals.mu.Lock()
	defer i.signals.mu.Unlock()
	return slices.Sorted(maps.Keys(i.signals.waits))
}

// Skip is a reason for which commands were skipped, and how much.
type Skip struct {
	Text   string
	Amount cleanup.Amount
}

// SkipReasons lists why commands were skipped so far.
func (i *Installation) SkipReasons() []Skip {
	i.signals.mu.Lock()
	defer i.signals.mu.Unlock()
	var all []Skip
	for text, a := range i.signals.skips {
		all = append(all, Skip{Text: text, Amount: a})
	}
	slices.SortFunc(all, func(a, b Skip) int { return strings.Compare(a.Text, b.Text) })
	return all
}
