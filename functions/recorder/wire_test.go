package recorder_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/strandline-dev/strandline/functions/recorder"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/intake"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

// wire is the function as it is deployed, an application beside it, and a bucket
// that tells a queue of every object, as S3 does.
type wire struct {
	t      *testing.T
	cloud  aws.Config
	config recorder.Config
	app    *recorder.App
	intake *intake.Service
	ledger *ledgers.Store
	bucket string
	queue  string
}

func newWire(t *testing.T) *wire {
	t.Helper()
	cloud := localstacktest.Config(t)
	in, err := schema.New("rcrd-"+strings.ToLower(rand.Text()[:10]), policy.Default(), "uploads")
	must(t, err)
	made, err := create.Create(t.Context(), create.For(cloud), in)
	must(t, err)
	must(t, made.KeepExpired(t.Context()))
	cfg, err := recorder.FromEnv(map[string]string{"STRANDLINE_TABLE": in.Ledger.Name, "STRANDLINE_LOG_LEVEL": "error"})
	must(t, err)
	app, err := recorder.New(cfg, cloud)
	must(t, err)
	w := &wire{
		t: t, cloud: cloud, config: cfg, app: app, bucket: in.Buckets[0].Name, queue: made.StoredURL,
		ledger: ledgers.New(awsconf.DynamoDB(cloud), in.Ledger.Name),
	}
	w.intake, err = intake.New(intake.Config{
		Records: w.ledger, Lookups: w.ledger, Objects: s3.New(awsconf.S3(cloud)), Policy: policy.Default(), Now: time.Now,
	})
	must(t, err)
	w.notify()
	return w
}

// notify has the bucket tell the queue.
func (w *wire) notify() {
	w.t.Helper()
	attributes, err := awsconf.SQS(w.cloud).GetQueueAttributes(w.t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(w.queue), AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	must(w.t, err)
	_, err = awsconf.S3(w.cloud).PutBucketNotificationConfiguration(w.t.Context(), &awss3.PutBucketNotificationConfigurationInput{
		Bucket: aws.String(w.bucket),
		NotificationConfiguration: &s3types.NotificationConfiguration{QueueConfigurations: []s3types.QueueConfiguration{{
			QueueArn: aws.String(attributes.Attributes["QueueArn"]), Events: []s3types.Event{"s3:ObjectCreated:*"},
		}}},
	})
	must(w.t, err)
}

// reserve begins an upload that events complete.
func (w *wire) reserve(chunks int) *intake.Session {
	w.t.Helper()
	s, err := w.intake.Reserve(w.t.Context(), intake.Request{
		Tenant: "ac me+co", Owner: "ann", Holder: "browser", Lease: time.Minute, Bucket: w.bucket, Prefix: "up loads",
		Chunks: chunks, ByEvents: true,
	})
	must(w.t, err)
	return s
}

// send does what was presigned, as a browser does.
func (w *wire) send(p objects.Presigned, body []byte) int {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), p.Method, p.URL, bytes.NewReader(body))
	must(w.t, err)
	req.Header = p.Header.Clone()
	answer, err := w.cloud.HTTPClient.Do(req)
	must(w.t, err)
	must(w.t, answer.Body.Close())
	return answer.StatusCode
}

// deliver hands the queue's messages to the function until it has told of so
// many objects, and deletes what is done.
func (w *wire) deliver(objects int) {
	w.t.Helper()
	client := awsconf.SQS(w.cloud)
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	for objects > 0 {
		out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String(w.queue), MaxNumberOfMessages: 10, WaitTimeSeconds: 1})
		must(w.t, err)
		var batch events.SQSEvent
		for _, m := range out.Messages {
			batch.Records = append(batch.Records, events.SQSMessage{
				MessageId: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body), EventSource: "aws:sqs",
			})
			objects -= strings.Count(aws.ToString(m.Body), "ObjectCreated:")
		}
		if len(batch.Records) == 0 {
			continue
		}
		raw, err := json.Marshal(batch)
		must(w.t, err)
		answer, err := w.app.Handle(w.t.Context(), raw)
		must(w.t, err)
		if left := answer.(events.SQSEventResponse).BatchItemFailures; len(left) != 0 {
			w.t.Fatalf("not done are %v", left)
		}
		for _, m := range out.Messages {
			_, err := client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: aws.String(w.queue), ReceiptHandle: m.ReceiptHandle})
			must(w.t, err)
		}
	}
}

