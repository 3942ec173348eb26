package installation_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
)

// application has a table of its own, whose rows name objects by key and
// version, and an index of the keys.
type application struct {
	w       *world
	table   string
	rows    map[string]source.Row
	changes int
	client  *dynamodb.Client // nil in memory
}

// photosIn describes the table. The rows say their bucket themselves: that of an
// installation on the wire has a name of its own.
func photosIn(table string) source.Source {
	return source.Source{
		Name: "photos", Table: table, Tenant: tenant,
		Paths: source.Paths{Key: "photo", Version: "version", Bucket: "bucket"},
		Index: &source.Index{Name: "by-photo", Attribute: "photo", Holds: source.HoldsKey},
	}
}

func newApplication(t *testing.T, w *world, table string) *application {
	t.Helper()
	a := &application{w: w, table: table, rows: map[string]source.Row{}}
	switch h := w.hands.(type) {
	case memoryHands:
		h.Tables.Create(table, []string{"id"}, map[string]string{"by-photo": "photo"})
	case wireHands:
		a.client = awsconf.DynamoDB(h.Config)
		a.create(t)
	}
	return a
}

func (a *application) create(t *testing.T) {
	t.Helper()
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
	}
	key := func(name string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: aws.String(name), KeyType: types.KeyTypeHash}}
	}
	_, err := a.client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(a.table), BillingMode: types.BillingModePayPerRequest, KeySchema: key("id"),
		AttributeDefinitions: []types.AttributeDefinition{attribute("id"), attribute("photo")},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("by-photo"), KeySchema: key("photo"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	})
	var exists *types.ResourceInUseException // its own creation, repeated by the SDK
	if err != nil && !errors.As(err, &exists) {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := a.client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: aws.String(a.table)})
		var gone *types.ResourceNotFoundException
		if err != nil && !errors.As(err, &gone) {
			t.Error(err)
		}
	})
}

// put writes the row that names an object, and returns what the stream tells.
func (a *application) put(t *testing.T, id, key, version string) release.Change {
	t.Helper()
	row := source.Row{"id": id, "photo": key, "bucket": a.w.Bucket}
	if version != "" {
		row["version"] = version
	}
	if a.client == nil {
		a.w.hands.(memoryHands).Tables.Put(a.table, maps.Clone(row))
	} else {
		item, err := attributevalue.MarshalMap(map[string]any(row))
		must(t, err)
		_, err = a.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(a.table), Item: item})
		must(t, err)
	}
	c := a.change(id, release.Modify)
	if c.New = row; c.Old == nil {
		c.Event = release.Insert
	}
	a.rows[id] = row
	return c
}

// remove takes the row away.
func (a *application) remove(t *testing.T, id string) release.Change {
	t.Helper()
	if a.client == nil {
		a.w.hands.(memoryHands).Tables.Delete(a.table, source.Row{"id": id})
	} else {
		_, err := a.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: aws.String(a.table), Key: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}},
		})
		must(t, err)
	}
	c := a.change(id, release.Remove)
	delete(a.rows, id)
	return c
}

func (a *application) change(id, event string) release.Change {
	a.changes++
	return release.Change{
		ID: "e-" + strconv.Itoa(a.changes), Event: event, At: a.w.Clock.Now(), Keys: source.Row{"id": id}, Old: a.rows[id],
	}
}

// tell brings changes to the relay, and expects all of them done.
func (a *application) tell(t *testing.T, changes ...release.Change) {
	t.Helper()
	again, err := a.w.Changed(t.Context(), a.table, changes...)
	must(t, err)
	if len(again) > 0 {
		t.Errorf("the relay wants again: %v", again)
	}
}

// passes lets a second or more pass on the clocks of everybody, the store's too.
func (w *world) passes(t *testing.T) {
	t.Helper()
	const d = 1100 * time.Millisecond
	if !w.wire {
		w.Clock.Advance(d)
		return
	}
	time.Sleep(d)
}

// wantStands expects that a version stands.
func (w *world) wantStands(t *testing.T, key, version string) {
	t.Helper()
	if _, err := w.Stores.Objects.Stat(t.Context(), w.Bucket, key, version); err != nil {
		t.Errorf("version %s of %s: %v", version, key, err)
	}
}

// purged lets the grace go by, and makes a pass with these numbers and what the
// workers do about it.
func (w *world) purged(t *testing.T, published int) {
	t.Helper()
	w.Clock.Advance(time.Hour)
	if published > 0 {
		w.wantPass(t, fmt.Sprintf("published %d", published))
	} else {
		w.wantPass(t)
	}
	w.drain(t)
}
