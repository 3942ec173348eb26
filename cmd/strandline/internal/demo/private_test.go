package demo

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// TestTheFunctionsLogIdsAndNoObjectKey: with a key in any line, an operator who
// reads the logs would read what users have stored.
func TestTheFunctionsLogIdsAndNoObjectKey(t *testing.T) {
	var log bytes.Buffer
	c := inMemory()
	c.log = slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
	out := &checks{out: io.Discard}
	w, err := tellPopulation(t.Context(), c, minUploads, out, newProgress(io.Discard, false, c.real))
	if err != nil {
		t.Fatal(err)
	}
	if len(out.failed) > 0 {
		t.Errorf("%d numbers differ", len(out.failed))
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
