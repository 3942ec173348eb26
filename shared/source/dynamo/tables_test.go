package dynamo_test

import (
	"encoding/json"
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
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/source/dynamo"
	"github.com/strandline-dev/strandline/shared/source/sourcetest"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

func TestTablesInDynamoDBAnswerAsTablesDo(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Stage { return newScene(t).Stage })
}

// scene is a table over a connection that can be listened to.
type scene struct {
	sourcetest.Stage
	wire *wire
}

// wire counts the calls, and lets something happen before one.
type wire struct {
	next   aws.HTTPClient
	calls  []string
	before map[string]func() // once, by the call's name
}

func (w *wire) Do(r *http.Request) (*http.Response, error) {
	_, call, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	w.calls = append(w.calls, call)
	if do := w.before[call]; do != nil {
		delete(w.before, call)
		do()
	}
	return w.next.Do(r)
}

var made atomic.Int64

func newScene(t *testing.T) *scene {
	t.Helper()
	cfg := localstacktest.Config(t)
	writer := awsconf.DynamoDB(cfg)
	w := &wire{next: cfg.HTTPClient, before: map[string]func(){}}
	cfg.HTTPClient = w
	name := fmt.Sprintf("rows-%d-%d", time.Now().UnixNano(), made.Add(1))
	create(t, writer, name)
	return &scene{wire: w, Stage: sourcetest.Stage{
		Tables: dynamo.New(awsconf.DynamoDB(cfg)), Table: name,
		Put: func(t *testing.T, row source.Row) {
			t.Helper()
			_, err := writer.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(name), Item: itemOf(row)})
			must(t, err)
		},
		Delete: func(t *testing.T, keys source.Row) {
			t.Helper()
			_, err := writer.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(name), Key: itemOf(keys)})
			must(t, err)
		},
	}}
}

func create(t *testing.T, client *dynamodb.Client, name string) {
	t.Helper()
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
	}
	key := func(name string, kind types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: aws.String(name), KeyType: kind}
	}
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{attribute("id"), attribute("part"), attribute("photo")},
		KeySchema:            []types.KeySchemaElement{key("id", types.KeyTypeHash), key("part", types.KeyTypeRange)},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("by-photo"), KeySchema: []types.KeySchemaElement{key("photo", types.KeyTypeHash)},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	})
	// The name is new: "exists" is our own creation, repeated by the SDK.
	var exists *types.ResourceInUseException
	if err != nil && !errors.As(err, &exists) {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func itemOf(row map[string]any) map[string]types.AttributeValue {
	item := map[string]types.AttributeValue{}
	for name, v := range row {
		item[name] = valueOf(v)
	}
	return item
}

func valueOf(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case json.Number:
		return &types.AttributeValueMemberN{Value: v.String()}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case []byte:
		return &types.AttributeValueMemberB{Value: v}
	case []string:
		return &types.AttributeValueMemberSS{Value: v}
	case map[string]any:
		return &types.AttributeValueMemberM{Value: itemOf(v)}
	case []any:
		list := &types.AttributeValueMemberL{}
		for _, e := range v {
			list.Value = append(list.Value, valueOf(e))
		}
		return list
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

func (s *scene) find(t *testing.T, of source.Source, value string) (n int) {
	t.Helper()
	for _, err := range s.Tables.Find(t.Context(), of, value) {
		must(t, err)
		n++
	}
	return n
}

func photoOf(id string) source.Row {
	return source.Row{"id": id, "part": "a", "photo": "photos/17.jpg"}
}

// An index lags. A row that was deleted while it still shows is no row: taken
// for one, the release of the last row would be dropped, and its object stay for
// ever.
func TestARowThatTheIndexStillShowsAndIsGoneIsNone(t *testing.T) {
	s := newScene(t)
	s.Put(t, photoOf("17"))
	s.wire.before["GetItem"] = func() { s.Delete(t, source.Row{"id": "17", "part": "a"}) }
	if n := s.find(t, s.Source(), "photos/17.jpg"); n != 0 {
		t.Errorf("%d rows are found", n)
	}
}

// Only the table itself says what a row is now; and an index of keys alone does
// not even have the attribute that names the bucket.
func TestARowIsReadConsistentlyOnceMore(t *testing.T) {
	s := newScene(t)
	s.Put(t, photoOf("17"))
	s.wire.before["GetItem"] = func() {
		changed := photoOf("17")
		changed["photo"] = "photos/new.jpg"
		s.Put(t, changed)
	}
	for row, err := range s.Tables.Find(t.Context(), s.Source(), "photos/17.jpg") {
		must(t, err)
		if row.Row["photo"] != "photos/new.jpg" {
			t.Errorf("the row is %v", row.Row)
		}
	}
}

// Describing a table is a call of the control plane, of which an account has
// few: with one for each object they run out.
func TestATablesKeyIsAskedForOnce(t *testing.T) {
	s := newScene(t)
	s.Put(t, photoOf("17"))
	for range 3 {
		s.find(t, s.Source(), "photos/17.jpg")
	}
	if got, want := strings.Join(s.wire.calls, " "), "DescribeTable Query GetItem Query GetItem Query GetItem"; got != want {
		t.Errorf("calls are %s, want %s", got, want)
	}
	s.wire.calls = nil
	s.find(t, s.Own(), "17")
	if got := strings.Join(s.wire.calls, " "); got != "Query" {
		t.Errorf("by the table's own key, calls are %s", got)
	}
}

func TestTheSetOfARowIsAList(t *testing.T) {
	s := newScene(t)
	row := photoOf("17")
	row["all"] = []string{"photos/17.jpg", "photos/18.jpg"}
	s.Put(t, row)
	for found, err := range s.Tables.Find(t.Context(), s.Source(), "photos/17.jpg") {
		must(t, err)
		if all, ok := found.Row["all"].([]any); !ok || len(all) != 2 {
			t.Errorf("the set is %#v", found.Row["all"])
		}
	}
}
