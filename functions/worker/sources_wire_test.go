package worker_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// The function as it is deployed, from the variable on: told of a source, it asks
// the rows. Composed without what asks them, every
// test of the engine would pass, and shared objects would go.
func TestWireTheDeployedWorkerAsksTheRowsOfItsSources(t *testing.T) {
	w := newWire(t)
	table := w.rows()
	w.ahead = -2 * time.Hour // so that what is adopted is due by the machine's clock
	named, free := w.adopted("photos/1.jpg"), w.adopted("photos/2.jpg")
	w.ahead = 0
	w.row(table, "17", "photos/1.jpg")
	w.cfg.Sources = []source.Source{{
		Name: "orders", Table: table, Bucket: w.bucket, Tenant: "acme", Paths: source.Paths{Key: "photo"},
		Index: &source.Index{Attribute: "photo", Holds: source.HoldsKey},
	}}
	app, err := worker.New(w.cfg, w.cloud)
	must(t, err)
	w.send(named, free)
	if left := w.handle(app, w.receive(2)); len(left) != 0 {
		t.Fatalf("%d messages are left", len(left))
	}
	if r := w.wantState(named.ID, upload.StateDeleted); !r.Withdrawn() {
		t.Error("what a row names was deleted")
	}
	if keys := w.standing(); len(keys) != 1 || keys[0] != "photos/1.jpg" {
		t.Errorf("%d versions stand, want the one that a row names", len(keys))
	}
}

// rows makes an application's table, whose key names a photo.
func (w *wire) rows() string {
	w.t.Helper()
	name, client := aws.String(w.cfg.Table+"-orders"), awsconf.DynamoDB(w.cloud)
	_, err := client.CreateTable(w.t.Context(), &dynamodb.CreateTableInput{
		TableName: name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("photo"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("photo"), KeyType: types.KeyTypeHash}},
	})
	must(w.t, err)
	return *name
}

func (w *wire) row(table, id, photo string) {
	w.t.Helper()
	_, err := awsconf.DynamoDB(w.cloud).PutItem(w.t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String(table), Item: map[string]types.AttributeValue{
			"id": &types.AttributeValueMemberS{Value: id}, "photo": &types.AttributeValueMemberS{Value: photo},
		},
	})
	must(w.t, err)
}

// adopted is the release of an object that was not uploaded through us.
func (w *wire) adopted(key string) upload.Record {
	w.t.Helper()
	stored := w.put(key)
	facts, err := w.store.Stat(w.t.Context(), w.bucket, key, stored.VersionID)
	must(w.t, err)
	id := upload.ID{Tenant: "acme", Upload: "release-" + stored.VersionID}
	return w.apply(id, upload.Adopt{ID: id, Source: "relay/orders", Objects: []upload.Explicit{{
		Bucket: w.bucket, Key: key, VersionID: stored.VersionID, ETag: facts.ETag, Size: facts.Size, LastModified: facts.LastModified,
	}}})
}
