//go:build infra

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

const localOrders = localPrefix + "-orders"

// applicationTable makes a table of an application, whose rows can be asked for
// by what they name, and returns what the deployment is told of it.
func applicationTable(t *testing.T) []string {
	t.Helper()
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
	}
	key := func(name string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: aws.String(name), KeyType: types.KeyTypeHash}}
	}
	made, err := awsconf.DynamoDB(localstacktest.Config(t)).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(localOrders), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{attribute("id"), attribute("image")}, KeySchema: key("id"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("by-image"), KeySchema: key("image"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	})
	must(t, err)
	file := filepath.Join(t.TempDir(), "sources.json")
	must(t, os.WriteFile(file, []byte(`[{"name":"orders","table":"`+localOrders+`","tenant":"acme","bucket":"`+localBucket+`",`+
		`"paths":{"key":"image","version":"version"},"index":{"name":"by-image","attribute":"image","holds":"key"}}]`), 0o600))
	return []string{"-c", "strandline:sources=" + file, "-c", "strandline:streams=" + localOrders + "=" + aws.ToString(made.TableDescription.LatestStreamArn)}
}

// confirmsAPresignedPut has somebody without credentials put an object, of which
// the application hears nothing: the bucket tells, and the recorder's own binary
// completes the upload.
//
// The deployed bucket tells EventBridge. The emulator leaves the version out of
// that event, as S3 does not; so the bucket also tells the stored queue by
// itself, as docs/deploy.md has it for those without EventBridge.
func (i *installation) confirmsAPresignedPut(endpoint string) {
	i.t.Helper()
	ctx := i.t.Context()
	client := awsconf.S3(i.cloud)
	_, err := client.PutBucketNotificationConfiguration(ctx, &awss3.PutBucketNotificationConfigurationInput{
		Bucket: aws.String(localBucket),
		NotificationConfiguration: &s3types.NotificationConfiguration{
			EventBridgeConfiguration: &s3types.EventBridgeConfiguration{},
			QueueConfigurations: []s3types.QueueConfiguration{{
				QueueArn: aws.String("arn:aws:sqs:us-east-1:000000000000:" + localPrefix + "-stored"), Events: []s3types.Event{"s3:ObjectCreated:*"},
			}},
		},
	})
	must(i.t, err)
	app, err := intake.New(intake.Config{Records: i.ledger, Lookups: i.ledger, Objects: i.store, Policy: i.policy, Now: time.Now})
	must(i.t, err)
	session, err := app.Reserve(ctx, intake.Request{
		Tenant: "acme", Owner: "ann", Holder: "browser", Lease: time.Minute, Bucket: localBucket, Prefix: "up", Chunks: 1, ByEvents: true,
	})
	must(i.t, err)
	body := []byte("a picture, let us say")
	sum := sha256.Sum256(body)
	url, err := session.Presign(ctx, intake.Chunk{Seq: 1, Size: int64(len(body)), SHA256: sum[:]}, time.Minute)
	must(i.t, err)
	request, err := http.NewRequestWithContext(ctx, url.Method, url.URL, bytes.NewReader(body))
	must(i.t, err)
	request.Header = url.Header.Clone()
	answer, err := i.cloud.HTTPClient.Do(request)
	must(i.t, err)
	must(i.t, answer.Body.Close())
	if answer.StatusCode != http.StatusOK {
		i.t.Fatalf("the presigned put is answered with %s", answer.Status)
	}
	await(i.t, 90*time.Second, "the recorder completes the upload", func() bool { return i.state(session.ID()).State == upload.StateComplete })
	await(i.t, 90*time.Second, "the event came by EventBridge too, and is counted", func() bool {
		said := i.said(endpoint, "RecorderLogs", "SkippedEvents")
		return strings.Contains(said, "no version") || strings.Contains(said, "recorded already")
	})
}

