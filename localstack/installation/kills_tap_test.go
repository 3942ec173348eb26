package installation_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/localstack/runtimeapi"
	"github.com/strandline-dev/strandline/shared/upload"
)

// moment is when, of a call, a process is killed.
type moment int

const (
	beforeIt moment = iota // nothing of the call reaches its service
	duringIt               // the service may have done it or not
	afterIt                // it is done, and nobody hears of it
	nextToIt               // its answer is there, and something else is under way
	moments
)

func (m moment) String() string { return [...]string{"before", "during", "after", "next to"}[m] }

// strike is one kill that is planned: at the nth call of a process, or of those
// that change something.
type strike struct {
	call    int
	changes bool
	when    moment
	delay   time.Duration // how long next to the call
}

// tap stands between one process and the cloud: it sees each call, judges each
// delete before it happens, and kills the process at one of them. What was on
// its way then arrives: networks know nothing of processes that die.
type tap struct {
	*httptest.Server
	cloud  string
	client aws.HTTPClient
	judge  func(context.Context, deleteCall)
	killed func(operation string, at strike, busy bool)

	mu      sync.Mutex
	process *runtimeapi.Process
	strike  *strike
	calls   int
}

// deleteCall is one request that takes something away.
type deleteCall struct {
	bucket string
	gone   []struct{ Key, VersionID string }
	parts  bool // of a multipart upload, not of a version
	wrong  string
}

func newTap(cloud string, client aws.HTTPClient) *tap {
	t := &tap{cloud: cloud, client: client}
	t.Server = httptest.NewServer(t)
	return t
}

// arm puts a process behind the tap, to be killed by the strike; nil: by nobody.
func (t *tap) arm(p *runtimeapi.Process, s *strike) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.process, t.strike, t.calls = p, s, 0
}

// struck counts a call, and returns the process that is to be killed at it.
func (t *tap) struck(operation string) (*runtimeapi.Process, strike, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.strike == nil || t.strike.changes && slices.Contains(looks, operation) {
		return nil, strike{}, false
	}
	if t.calls++; t.calls < t.strike.call {
		return nil, strike{}, false
	}
	s := *t.strike
	t.strike = nil
	return t.process, s, true
}

// looks are the calls that change nothing.
var looks = []string{
	"GetItem", "BatchGetItem", "Query", "GetQueueAttributes",
	"S3 GET versioning", "S3 GET versions", "S3 GET uploads", "S3 GET encoding-type", "S3 HEAD", "S3 HEAD versionId",
}

func (t *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // its process died while it spoke
	}
	victim, s, hit := t.struck(operationOf(r))
	kill := func() { t.killed(operationOf(r), s, victim.Kill()) }
	if hit && s.when == beforeIt {
		kill()
		panic(http.ErrAbortHandler)
	}
	if d, is := deleteIn(r, body); is {
		t.judge(context.WithoutCancel(r.Context()), d)
	}
	if hit && s.when == duringIt {
		done := make(chan struct{})
		go func() { kill(); close(done) }()
		defer func() { <-done }()
	}
	answer, said, err := t.pass(r, body)
	if err != nil || hit && s.when == afterIt {
		if hit && s.when == afterIt {
			kill()
		}
		panic(http.ErrAbortHandler)
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(said) // to a process that may be gone
	if hit && s.when == nextToIt {
		time.AfterFunc(s.delay, kill)
	}
}

// pass brings the call to the cloud, whatever becomes of who made it.
func (t *tap) pass(r *http.Request, body []byte) (*http.Response, []byte, error) {
	out, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, t.cloud+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	out.Header, out.ContentLength = r.Header.Clone(), int64(len(body))
	answer, err := t.client.Do(out)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	return answer, said, err
}

// operationOf is a call's name: a DynamoDB or SQS operation's own, or what S3 is
// asked by method and query.
func operationOf(r *http.Request) string {
	if _, name, ok := strings.Cut(r.Header.Get("X-Amz-Target"), "."); ok {
		return name
	}
	query, _, _ := strings.Cut(r.URL.RawQuery, "=")
	return strings.TrimSuffix("S3 "+r.Method+" "+query, " ")
}

// deleteIn reads what a request to S3 takes away. No function puts anything
// either: that is wrong too.
func deleteIn(r *http.Request, body []byte) (deleteCall, bool) {
	if r.Header.Get("X-Amz-Target") != "" {
		return deleteCall{}, false
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	d, query := deleteCall{bucket: bucket}, r.URL.Query()
	switch {
	case r.Method == http.MethodDelete:
		d.parts = query.Has("uploadId")
		d.gone = append(d.gone, struct{ Key, VersionID string }{key, query.Get("versionId")})
	case r.Method == http.MethodPost && query.Has("delete"):
		var all struct {
			Object []struct {
				Key       string
				VersionID string `xml:"VersionId"`
			}
		}
		if err := xml.Unmarshal(body, &all); err != nil {
			d.wrong = fmt.Sprintf("a delete that cannot be read: %v", err)
		}
		for _, o := range all.Object {
			d.gone = append(d.gone, struct{ Key, VersionID string }{o.Key, o.VersionID})
		}
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		return deleteCall{}, false
	default:
		d.wrong = "a function asks S3 for " + (&url.URL{Path: r.Method, RawQuery: r.URL.RawQuery}).String()
	}
	return d, true
}

// unjust says what of a delete the ledger does not condemn now: invariants 1 and
// 2, once more, for processes that nobody looks into.
func unjust(ctx context.Context, w *world, d deleteCall) (wrong []string) {
	if d.wrong != "" {
		return []string{d.wrong}
	}
	ids := make([]upload.ID, len(d.gone))
	for i, v := range d.gone {
		id, _, ok := upload.ParseObjectKey(v.Key)
		if !ok {
			return []string{fmt.Sprintf("delete of %s, which is no upload's", v.Key)}
		}
		ids[i] = id
	}
	records, err := w.Stores.Ledger.LoadMany(ctx, ids)
	if err != nil {
		return []string{fmt.Sprintf("a delete could not be judged: %v", err)}
	}
	for i, v := range d.gone {
		if v.VersionID == "" && !d.parts {
			wrong = append(wrong, fmt.Sprintf("delete of a key of upload %s without its version", ids[i]))
		}
		if why := notCondemned(records[i], d.bucket, v.Key); why != "" {
			wrong = append(wrong, fmt.Sprintf("delete of a version of upload %s: %s", ids[i], why))
		}
	}
	return wrong
}
