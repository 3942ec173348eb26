package sqs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command/sqs"
)

// wire is the way to the emulator. It keeps what was asked for, and can answer
// for the queue as AWS does and the emulator never would.
type wire struct {
	http aws.HTTPClient
	// requests are the operations and their JSON, each attempt by itself.
	requests []request
	// answer, if set, sees each entry of a batch that is sent, with the number
	// of the batch from 1, and says what becomes of it.
	answer func(batch int, e sentEntry) fate
	// fail, if set, answers an operation itself: status 0 leaves it alone.
	fail    func(operation string, nth int) (status int, code, message string)
	batches int
	counts  map[string]int
}

type request struct {
	operation string
	body      map[string]any
}

type sentEntry struct {
	ID      string `json:"Id"`
	Body    string `json:"MessageBody"`
	GroupID string `json:"MessageGroupId"`
}

// fate is what the queue does with an entry; the zero fate takes it.
type fate struct {
	refuse      string // the code with which it is refused
	senderFault bool
	unanswered  bool // taken, and the answer does not name it
}

type scene struct {
	wire          *wire
	queue         *sqs.Queue
	client, wired *awssqs.Client
	url, deadURL  string
	pauses        []time.Duration
	sleepReturned error
}

func newScene(t *testing.T) *scene {
	t.Helper()
	endpoint := localstacktest.Endpoint(t)
	s := &scene{wire: &wire{http: localstacktest.Config(t).HTTPClient, counts: map[string]int{}}, client: newClient(t)}
	s.url, s.deadURL = newQueue(t, s.client), newQueue(t, s.client)
	cfg := awsconf.ForEndpoint(endpoint)
	cfg.HTTPClient = s.wire
	s.wired = awsconf.SQS(cfg)
	s.queue = sqs.New(s.wired, s.url, s.deadURL)
	s.queue.SetSleep(func(_ context.Context, d time.Duration) error {
		s.pauses = append(s.pauses, d)
		return s.sleepReturned
	})
	return s
}

// letters are the scene's dead letters, over its wire.
func (s *scene) letters() *sqs.Letters { return sqs.NewLetters(s.wired, s.deadURL) }

func (s *scene) wantDepth(t *testing.T, want int64) {
	t.Helper()
	got, err := sqs.New(s.client, s.url, s.deadURL).Depth(t.Context())
	must(t, err)
	if got != want {
		t.Errorf("the queue holds %d messages: expected %d", got, want)
	}
}

// Do sends one request of the SDK.
func (w *wire) Do(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	seen := request{operation: operation}
	if err := json.Unmarshal(raw, &seen.body); err != nil {
		return nil, err
	}
	w.requests = append(w.requests, seen)
	w.counts[operation]++
	if w.fail != nil {
		if status, code, message := w.fail(operation, w.counts[operation]); status != 0 {
			return reply(r, status, map[string]any{"__type": "com.amazonaws.sqs#" + code, "message": message})
		}
	}
	if operation == "SendMessageBatch" && w.answer != nil {
		return w.sendBatch(r, raw)
	}
	return w.send(r, raw)
}

func (w *wire) send(r *http.Request, body []byte) (*http.Response, error) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return w.http.Do(r)
}

// sendBatch hands on what is not refused, and changes the answer.
func (w *wire) sendBatch(r *http.Request, raw []byte) (*http.Response, error) {
	w.batches++
	var in struct {
		QueueURL string `json:"QueueUrl"`
		Entries  []sentEntry
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	type failed struct {
		ID          string `json:"Id"`
		Code        string
		SenderFault bool
	}
	var out struct {
		Successful []map[string]any
		Failed     []failed
	}
	fates, kept := map[string]fate{}, in.Entries[:0:0]
	for _, e := range in.Entries {
		f := w.answer(w.batches, e)
		fates[e.ID] = f
		if f.refuse == "" {
			kept = append(kept, e)
			continue
		}
		out.Failed = append(out.Failed, failed{e.ID, f.refuse, f.senderFault})
	}
	if in.Entries = kept; len(kept) > 0 {
		body, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		answer, err := w.send(r, body)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		var taken struct{ Successful []map[string]any }
		if err := json.NewDecoder(answer.Body).Decode(&taken); err != nil {
			return nil, err
		}
		for _, s := range taken.Successful {
			if !fates[fmt.Sprint(s["Id"])].unanswered {
				out.Successful = append(out.Successful, s)
			}
		}
	}
	return reply(r, http.StatusOK, out)
}

func reply(r *http.Request, status int, body any) (*http.Response, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: status, Request: r, ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(bytes.NewReader(raw)), ContentLength: int64(len(raw)),
	}, nil
}

var errBroken = errors.New("clock stopped")