func (w *wire) wantState(s *intake.Session, want upload.State) upload.Record {
	w.t.Helper()
	r, err := w.ledger.Load(w.t.Context(), s.ID())
	must(w.t, err)
	if r.State != want {
		w.t.Errorf("the upload is %s (%s), want %s", r.State, r.Reason, want)
	}
	return r
}

func sumOf(body []byte) []byte {
	sum := sha256.Sum256(body)
	return sum[:]
}

// A browser puts one object whole and one in parts, straight into the bucket;
// what completes the upload is what the bucket tells of it.
func TestUploadByPresignedURLsIsCompletedByWhatTheBucketTells(t *testing.T) {
	w := newWire(t)
	s := w.reserve(2)
	whole := []byte("a thumbnail")
	one, err := s.Presign(t.Context(), intake.Chunk{Seq: 1, Size: int64(len(whole)), SHA256: sumOf(whole), Type: "image/png"}, time.Minute)
	must(t, err)
	bodies := [][]byte{bytes.Repeat([]byte("film "), objects.MinPartBytes/5+1), []byte("the end")}
	var parts []objects.Part
	for i, body := range bodies {
		parts = append(parts, objects.Part{Number: i + 1, Size: int64(len(body)), SHA256: sumOf(body)})
	}
	many, err := s.PresignMultipart(t.Context(), intake.PartedChunk{Seq: 2, Type: "video/mp4", Parts: parts}, time.Minute)
	must(t, err)

	codes := []int{w.send(one, whole), w.send(many[1], bodies[1]), w.send(many[0], bodies[0])}
	if !slices.Equal(codes, []int{200, 200, 200}) {
		t.Fatalf("the puts are answered with %v", codes)
	}
	w.deliver(1)
	w.wantState(s, upload.StateReceiving)
	if twice := w.send(one, whole); twice != http.StatusPreconditionFailed {
		t.Errorf("the URL works twice: %d", twice)
	}
	_, err = s.CompleteMultipart(t.Context(), 2)
	must(t, err)
	w.deliver(1)
	r := w.wantState(s, upload.StateComplete)
	for i, size := range []int64{int64(len(whole)), int64(len(bodies[0]) + len(bodies[1]))} {
		o := r.Manifest.Object(upload.Key{Attempt: 1, Seq: i + 1})
		if !r.Manifest.Listed(o.Key) || o.VersionID == "" || o.Size != size || o.Checksum != o.Expected.Checksum || o.Checksum == "" {
			t.Errorf("object %d is %+v", i+1, o)
		}
	}
}

// Somebody with rights of his own puts something else under the key: what was
// stated is compared with what stands, and the upload is cancelled.
func TestSomethingElseUnderAPresignedKeyCancelsTheUpload(t *testing.T) {
	w := newWire(t)
	s := w.reserve(1)
	said := []byte("a thumbnail")
	url, err := s.Presign(t.Context(), intake.Chunk{Seq: 1, Size: int64(len(said)), SHA256: sumOf(said)}, time.Minute)
	must(t, err)
	_, err = awsconf.S3(w.cloud).PutObject(t.Context(), &awss3.PutObjectInput{
		Bucket: aws.String(w.bucket), Key: aws.String(s.Record().ObjectKey(s.Key(1))), Body: strings.NewReader("A THUMBNAIL"),
	})
	must(t, err)
	w.deliver(1)
	if r := w.wantState(s, upload.StateCancelled); r.Reason != confirm.ReasonChecksum {
		t.Errorf("it is cancelled for %q", r.Reason)
	}
	if code := w.send(url, said); code != http.StatusPreconditionFailed {
		t.Errorf("the URL is answered with %d", code)
	}
}
