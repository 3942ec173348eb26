package dynamo

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// fault answers the n-th call of an operation, from 1; send lets it through.
type fault func(n int, req *http.Request, send func() (*http.Response, error)) (*http.Response, error)

// wire stands between the SDK and the network.
type wire struct {
	mu     sync.Mutex
	next   aws.HTTPClient
	calls  map[string]int
	faults map[string]fault
}

func (w *wire) Do(req *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
	w.mu.Lock()
	w.calls[operation]++
	n, f := w.calls[operation], w.faults[operation]
	w.mu.Unlock()
	if f == nil {
		return w.next.Do(req)
	}
	return f(n, req, func() (*http.Response, error) { return w.next.Do(req) })
}

func (w *wire) on(operation string, f fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults[operation], w.calls[operation] = f, 0
}

// faulty is a ledger with a wire that can be cut. It does not sleep.
func faulty(t *testing.T) (*Store, *wire) {
	t.Helper()
	w := &wire{calls: map[string]int{}, faults: map[string]fault{}}
	s := open(t, func(o *dynamodb.Options) {
		w.next = o.HTTPClient
		o.HTTPClient = w
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts, o.MaxBackoff = 3, time.Millisecond
		})
	})
	s.sleep = func(context.Context, time.Duration) error { return nil }
	return s, w
}

// lost lets the first calls through and loses their answers.
func lost(first int) fault {
	return func(n int, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		answer, err := send()
		if n > first || err != nil {
			return answer, err
		}
		answer.Body.Close()
		return nil, syscall.ECONNRESET
	}
}

// refusing answers the calls from a number on with an error.
func refusing(from int, code, more string) fault {
	return func(n int, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		if n < from {
			return send()
		}
		return answer(400, `{"__type":"com.amazonaws.dynamodb.v20120810#`+code+`","message":"m"`+more+`}`), nil
	}
}

func answer(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// edited changes the answers to the first calls.
func edited(first int, edit func(body map[string]any)) fault {
	return func(n int, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		got, err := send()
		if err != nil || n > first {
			return got, err
		}
		var body map[string]any
		if err := json.NewDecoder(got.Body).Decode(&body); err != nil {
			return nil, err
		}
		got.Body.Close()
		edit(body)
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		return answer(got.StatusCode, string(data)), nil
	}
}

// withoutToken takes the idempotency token from every call: a store that does
// not know it, or has forgotten it.
func withoutToken(f fault) fault {
	return func(n int, req *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		data, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		var body map[string]any
		if err := json.Unmarshal(data, &body); err != nil {
			return nil, err
		}
		delete(body, "ClientRequestToken")
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
		return f(n, req, send)
	}
}
