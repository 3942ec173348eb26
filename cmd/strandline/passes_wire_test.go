package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/passes"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// recorder stands before the emulator and writes down which operations are
// asked for.
type recorder struct {
	to     string
	client interface {
		Do(*http.Request) (*http.Response, error)
	}

	mu         sync.Mutex
	operations []string
}

// recorded points the command at a recorder.
func recorded(t *testing.T) *recorder {
	t.Helper()
	onWire(t)
	r := &recorder{to: localstacktest.Endpoint(t), client: localstacktest.Config(t).HTTPClient}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	return r
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	_, operation, _ := strings.Cut(in.Header.Get("X-Amz-Target"), ".")
	r.mu.Lock()
	r.operations = append(r.operations, operation)
	r.mu.Unlock()
	body, err := io.ReadAll(in.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	out, err := http.NewRequestWithContext(in.Context(), in.Method, r.to+in.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	out.Header = in.Header.Clone()
	answer, err := r.client.Do(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

// asked are the operations since the last call, each once.
func (r *recorder) asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.operations
	r.operations = nil
	slices.Sort(all)
	return slices.Compact(all)
}

// passSite is an installation on the wire as it is deployed, with 51 uploads of
// two objects that were given up two hours ago: more than the limit of 100.
type passSite struct {
	ledger *dynamo.Store
	gate   *gates.Gate
	queue  *sqs.Queue
}

func newPassSite(t *testing.T, prefix string) passSite {
	t.Helper()
	cfg := localstacktest.Config(t)
	in, made := created(t, cfg, prefix)
	t.Setenv("STRANDLINE_TABLE", in.Ledger.Name)
	t.Setenv("STRANDLINE_QUEUE_URL", made.PurgeURL)
	client := awsconf.DynamoDB(cfg)
	s := passSite{
		ledger: dynamo.New(client, in.Ledger.Name), gate: gates.New(client, in.Ledger.Name, "main", time.Now),
		queue: sqs.New(awsconf.SQS(cfg), made.PurgeURL, made.DeadLetterURL),
	}
	at := time.Now().Add(-2 * time.Hour)
	for n := range 51 {
		r := upload.Record{}
		for _, e := range []upload.Event{
			upload.Reserve{
				ID: upload.ID{Tenant: "acme", Upload: fmt.Sprintf("u-%03d", n)}, Owner: "o", Holder: "w",
				Lease: time.Minute, Deadline: time.Minute, Bucket: "uploads", Declared: 2,
			},
			upload.Cancel{Fence: 1, Reason: "test"},
		} {
			c, err := upload.Step(policy.Default(), r, e, at)
			must(t, err)
			must(t, s.ledger.Commit(t.Context(), c))
			r = c.After
		}
	}
	return s
}

func (s passSite) depth(t *testing.T) int64 {
	t.Helper()
	n, err := s.queue.Depth(t.Context())
	must(t, err)
	return n
}

// line runs a command line that must end with the code and say the words.
func line(t *testing.T, code int, says string, args ...string) ran {
	t.Helper()
	got := runLine(t.Context(), args...)
	if got.code != code || !strings.Contains(got.out+got.errs, says) {
		t.Fatalf("%v: exit %d, expected %d with %q; it says\n%s%s", args, got.code, code, says, got.out, got.errs)
	}
	if code == exitFailed && (strings.Count(got.errs, "\n") != 1 || !strings.HasPrefix(got.errs, "strandline: ")) {
		t.Errorf("%v: not one line: %q", args, got.errs)
	}
	return got
}

// TestAnOperatorsWayFromTheFirstLookToAnApprovedPlanOnTheWire: what is shown,
// refused and let go, command by command. The first ones are asked of a
// recorder: a look that writes would change what a schedule's pass finds.
func TestAnOperatorsWayFromTheFirstLookToAnApprovedPlanOnTheWire(t *testing.T) {
	calls := recorded(t)
	s := newPassSite(t, "command-passes")
	calls.asked()
	line(t, exitOK, "the buckets were never counted", "census", "show")
	line(t, exitOK, "would only report, and write nothing else: the gate is in report-only mode", "plan")
	line(t, exitOK, "purge (claim)  cancelled       51      102", "plan")
	line(t, exitOK, "no such runs since", "runs", "list")
	line(t, exitFailed, "there is no run x", "runs", "show", "x")
	if asked, reads := calls.asked(), []string{"BatchGetItem", "GetItem", "GetQueueAttributes", "Query"}; !slices.Equal(asked, reads) {
		t.Errorf("looking asked for %v, expected reads only: %v", asked, reads)
	}
	line(t, exitFailed, "there is nobody to ask", "census", "recount")
	line(t, exitOK, "uploads      102 ", "census", "recount", "--yes", "--who", "ann")
	line(t, exitOK, "from the ledger, by ann", "census", "show")
	line(t, exitFailed, "there is nobody to ask", "run")
	line(t, exitOK, "reported: report-only", "run", "--yes", "--who", "ann")

	must(t, s.gate.SetMode(t.Context(), gate.Delete))
	line(t, exitFindings, "102 object versions planned and 0 published in 24h, the limit is 100 of 102", "run", "--yes", "--who", "ann")
	listed := line(t, exitOK, `"state":"paused"`, "runs", "list", "--state", "paused", "--json")
	var r cleanup.Report
	must(t, json.Unmarshal([]byte(listed.out), &r))
	if r.Schedule != passes.ByHand || r.By != "ann" || s.depth(t) != 0 {
		t.Errorf("run %s by %q, %d queued", r.Run, r.By, s.depth(t))
	}
	line(t, exitOK, "strandline approve '"+r.Run+"' "+r.Digest, "runs", "show", r.Run)
	line(t, exitFailed, "the digest is not that of its plan", "approve", r.Run, strings.Repeat("0", 64), "--yes")
	if got := line(t, exitFailed, "there is nobody to ask", "approve", r.Run, r.Digest); !strings.Contains(got.out, "purge (claim)  cancelled       51      102") {
		t.Errorf("the plan is not shown before the question:\n%s", got.out)
	}
	if s.depth(t) != 0 {
		t.Errorf("%d are queued before the approval", s.depth(t))
	}
	line(t, exitOK, "published to the workers       51      102", "approve", r.Run, r.Digest, "--yes", "--who", "bob")
	if s.depth(t) != 51 {
		t.Errorf("%d are queued", s.depth(t))
	}
	line(t, exitFailed, "approved already, by bob", "approve", r.Run, r.Digest, "--yes")
	line(t, exitOK, "nothing is due", "plan")
	var page struct {
		Would  string `json:"would"`
		Queued int64  `json:"queued"`
	}
	must(t, json.Unmarshal([]byte(line(t, exitOK, "", "plan", "--json").out), &page))
	if page.Would != "done" || page.Queued != 51 {
		t.Errorf("%+v", page)
	}
}

// A command that stands for a schedule's pass must not need more than that.
func TestPassCommandsNameWhatIsMissingInOneLine(t *testing.T) {
	onWire(t)
	for says, args := range map[string][]string{
		"--table is not given":      {"plan"},
		"--queue-url is not given":  {"run", "--yes", "--table", "t"},
		"give a run and the digest": {"approve", "r", "--table", "t"},
		"name one run by its id":    {"runs", "show", "--table", "t"},
		`--state is "lost"`:         {"runs", "list", "--state", "lost", "--table", "t"},
		"--since is 0s":             {"runs", "list", "--since", "0s", "--table", "t"},
		"--json needs --yes":        {"census", "recount", "--json", "--table", "t"},
		"--who is empty":            {"run", "--who", "", "--table", "t", "--queue-url", "http://q"},
	} {
		t.Run(says, func(t *testing.T) { line(t, exitFailed, says, args...) })
	}
}
