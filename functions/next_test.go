package functions_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
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
	said, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-overlay", filepath.Join(dir, "overlay.json"),
		"-o", binary, "./worker/bootstrap").CombinedOutput()
	if err != nil {
		t.Fatalf("build the next worker: %v\n%s", err, said)
	}
	return binary
}

// lambda is a function's binary at work behind Lambda's runtime interface
// (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
type lambda struct {
	t       *testing.T
	events  chan []byte
	answers chan []byte
	failed  chan string
}

// run starts the binary with variables of its own, and stops it
// when the test is over.
func run(t *testing.T, binary string, variables ...string) *lambda {
	t.Helper()
	l := &lambda{t: t, events: make(chan []byte), answers: make(chan []byte, 1), failed: make(chan string, 1)}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	var said bytes.Buffer
	cmd := exec.Command(binary)
	// What this process is told, of its tests too, is nothing for a function.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "STRANDLINE_") || strings.HasPrefix(v, "AWS_") })
	cmd.Env = append(append(cmd.Env, "AWS_LAMBDA_RUNTIME_API="+server.Listener.Addr().String()), variables...)
	cmd.Stdout, cmd.Stderr = &said, &said
	must(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
		l.failed <- "it ended"
	}()
	t.Cleanup(func() {
		close(l.events)
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("the next worker said:\n%s", said.String())
		}
	})
	return l
}

func (l *lambda) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case r.Method == http.MethodGet: // the next invocation
		event, ok := <-l.events
		if !ok {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", "one")
		w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(2*time.Minute).UnixMilli(), 10))
		_, _ = w.Write(event)
	case filepath.Base(r.URL.Path) == "response":
		l.answers <- body
		w.WriteHeader(http.StatusAccepted)
	default:
		l.failed <- string(body)
		w.WriteHeader(http.StatusAccepted)
	}
}

// invoke hands it an event and returns the messages that are not done.
func (l *lambda) invoke(event events.SQSEvent) events.SQSEventResponse {
	l.t.Helper()
	raw, err := json.Marshal(event)
	must(l.t, err)
	select {
	case l.events <- raw:
	case why := <-l.failed:
		l.t.Fatalf("the next worker: %s", why)
	}
	select {
	case answer := <-l.answers:
		var response events.SQSEventResponse
		must(l.t, json.Unmarshal(answer, &response))
		return response
	case why := <-l.failed:
		l.t.Fatalf("the next worker: %s", why)
	case <-time.After(2 * time.Minute):
		l.t.Fatal("the next worker gives no answer")
	}
	return events.SQSEventResponse{}
}
