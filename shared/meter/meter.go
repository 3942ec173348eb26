package meter

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
)

// Call names calls that are counted together.
type Call struct {
	// Service and Operation are the SDK's names: "DynamoDB", "PutItem".
	Service, Operation string
	// Of is what it was about: of DynamoDB an index's name, or the partition
	// key's first part ("T" for uploads, "GATE"); of SQS the queue's name.
	Of string
}

// String is the call in one word.
func (c Call) String() string {
	name := c.Service + "." + c.Operation
	if c.Of != "" {
		name += " " + c.Of
	}
	return name
}

// Count is how often, and how much.
type Count struct {
	// Operations are calls of the SDK; Requests how often one was sent, its
	// repetitions included: AWS bills those.
	Operations, Requests int
	// Items are the records, messages or versions in them.
	Items int
	// ReadUnits and WriteUnits are DynamoDB's; WriteUnits includes IndexUnits.
	ReadUnits, WriteUnits, IndexUnits float64
	// Bytes are those of messages.
	Bytes int64
}

// Plus is the sum of two counts.
func (c Count) Plus(d Count) Count { return c.add(1, d) }

// Minus is what one count has more than another.
func (c Count) Minus(d Count) Count { return c.add(-1, d) }

func (c Count) add(sign int, d Count) Count {
	f := float64(sign)
	return Count{
		Operations: c.Operations + sign*d.Operations, Requests: c.Requests + sign*d.Requests, Items: c.Items + sign*d.Items,
		ReadUnits: c.ReadUnits + f*d.ReadUnits, WriteUnits: c.WriteUnits + f*d.WriteUnits,
		IndexUnits: c.IndexUnits + f*d.IndexUnits, Bytes: c.Bytes + int64(sign)*d.Bytes,
	}
}

// Counts is what was counted, by call.
type Counts map[Call]Count

// Of sums up what the filter takes.
func (c Counts) Of(filter func(Call) bool) Count {
	var sum Count
	for call, n := range c {
		if filter(call) {
			sum = sum.Plus(n)
		}
	}
	return sum
}

// Plus is the sum of two countings.
func (c Counts) Plus(d Counts) Counts { return c.add(1, d) }

// Minus is what one counting has more than another.
func (c Counts) Minus(d Counts) Counts { return c.add(-1, d) }

func (c Counts) add(sign int, d Counts) Counts {
	sum := maps.Clone(c)
	if sum == nil {
		sum = Counts{}
	}
	for call, n := range d {
		sum[call] = sum[call].add(sign, n)
	}
	return sum
}

// Meter counts what passes its transports. The zero Meter is ready; it may be
// used by many at once.
type Meter struct {
	// Seen is told of every request before it is sent; nil for nobody. The
	// request is not to be changed.
	Seen func(Sent)

	mu     sync.Mutex
	counts Counts
	stored stored
}

// Sent is one request as it goes over the wire.
type Sent struct {
	Call    Call
	Request *http.Request
	// Body is that of services whose bodies are read: nil for an object's.
	Body []byte
}

// Transport puts the meter in front of a client's way to its services.
func (m *Meter) Transport(next aws.HTTPClient) aws.HTTPClient { return transport{m, next} }

// Take returns what was counted since the last Take, and begins anew. What
// items weigh is remembered.
func (m *Meter) Take() Counts {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.counts
	m.counts = nil
	if taken == nil {
		taken = Counts{}
	}
	return taken
}

func (m *Meter) add(call Call, n Count) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = Counts{}
	}
	m.counts[call] = m.counts[call].Plus(n)
}

type transport struct {
	meter *Meter
	next  aws.HTTPClient
}

// Do counts one request and its answer.
func (t transport) Do(r *http.Request) (*http.Response, error) {
	call := Call{Service: middleware.GetServiceID(r.Context()), Operation: middleware.GetOperationName(r.Context())}
	if call.Service == "" {
		return t.next.Do(r)
	}
	read, r, body, err := readBody(call, r)
	if err != nil {
		return nil, err
	}
	call.Of = subject(call, body)
	if t.meter.Seen != nil {
		t.meter.Seen(Sent{Call: call, Request: r, Body: body})
	}
	answer, err := t.next.Do(r)
	n := Count{Requests: 1}
	if first(r) {
		n.Operations = 1
	}
	if err != nil || !read {
		t.meter.add(call, n)
		return answer, err
	}
	said, err := readAnswer(answer)
	if err != nil {
		t.meter.add(call, n)
		return nil, err
	}
	t.meter.add(call, n.Plus(t.meter.weigh(call, body, said, answer.StatusCode)))
	return answer, nil
}

// readBody reads the bodies that say how much is asked for; an object's own is
// left to flow.
func readBody(call Call, r *http.Request) (read bool, _ *http.Request, body []byte, err error) {
	if call.Service == s3 && call.Operation != "DeleteObjects" || r.Body == nil {
		return false, r, nil, nil
	}
	body, err = io.ReadAll(r.Body)
	if err == nil {
		err = r.Body.Close()
	}
	if err != nil {
		return false, nil, nil, err
	}
	r = r.WithContext(r.Context()) // a copy: the request is the caller's
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true, r, body, nil
}

func readAnswer(answer *http.Response) ([]byte, error) {
	said, err := io.ReadAll(answer.Body)
	if err == nil {
		err = answer.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(said))
	return said, nil
}

// first reports the first of the SDK's attempts, by the header in which it says
// so itself: "attempt=1; max=3".
func first(r *http.Request) bool {
	number, _, _ := strings.Cut(r.Header.Get("Amz-Sdk-Request"), ";")
	return number == "attempt=1"
}
