package meter_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/meter"
)

// answers are given in turn, whatever is asked.
type answers []answer

type answer struct {
	status int
	body   string
}

func (a *answers) Do(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	next := (*a)[0]
	*a = (*a)[1:]
	return &http.Response{
		StatusCode: next.status, Header: http.Header{}, Request: r,
		Body: io.NopCloser(strings.NewReader(next.body)), ContentLength: int64(len(next.body)),
	}, nil
}

func metered(a ...answer) (*meter.Meter, aws.Config) {
	m, canned := &meter.Meter{}, answers(a)
	cfg := awsconf.ForEndpoint("http://127.0.0.1:1")
	cfg.HTTPClient = m.Transport(&canned)
	return m, cfg
}

type attributes = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// record is an upload's item of so many bytes, due then or never.
func record(size int, due string) attributes {
	it := attributes{"pk": text("T#a#U#1"), "sk": text("#")}
	if due != "" {
		it["due_at"] = text(due)
		size -= len("due_at") + len(due)
	}
	it["x"] = text(strings.Repeat("x", size-len("pkT#a#U#1")-len("sk#")-1))
	return it
}

func put(t *testing.T, cfg aws.Config, it attributes) {
	t.Helper()
	_, err := awsconf.DynamoDB(cfg).PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("t"), Item: it})
	if err != nil && !strings.Contains(err.Error(), "ConditionalCheckFailed") {
		t.Fatal(err)
	}
}

const refused = `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"no"}`

func TestAWriteIsBilledByTheLargerItemAndByWhatItMovesInTheIndex(t *testing.T) {
	m, cfg := metered(answer{200, "{}"}, answer{200, "{}"}, answer{200, "{}"}, answer{200, "{}"}, answer{400, refused})
	uploads := meter.Call{Service: "DynamoDB", Operation: "PutItem", Of: "T"}
	for _, step := range []struct {
		what          string
		item          attributes
		writes, index float64
	}{
		{"a new one of exactly a KB, due", record(1024, "1"), 2, 1},
		{"a byte more, due later", record(1025, "2"), 4, 2},
		{"small again, due the same", record(500, "2"), 2, 0},
		{"due no more", record(500, ""), 2, 1},
		{"a condition that fails costs what stands there", record(3000, "3"), 1, 0},
	} {
		put(t, cfg, step.item)
		want := meter.Counts{uploads: {Operations: 1, Requests: 1, Items: 1, WriteUnits: step.writes, IndexUnits: step.index}}
		if diff := cmp.Diff(want, m.Take()); diff != "" {
			t.Errorf("%s: %s", step.what, diff)
		}
	}
}

func TestReadsAreBilledByFourKilobytesAndKeysOfNothingToo(t *testing.T) {
	big := `{"pk":{"S":"T#a#U#1"},"sk":{"S":"#"},"x":{"B":"` + strings.Repeat("AAAA", 1400) + `"}}`
	m, cfg := metered(
		answer{200, `{"Responses":{"t":[` + big + `]}}`},
		answer{200, `{"Items":[` + big + `,` + big + `]}`},
		answer{200, "{}"})
	client := awsconf.DynamoDB(cfg)
	keys := []map[string]types.AttributeValue{{"pk": text("T#a#U#1"), "sk": text("#")}, {"pk": text("T#a#U#2"), "sk": text("#")}}
	_, err := client.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"t": {Keys: keys, ConsistentRead: aws.Bool(true)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Query(t.Context(), &dynamodb.QueryInput{TableName: aws.String("t"), IndexName: aws.String("due")})
	if err != nil {
		t.Fatal(err)
	}
	// 4,200 bytes were read above, and remembered.
	put(t, cfg, record(500, ""))
	want := meter.Counts{
		{Service: "DynamoDB", Operation: "BatchGetItem", Of: "T"}: {Operations: 1, Requests: 1, Items: 2, ReadUnits: 3},
		{Service: "DynamoDB", Operation: "Query", Of: "due"}:      {Operations: 1, Requests: 1, Items: 2, ReadUnits: 1.5},
		{Service: "DynamoDB", Operation: "PutItem", Of: "T"}:      {Operations: 1, Requests: 1, Items: 1, WriteUnits: 5},
	}
	if diff := cmp.Diff(want, m.Take()); diff != "" {
		t.Error(diff)
	}
}

func TestATransactionCostsTwiceButNotItsIndex(t *testing.T) {
	m, cfg := metered(answer{200, "{}"})
	_, err := awsconf.DynamoDB(cfg).TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: aws.String("t"), Item: record(1500, "1")}},
			{Update: &types.Update{TableName: aws.String("t"), Key: attributes{"pk": text("T#a#W#o"), "sk": text("#")}, UpdateExpression: aws.String("ADD u :one")}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := meter.Count{Operations: 1, Requests: 1, Items: 2, WriteUnits: 2*2 + 1 + 2, IndexUnits: 1}
	if got := m.Take().Of(func(meter.Call) bool { return true }); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestARepetitionIsARequestAndNoOperation(t *testing.T) {
	m, cfg := metered(answer{500, "{}"}, answer{200, "{}"})
	put(t, cfg, record(100, ""))
	want := meter.Count{Operations: 1, Requests: 2, Items: 1, WriteUnits: 1}
	if got := m.Take().Of(func(meter.Call) bool { return true }); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestVersionsAndMessagesAreCounted(t *testing.T) {
	m, cfg := metered(answer{200, "<DeleteResult></DeleteResult>"}, answer{200, `{"Messages":[{"Body":"1"},{"Body":"2"}]}`}, answer{200, "{}"})
	versions := []s3types.ObjectIdentifier{{Key: aws.String("a"), VersionId: aws.String("1")}, {Key: aws.String("b"), VersionId: aws.String("2")}}
	_, err := awsconf.S3(cfg).DeleteObjects(t.Context(), &s3.DeleteObjectsInput{Bucket: aws.String("b"), Delete: &s3types.Delete{Objects: versions}})
	if err != nil {
		t.Fatal(err)
	}
	var sent []byte
	m.Seen = func(s meter.Sent) { sent = bytes.Clone(s.Body) }
	client, queue := awsconf.SQS(cfg), aws.String("http://127.0.0.1:1/0/purge")
	if _, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: queue}); err != nil {
		t.Fatal(err)
	}
	_, err = client.DeleteMessageBatch(t.Context(), &sqs.DeleteMessageBatchInput{QueueUrl: queue, Entries: []sqstypes.DeleteMessageBatchRequestEntry{
		{Id: aws.String("0"), ReceiptHandle: aws.String("r")}, {Id: aws.String("1"), ReceiptHandle: aws.String("s")}, {Id: aws.String("2"), ReceiptHandle: aws.String("t")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	counts := m.Take()
	for name, items := range map[string]int{"S3.DeleteObjects": 2, "SQS.ReceiveMessage purge": 2, "SQS.DeleteMessageBatch purge": 3} {
		if got := counts.Of(func(c meter.Call) bool { return c.String() == name }); got.Items != items || got.Requests != 1 {
			t.Errorf("%s: got %+v, want %d items in a request", name, got, items)
		}
	}
	if !bytes.Contains(sent, []byte(`"ReceiptHandle":"r"`)) {
		t.Errorf("the request's body was not shown: %s", sent)
	}
}