// relaysARowThatGoes deletes two rows that name one object, one after the other:
// the stream, the relay's own binary, the ledger, a pass and a worker. The
// object stays as long as a row names it.
func (i *installation) relaysARowThatGoes(endpoint string) {
	i.t.Helper()
	ctx := i.t.Context()
	const key = "photos/17.jpg"
	before := i.standing()
	sum := sha256.Sum256([]byte("data"))
	stored, err := i.store.Put(ctx, localBucket, key, bytes.NewReader([]byte("data")), objects.Content{Size: 4, SHA256: sum[:]})
	must(i.t, err)
	for _, id := range []string{"a", "b"} {
		i.row(id, key, stored.VersionID)
	}
	i.removeRow("a")
	dropped := i.released(1)
	i.age(dropped[0])
	i.fire(endpoint, "pass")
	await(i.t, 90*time.Second, "the worker drops the release: another row names the object", func() bool {
		return strings.Contains(i.said(endpoint, "WorkerLogs", "SkippedMessages"), "release dropped")
	})
	if n := i.standing(); n != before+1 {
		i.t.Fatalf("%d versions stand: a row names one of them, and it went", n)
	}
	i.removeRow("b")
	for _, r := range i.released(2) {
		if r.ID != dropped[0].ID {
			i.age(r)
		}
	}
	i.fire(endpoint, "pass")
	await(i.t, 90*time.Second, "the object goes", func() bool { return i.standing() == before })
}

func (i *installation) row(id, image, version string) {
	i.t.Helper()
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	_, err := awsconf.DynamoDB(i.cloud).PutItem(i.t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String(localOrders), Item: map[string]types.AttributeValue{"id": text(id), "image": text(image), "version": text(version)},
	})
	must(i.t, err)
}

func (i *installation) removeRow(id string) {
	i.t.Helper()
	_, err := awsconf.DynamoDB(i.cloud).DeleteItem(i.t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(localOrders), Key: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}},
	})
	must(i.t, err)
}

// released waits for so many records of releases, and returns them.
func (i *installation) released(n int) (all []upload.Record) {
	i.t.Helper()
	await(i.t, 90*time.Second, fmt.Sprintf("the relay writes release %d", n), func() bool {
		out, err := awsconf.DynamoDB(i.cloud).Scan(i.t.Context(), &dynamodb.ScanInput{
			TableName: aws.String(localPrefix + "-ledger"), ConsistentRead: aws.Bool(true), FilterExpression: aws.String("contains(pk, :p)"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":p": &types.AttributeValueMemberS{Value: "#U#release-"}},
		})
		must(i.t, err)
		all = nil
		for _, item := range out.Items {
			_, name, _ := strings.Cut(item["pk"].(*types.AttributeValueMemberS).Value, "#U#")
			all = append(all, i.state(upload.ID{Tenant: "acme", Upload: name}))
		}
		return len(all) == n
	})
	return all
}

// age lets a release's grace be over: it was due the day before. No event of the
// protocol moves a due to an earlier day.
func (i *installation) age(r upload.Record) {
	i.t.Helper()
	client, key := awsconf.DynamoDB(i.cloud), map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "T#" + r.Tenant + "#U#" + r.Upload}, "sk": &types.AttributeValueMemberS{Value: "#"},
	}
	out, err := client.GetItem(i.t.Context(), &dynamodb.GetItemInput{TableName: aws.String(localPrefix + "-ledger"), Key: key})
	must(i.t, err)
	due := out.Item["due_at"].(*types.AttributeValueMemberS).Value
	was := due[:len(time.DateOnly)]
	day, err := time.Parse(time.DateOnly, was)
	must(i.t, err)
	_, err = client.UpdateItem(i.t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(localPrefix + "-ledger"), Key: key, UpdateExpression: aws.String("SET due_at = :d"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":d": &types.AttributeValueMemberS{Value: day.AddDate(0, 0, -1).Format(time.DateOnly) + strings.TrimPrefix(due, was)},
		},
	})
	must(i.t, err)
}

// said are the lines of a function's log that hold the text.
func (i *installation) said(endpoint, group, text string) string {
	i.t.Helper()
	var said strings.Builder
	for _, line := range i.lines(endpoint, group) {
		if strings.Contains(line, text) {
			said.WriteString(line + "\n")
		}
	}
	return said.String()
}
