package fault_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/upload"
)

// service answers every request with a success that says nothing, and keeps
// what it was sent.
type service struct {
	mu     sync.Mutex
	bodies []string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.mu.Lock()
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	if r.Header.Get("X-Amz-Target") != "" {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = io.WriteString(w, "{}") // a client that is gone is not the service's affair
	}
}

// wire is a way to a service with one fault on it.
func wire(t *testing.T, operation string, c fault.Case) (aws.Config, *service) {
	t.Helper()
	under := &service{}
	server := httptest.NewServer(under)
	t.Cleanup(server.Close)
	cfg := awsconf.ForEndpoint(server.URL)
	cfg.HTTPClient = fault.New(fault.Fault{
		Call: fault.Call{Actor: "worker", Operation: operation, N: 1}, Case: c,
	}).Transport(cfg.HTTPClient)
	cfg.Retryer = func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
	}
	return cfg, under
}

func put(ctx context.Context, cfg aws.Config) error {
	_, err := awsconf.DynamoDB(cfg).PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("ledger"), Item: map[string]ddb.AttributeValue{"pk": &ddb.AttributeValueMemberS{Value: "a"}},
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	})
	return awsconf.Kind(err)
}

// What the SDK repeats is one call: all of it fails, or its first attempt.
func TestACallFailsInEveryAttemptThatTheSDKMakes(t *testing.T) {
	for _, c := range []struct {
		fault   fault.Case
		kind    error
		arrived int
	}{
		{fault.Case{When: fault.Before, Kind: fault.Throttled}, upload.ErrThrottled, 0},
		{fault.Case{When: fault.Before, Kind: fault.ServerError}, upload.ErrUnclear, 0},
		{fault.Case{When: fault.Before, Kind: fault.Timeout}, upload.ErrUnclear, 0},
		{fault.Case{When: fault.Before, Kind: fault.Reset}, upload.ErrUnclear, 0},
		{fault.Case{When: fault.Before, Kind: fault.Denied}, upload.ErrDenied, 0},
		{fault.Case{When: fault.Before, Kind: fault.ResetOnce}, nil, 1},
		{fault.Case{When: fault.After, Kind: fault.Timeout}, upload.ErrUnclear, 3},
		{fault.Case{When: fault.After, Kind: fault.ServerError}, upload.ErrUnclear, 3},
		{fault.Case{When: fault.After, Kind: fault.ResetOnce}, nil, 2},
		{fault.Case{When: fault.After, Kind: fault.Throttled}, upload.ErrThrottled, 1},
		{fault.Case{When: fault.After, Kind: fault.Denied}, upload.ErrDenied, 1},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			cfg, under := wire(t, "DynamoDB.PutItem", c.fault)
			if err := put(t.Context(), cfg); err != nil || len(under.bodies) != 1 { // nobody's call passes
				t.Fatalf("%v, %d requests arrived", err, len(under.bodies))
			}
			err := put(fault.As(t.Context(), "worker"), cfg)
			if c.kind == nil && err != nil || !errors.Is(err, c.kind) {
				t.Errorf("got %v, want %v", err, c.kind)
			}
			if got := len(under.bodies) - 1; got != c.arrived {
				t.Errorf("%d attempts arrived, want %d", got, c.arrived)
			}
			if err := put(fault.As(t.Context(), "worker"), cfg); err != nil {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}

func TestADeadCallersRequestsDoNotArriveAndAreNotRepeated(t *testing.T) {
	cfg, under := wire(t, "DynamoDB.PutItem", fault.Case{When: fault.After, Kind: fault.Death})
	for range 2 {
		if err := put(fault.As(t.Context(), "worker"), cfg); err == nil {
			t.Error("the dead are answered")
		}
	}
	if len(under.bodies) != 1 {
		t.Errorf("%d requests arrived", len(under.bodies))
	}
}

// The service itself is to refuse it, so that the answer shows the item.
func TestAConditionThatFailsIsAskedOfTheService(t *testing.T) {
	cfg, under := wire(t, "DynamoDB.PutItem", fault.Case{When: fault.Before, Kind: fault.Condition})
	if err := put(fault.As(t.Context(), "worker"), cfg); err != nil {
		t.Fatal(err)
	}
	if len(under.bodies) != 1 || !strings.Contains(under.bodies[0], "(attribute_not_exists(pk)) AND attribute_exists(nobody_has_this)") {
		t.Errorf("sent %q", under.bodies)
	}
}

// Half of a delete is done in one request, and every key is answered for as
// the kind says.
func TestAPartOfADeleteIsDoneAndTheAnswerSaysWhich(t *testing.T) {
	for _, c := range []struct {
		kind            fault.Kind
		sent            string // the last key that arrives
		deleted, errors int
		code            string
		err             error
	}{
		{fault.PartThrottled, "k2", 2, 2, "SlowDown", nil},
		{fault.PartDenied, "k2", 2, 2, "AccessDenied", nil},
		{fault.PartUnnamed, "k4", 2, 0, "", nil},
		{fault.PartTimeout, "k2", 0, 0, "", upload.ErrUnclear},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			cfg, under := wire(t, "S3.DeleteObjects", fault.Case{When: fault.During, Kind: c.kind})
			in := &s3types.Delete{}
			for _, key := range []string{"k1", "k2", "k3", "k4"} {
				in.Objects = append(in.Objects, s3types.ObjectIdentifier{Key: aws.String(key), VersionId: aws.String("v")})
			}
			out, err := awsconf.S3(cfg, func(o *s3.Options) { o.Retryer = aws.NopRetryer{} }).DeleteObjects(
				fault.As(t.Context(), "worker"), &s3.DeleteObjectsInput{Bucket: aws.String("b"), Delete: in})
			if err = awsconf.Kind(err); !errors.Is(err, c.err) {
				t.Fatalf("got %v, want %v", err, c.err)
			}
			if err == nil && (len(out.Deleted) != c.deleted || len(out.Errors) != c.errors) {
				t.Errorf("%d deleted, %d errors", len(out.Deleted), len(out.Errors))
			}
			if c.errors > 0 && aws.ToString(out.Errors[0].Code) != c.code {
				t.Errorf("code %s", aws.ToString(out.Errors[0].Code))
			}
			last := under.bodies[0][strings.LastIndex(under.bodies[0], "<Key>")+len("<Key>"):]
			if len(under.bodies) != 1 || !strings.HasPrefix(last, c.sent) {
				t.Errorf("sent %q", under.bodies)
			}
		})
	}
}

