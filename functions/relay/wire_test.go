package relay_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/functions/relay"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

// The function as it is deployed: its configuration, its clients, the queue of
// its dead letters.
func TestTheRelayOverTheWireAdoptsAndParks(t *testing.T) {
	cloud := localstacktest.Config(t)
	in, err := schema.New("rly-"+strings.ToLower(rand.Text()[:10]), policy.Default(), "uploads")
	must(t, err)
	made, err := create.Create(t.Context(), create.For(cloud), in)
	must(t, err)
	must(t, made.KeepExpired(t.Context()))
	bucket := in.Buckets[0].Name
	cfg, err := relay.FromEnv(environ(map[string]string{
		"STRANDLINE_TABLE": in.Ledger.Name, "STRANDLINE_RELEASES_DEAD_URL": made.ReleasesDeadURL, "STRANDLINE_LOG_LEVEL": "error",
		"STRANDLINE_SOURCES": `[{"name":"photos","table":"app-photos","bucket":"` + bucket + `","tenant":"acme","paths":{"url":"url"}}]`,
	}))
	must(t, err)
	app, err := relay.New(cfg, cloud)
	must(t, err)
	put, err := awsconf.S3(cloud).PutObject(t.Context(), &awss3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String("a b+c.jpg"), Body: strings.NewReader("one"),
	})
	must(t, err)
	version := aws.ToString(put.VersionId)

	record := func(id, url string) map[string]any {
		return map[string]any{
			"eventID": id, "eventName": "REMOVE", "eventSource": "aws:dynamodb",
			"eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/app-photos/stream/2026-11-30T20:42:06.000",
			"dynamodb": map[string]any{
				"SequenceNumber": "10000000000000000000" + id, "ApproximateCreationDateTime": time.Now().Unix(),
				"Keys": map[string]any{"id": map[string]any{"S": id}}, "OldImage": map[string]any{"url": map[string]any{"S": url}},
			},
		}
	}
	event, err := json.Marshal(map[string]any{"Records": []any{
		record("1", "https://"+bucket+".s3.amazonaws.com/a%20b%2Bc.jpg?versionId="+version),
		record("2", "https://"+bucket+".s3.amazonaws.com/a+b.jpg"),
	}})
	must(t, err)
	for range 2 { // a batch comes twice
		answer, err := app.Handle(t.Context(), event)
		must(t, err)
		if len(answer.Failures) != 0 {
			t.Errorf("not done: %v", answer.Failures)
		}
	}

	ledger := ledgers.New(awsconf.DynamoDB(cloud), in.Ledger.Name)
	r, err := ledger.Load(t.Context(), release.RecordID("acme", "photos", "1", source.Object{Bucket: bucket, Key: "a b+c.jpg", VersionID: version}))
	must(t, err)
	if r.State != upload.StateCancelled || r.Version != 1 || len(r.Manifest.Explicit) != 1 || r.Manifest.Explicit[0].VersionID != version {
		t.Errorf("the record is %+v", r)
	}
	letters, err := sqs.NewLetters(awsconf.SQS(cloud), made.ReleasesDeadURL).Receive(t.Context(), 10, 5*time.Second, time.Minute)
	must(t, err)
	if len(letters) == 0 {
		t.Fatal("nothing was parked")
	}
	if l := letters[0]; l.Source != "photos" || l.OriginalID != "100000000000000000002" || !strings.Contains(l.Reason, "plus sign") {
		t.Errorf("the letter is %+v", l)
	}
	state, err := release.ReadState(t.Context(), ledger, "photos")
	must(t, err)
	if state.LastEvent.IsZero() || state.ParkedWhy == "" {
		t.Errorf("the source's state is %+v", state)
	}
}
