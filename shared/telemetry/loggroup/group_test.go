package loggroup

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

// service answers as CloudWatch Logs would, from a list of answers; the last one
// goes on.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	answers []answer
	got     []request
}

type answer struct {
	status int
	body   string
}

type request struct {
	operation string
	header    http.Header
	body      map[string]any
}

func serve(t *testing.T, answers ...answer) *service {
	s := &service{answers: answers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		text, _ := io.ReadAll(r.Body)
		var body map[string]any
		if err := json.Unmarshal(text, &body); err != nil || r.Method != http.MethodPost || r.URL.Path != "/" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		s.got = append(s.got, request{strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "Logs_20140328."), r.Header, body})
		a := s.answers[0]
		if len(s.answers) > 1 {
			s.answers = s.answers[1:]
		}
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) operations() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]string, len(s.got))
	for i, r := range s.got {
		all[i] = r.operation
	}
	return strings.Join(all, " ")
}

func (s *service) group() *Group {
	return New(awsconf.ForEndpoint(s.URL), "/acme/audit", "worker/1", time.Now)
}

func lines() []telemetry.Event {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	return []telemetry.Event{{At: at, Text: `{"audit":1}`}, {At: at.Add(time.Second), Text: `{"audit":1,"who":"ann"}`}}
}

var (
	fine     = answer{200, `{"nextSequenceToken":"1"}`}
	noStream = answer{400, `{"__type":"com.amazonaws.logs#ResourceNotFoundException","message":"The specified log stream does not exist."}`}
	again    = answer{400, `{"__type":"ResourceAlreadyExistsException"}`}
	throttle = answer{400, `{"__type":"ThrottlingException","message":"Rate exceeded"}`}
	denied   = answer{400, `{"__type":"AccessDeniedException","message":"no"}`}
	broken   = answer{503, `<html>`}
	tooOld   = answer{200, `{"rejectedLogEventsInfo":{"tooOldLogEventEndIndex":1}}`}
)

// What the service would refuse, it refuses with the whole batch.
func TestThePutIsAsTheServiceWantsIt(t *testing.T) {
	s := serve(t, fine)
	if err := s.group().Put(t.Context(), lines()); err != nil {
		t.Fatal(err)
	}
	r := s.got[0]
	for name, want := range map[string]string{
		"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "Logs_20140328.PutLogEvents",
	} {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	signature := r.header.Get("Authorization")
	for _, part := range []string{"AWS4-HMAC-SHA256 Credential=test/", "/us-east-1/logs/aws4_request", "x-amz-date", "x-amz-target", "host"} {
		if !strings.Contains(signature, part) {
			t.Errorf("the signature %q lacks %s", signature, part)
		}
	}
	text, err := json.Marshal(r.body)
	want := `{"logEvents":[{"message":"{\"audit\":1}","timestamp":1796040000000},{"message":"{\"audit\":1,\"who\":\"ann\"}","timestamp":1796040001000}],` +
		`"logGroupName":"/acme/audit","logStreamName":"worker/1"}`
	if err != nil || string(text) != want {
		t.Errorf("the body is %s, want %s", text, want)
	}
}

func TestWhatTheAnswersMean(t *testing.T) {
	for name, c := range map[string]struct {
		answers    []answer
		operations string
		says       string
	}{
		"the stream is new":               {[]answer{noStream, fine, fine}, "PutLogEvents CreateLogStream PutLogEvents", ""},
		"another was faster to make it":   {[]answer{noStream, again, fine}, "PutLogEvents CreateLogStream PutLogEvents", ""},
		"there is no such group":          {[]answer{noStream}, "PutLogEvents CreateLogStream", "log group /acme/audit: CreateLogStream: status 400 ResourceNotFoundException"},
		"throttled once":                  {[]answer{throttle, fine}, "PutLogEvents PutLogEvents", ""},
		"broken twice":                    {[]answer{broken, broken, fine}, "PutLogEvents PutLogEvents PutLogEvents", ""},
		"broken for good":                 {[]answer{broken}, "PutLogEvents PutLogEvents PutLogEvents", "status 503"},
		"denied is not asked again":       {[]answer{denied}, "PutLogEvents", "AccessDeniedException"},
		"taken in part is not taken":      {[]answer{tooOld}, "PutLogEvents", "rejected"},
		"an answer that cannot be read":   {[]answer{{200, `<html>`}}, "PutLogEvents PutLogEvents PutLogEvents", "PutLogEvents"},
		"a failure without a name at all": {[]answer{{400, ``}}, "PutLogEvents", "status 400"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.answers...)
			err := s.group().Put(t.Context(), lines())
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v, want %q", err, c.says)
			}
			if got := s.operations(); got != c.operations {
				t.Errorf("called %s, want %s", got, c.operations)
			}
		})
	}
}

func TestNobodyThereIsAnErrorWithinTheTimeGiven(t *testing.T) {
	s := serve(t, fine)
	s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.group().Put(ctx, lines()); err == nil {
		t.Error("no error")
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := s.group().Put(ctx, lines()); err == nil {
		t.Error("no error after the time is over")
	}
}

func TestTheEndpointIsTheConfigurationsOrTheRegions(t *testing.T) {
	cfg := awsconf.ForEndpoint("http://localhost:4566/")
	if got := endpointOf(cfg); got != "http://localhost:4566" {
		t.Error(got)
	}
	cfg.BaseEndpoint = nil
	for region, want := range map[string]string{
		"eu-central-1": "https://logs.eu-central-1.amazonaws.com", "cn-north-1": "https://logs.cn-north-1.amazonaws.com.cn",
	} {
		cfg.Region = region
		if got := endpointOf(cfg); got != want {
			t.Errorf("%s: %s", region, got)
		}
	}
	t.Setenv("AWS_USE_FIPS_ENDPOINT", "true")
	cfg.Region = "us-east-1"
	if got := endpointOf(cfg); got != "https://logs-fips.us-east-1.amazonaws.com" {
		t.Error(got)
	}
	t.Setenv("AWS_ENDPOINT_URL_CLOUDWATCH_LOGS", "https://vpce-1.logs.example/")
	if got := endpointOf(cfg); got != "https://vpce-1.logs.example" {
		t.Error(got)
	}
}

func TestAStreamHasNoNameThatTheServiceRefuses(t *testing.T) {
	if got := streamName("operator/ann:*\n"); got != "operator/ann---" {
		t.Errorf("%q", got)
	}
}

func TestWithoutAGroupTheTrailIsTheOwnLogAlone(t *testing.T) {
	var out strings.Builder
	trail := Trail(awsconf.ForEndpoint("http://127.0.0.1:1"), "", "worker", &out, slog.New(slog.NewTextHandler(os.Stderr, nil)), time.Now)
	trail.Writer().Write(t.Context(), decisionOf("u-1"))
	if lost := trail.Flush(t.Context(), time.Second); lost != 0 || !strings.Contains(out.String(), "u-1") {
		t.Errorf("%d lost, the log has %q", lost, out.String())
	}
}