func TestAPartOfABatchIsSentAndTheRestIsBlamedOnTheSender(t *testing.T) {
	cfg, under := wire(t, "SQS.SendMessageBatch", fault.Case{When: fault.During, Kind: fault.PartRefused})
	in := &sqs.SendMessageBatchInput{QueueUrl: aws.String("http://queue")}
	for _, id := range []string{"0", "1", "2", "3"} {
		in.Entries = append(in.Entries, sqstypes.SendMessageBatchRequestEntry{Id: aws.String(id), MessageBody: aws.String("body " + id)})
	}
	out, err := awsconf.SQS(cfg).SendMessageBatch(fault.As(t.Context(), "worker"), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Failed) != 2 || aws.ToString(out.Failed[0].Id) != "2" || !out.Failed[0].SenderFault {
		t.Errorf("refused %+v", out.Failed)
	}
	if len(under.bodies) != 1 || !strings.Contains(under.bodies[0], "body 1") || strings.Contains(under.bodies[0], "body 2") {
		t.Errorf("sent %q", under.bodies)
	}
}

func TestAReadThatIsCutOffSaysThatThereIsMore(t *testing.T) {
	cfg, _ := wire(t, "DynamoDB.BatchGetItem", fault.Case{When: fault.During, Kind: fault.Cut})
	items, err := awsconf.DynamoDB(cfg).BatchGetItem(fault.As(t.Context(), "worker"), &dynamodb.BatchGetItemInput{
		RequestItems: map[string]ddb.KeysAndAttributes{"ledger": {Keys: []map[string]ddb.AttributeValue{{"pk": &ddb.AttributeValueMemberS{Value: "a"}}}}},
	})
	if err != nil || len(items.UnprocessedKeys["ledger"].Keys) != 1 {
		t.Errorf("%+v, %v", items, err)
	}
	cfg, _ = wire(t, "S3.ListObjectVersions", fault.Case{When: fault.During, Kind: fault.Cut})
	page, err := awsconf.S3(cfg).ListObjectVersions(fault.As(t.Context(), "worker"), &s3.ListObjectVersionsInput{Bucket: aws.String("b")})
	if err != nil || !aws.ToBool(page.IsTruncated) || page.NextKeyMarker != nil {
		t.Errorf("%+v, %v", page, err)
	}
}
