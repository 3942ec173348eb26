package demo

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/policy"
)

// loggedCloud is the memory cloud with the functions' logs kept.
type loggedCloud struct {
	memoryCloud
	log *bytes.Buffer
}

func (c *loggedCloud) install(ctx context.Context, _ string, p policy.Policy, wrap func(installation.Stores) installation.Stores) (*installation.Installation, error) {
	i, memory, err := installation.InMemory(ctx, installation.Options{
		Policy: p, Clock: installation.NewStillClock(storyBegins), Real: c.real, Wrap: wrap,
		Log: slog.NewJSONHandler(c.log, &slog.HandlerOptions{Level: slog.LevelDebug}),
	})
	c.memory[i] = memory
	return i, err
}

// TestTheFunctionsLogIdsAndNoObjectKey: with a key in any line, an operator who
// reads the logs would read what users have stored.
func TestTheFunctionsLogIdsAndNoObjectKey(t *testing.T) {
	var log bytes.Buffer
	real := func() time.Time { return storyBegins }
	c := &loggedCloud{memoryCloud{real: real, memory: map[*installation.Installation]*installation.Memory{}}, &log}
	out := &checks{out: io.Discard}
	w, err := tellPopulation(t.Context(), c, minUploads, out, newProgress(io.Discard, false, real))
	if err != nil {
		t.Fatal(err)
	}
	if out.failed > 0 {
		t.Errorf("%d numbers differ", out.failed)
	}
	text := log.String()
	for _, m := range w.members {
		if folder := m.session.Record().Folder(); strings.Contains(text, folder) {
			t.Fatalf("the logs hold the key prefix of upload %s", m.session.ID().Upload)
		}
	}
	for _, field := range []string{`"run":`, `"tenant":`, `"operation":`, `"fence":`} {
		if !strings.Contains(text, field) {
			t.Errorf("the logs have no field %s", field)
		}
	}
}
