package create

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
)

// losing sends every request and loses the answer to the first that matches.
type losing struct {
	match func(*http.Request) bool
	lost  atomic.Bool
}

func (l *losing) Do(r *http.Request) (*http.Response, error) {
	r.Close = true // the emulator breaks kept connections by itself
	answer, err := http.DefaultClient.Do(r)
	if err != nil || !l.match(r) || l.lost.Swap(true) {
		return answer, err
	}
	answer.Body.Close()
	return nil, errors.New("connection reset by peer")
}

func action(name string) func(*http.Request) bool {
	return func(r *http.Request) bool { return strings.HasSuffix(r.Header.Get("X-Amz-Target"), "."+name) }
}

// Without looking first, the SDK's repetition of a creation whose answer was
// lost finds its own table and takes it for somebody else's.
func TestACreationOrDeletionWhoseAnswerWasLostIsOurs(t *testing.T) {
	for _, name := range []string{"CreateTable", "CreateQueue", "UpdateTimeToLive", "DeleteTable", "DeleteQueue"} {
		t.Run(name, func(t *testing.T) {
			cfg := awsconf.ForEndpoint(localstacktest.Endpoint(t))
			loses := &losing{match: action(name)}
			cfg.HTTPClient = loses
			c, in := For(cfg), installation(t, "lost-"+strings.ToLower(name))
			made := create(t, c, in)
			if err := made.Delete(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !loses.lost.Load() {
				t.Errorf("no answer to %s was lost", name)
			}
			if exists, err := made.tableExists(t.Context(), in.Ledger.Name); exists || err != nil {
				t.Errorf("table stands: %t, %v", exists, err)
			}
		})
	}
}

func TestATableWhoseCreationWasBrokenOffIsFinished(t *testing.T) {
	c, in := clients(t), installation(t, "halfway")
	if _, err := c.DynamoDB.CreateTable(t.Context(), describe(in.Ledger)); made(err) != nil {
		t.Fatal(err)
	}
	create(t, c, in)
	out, err := c.DynamoDB.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(in.Ledger.Name)})
	if err != nil || aws.ToString(out.TimeToLiveDescription.AttributeName) == "" {
		t.Errorf("time to live: %+v, %v", out, err)
	}
}

func TestWhatHasExpiredIsKeptWhereThatIsAskedFor(t *testing.T) {
	c, in := clients(t), installation(t, "expired")
	status := func() string {
		out, err := c.DynamoDB.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(in.Ledger.Name)})
		if err != nil {
			t.Fatal(err)
		}
		return string(out.TimeToLiveDescription.TimeToLiveStatus)
	}
	m := create(t, c, in)
	if got := status(); got != "ENABLED" {
		t.Errorf("the time to live is %s", got)
	}
	if err := m.KeepExpired(t.Context()); err != nil || status() != "DISABLED" {
		t.Errorf("the time to live is %s, %v", status(), err)
	}
}
