package functions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/localstack/runtimeapi"
)

// raised are the sources that say which schema this version writes.
var raised = []string{"shared/upload/record.go", "shared/command/command.go"}

var schemaLine = regexp.MustCompile(`(?m)^const Schema = (\d+)$`)

// nextWorker builds the worker of the next schema: these sources, with both
// schemas raised by one.
func nextWorker(t *testing.T) string {
	t.Helper()
	replace, dir := map[string]string{}, t.TempDir()
	for _, name := range raised {
		file, err := filepath.Abs(filepath.Join("..", name))
		must(t, err)
		source, err := os.ReadFile(file)
		must(t, err)
		found := schemaLine.FindSubmatch(source)
		if found == nil {
			t.Fatalf("%s has no line const Schema = …", name)
		}
		n, err := strconv.Atoi(string(found[1]))
		must(t, err)
		replace[file] = filepath.Join(dir, filepath.Base(name))
		must(t, os.WriteFile(replace[file], schemaLine.ReplaceAll(source, []byte("const Schema = "+strconv.Itoa(n+1))), 0o600))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	binary := filepath.Join(dir, "bootstrap")
	must(t, runtimeapi.Build(t.Context(), "./worker/bootstrap", binary, "-overlay", filepath.Join(dir, "overlay.json")))
	return binary
}

// lambda is a function's binary at work.
type lambda struct {
	t       *testing.T
	process *runtimeapi.Process
}

// run starts the binary with variables of its own, and stops it
// when the test is over.
func run(t *testing.T, binary string, variables ...string) *lambda {
	t.Helper()
	var said bytes.Buffer
	p, err := runtimeapi.Start(binary, variables, &said)
	must(t, err)
	t.Cleanup(func() {
		if p.Kill(); t.Failed() {
			t.Logf("the next worker said:\n%s", said.String())
		}
	})
	return &lambda{t: t, process: p}
}

// invoke hands it an event and returns the messages that are not done.
func (l *lambda) invoke(event events.SQSEvent) events.SQSEventResponse {
	l.t.Helper()
	raw, err := json.Marshal(event)
	must(l.t, err)
	ctx, cancel := context.WithTimeout(l.t.Context(), 2*time.Minute)
	defer cancel()
	answer, err := l.process.Invoke(ctx, raw)
	if err != nil {
		l.t.Fatalf("the next worker: %v", err)
	}
	var response events.SQSEventResponse
	must(l.t, json.Unmarshal(answer, &response))
	return response
}
