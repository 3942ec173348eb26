package fault

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
)

// Transport stands between the SDK and a service. Calls are named by service
// and operation: "DynamoDB.PutItem".
//
// A call that fails does so in all attempts that the SDK makes, unless its kind
// says otherwise: before it took effect none arrives; after it, each does whose
// answer is lost, and of one that is refused the first, whose answer is lost.
type Transport struct {
	next aws.HTTPClient
	set  *Set

	mu      sync.Mutex
	callsOf map[string]Case // by the SDK's invocation
}

// Transport puts the set in front of a client's way to its service.
func (s *Set) Transport(next aws.HTTPClient) *Transport {
	return &Transport{next: next, set: s, callsOf: map[string]Case{}}
}

// Do sends one attempt of a call, or does to it what was scripted.
func (t *Transport) Do(r *http.Request) (*http.Response, error) {
	if Actor(r.Context()) == "" {
		return t.next.Do(r)
	}
	operation := middleware.GetServiceID(r.Context()) + "." + middleware.GetOperationName(r.Context())
	c := t.caseOf(r, operation)
	first, more := attempt(r)
	switch {
	case c.Kind == "", c.Kind == ResetOnce && !first:
		return t.next.Do(r)
	case c.When == During:
		return t.part(r, operation, c.Kind)
	case c.Kind == Condition && c.When == Before && impossible[operation] != nil:
		return t.next.Do(impossible[operation](r))
	case c.When == After && (first || silent(c.Kind)):
		if err := t.lose(r); err != nil {
			return nil, err
		}
		if first && more && c.Kind != Death && !silent(c.Kind) {
			return nil, broken(Reset)
		}
	default:
		discard(r.Body)
	}
	return refuse(r, operation, c.Kind)
}

// caseOf is what happens to the call of which this is an attempt.
func (t *Transport) caseOf(r *http.Request, operation string) Case {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := r.Header.Get("Amz-Sdk-Invocation-Id")
	c, known := t.callsOf[id]
	if !known {
		c = t.set.meet(r.Context(), operation)
		t.callsOf[id] = c
	}
	return c
}

// attempt says which of the SDK's attempts this is, from the header in which it
// says so itself: "attempt=1; max=3".
func attempt(r *http.Request) (first, more bool) {
	number, most := 1, 1
	for part := range strings.SplitSeq(r.Header.Get("Amz-Sdk-Request"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch n, _ := strconv.Atoi(value); name {
		case "attempt":
			number = n
		case "max":
			most = n
		}
	}
	return number == 1, number < most
}

// silent kinds take the answer away, however often the call is made.
func silent(k Kind) bool {
	return k == Timeout || k == Reset || k == ResetOnce || k == ServerError
}

// lose has the service do it, and nobody hear of it.
func (t *Transport) lose(r *http.Request) error {
	answer, err := t.next.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body) // what cannot be read is not needed
	return nil
}

func discard(body io.ReadCloser) {
	if body == nil {
		return
	}
	_, _ = io.Copy(io.Discard, body)
	body.Close()
}

// broken is a connection that ends without an answer.
func broken(k Kind) error {
	if k == Timeout || k == PartTimeout {
		return &net.OpError{Op: "read", Net: "tcp", Err: timedOut{}}
	}
	return &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
}

type timedOut struct{}

func (timedOut) Error() string { return "i/o timeout" }

// Timeout makes it a net.Error's.
func (timedOut) Timeout() bool { return true }

// Temporary is what a timeout of the net package says too.
func (timedOut) Temporary() bool { return true }
