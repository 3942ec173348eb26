package dynamo_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/gate/dynamo"
	"github.com/strandline-dev/strandline/shared/gate/gatetest"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

func TestTheGateInDynamoDBIsAGate(t *testing.T) {
	gatetest.Run(t, func(t *testing.T, now func() time.Time) func(gate.Decision) gatetest.Gate {
		table := newTable(t)
		return func(d gate.Decision) gatetest.Gate {
			return dynamo.New(newWire(t).client(), table, "main", now).By(d)
		}
	})
}

var tables atomic.Int64

// newTable makes a table with the ledger's keys.
func newTable(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("gate-%d-%d", time.Now().UnixNano(), tables.Add(1))
	_, err := newWire(t).client().CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:   aws.String(name),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
	})
	// The name is new: "exists" is our own creation, repeated by the SDK because
	// the emulator broke the connection before it answered.
	var exists *types.ResourceInUseException
	if err != nil && !errors.As(err, &exists) {
		t.Fatal(err)
	}
	return name
}

// wire is the way of one process to the emulator, on which a test can count
// requests, and act around them.
type wire struct {
	endpoint string
	http     aws.HTTPClient
	writes   int
	reads    int
	// before and after run at the next write; after has the answer lost.
	before, after func()
}

func newWire(t *testing.T) *wire {
	t.Helper()
	return &wire{
		endpoint: localstacktest.Endpoint(t),
		http:     localstacktest.Config(t).HTTPClient,
	}
}

func (w *wire) client() *dynamodb.Client {
	cfg := awsconf.ForEndpoint(w.endpoint)
	cfg.HTTPClient = w
	return awsconf.DynamoDB(cfg)
}

// Do sends one request, each of the SDK's attempts by itself.
func (w *wire) Do(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".UpdateItem") {
		w.reads++
		return w.http.Do(r)
	}
	w.writes++
	before, after := w.before, w.after
	w.before, w.after = nil, nil
	if before != nil {
		before()
	}
	answer, err := w.http.Do(r)
	if err != nil || after == nil {
		return answer, err
	}
	answer.Body.Close()
	after()
	return nil, fmt.Errorf("connection broke after the request was done")
}
