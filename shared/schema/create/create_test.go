package create

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

func clients(t *testing.T) Clients {
	t.Helper()
	return For(localstacktest.Config(t))
}

func installation(t *testing.T, prefix string) schema.Installation {
	t.Helper()
	in, err := schema.New(prefix, policy.Default(), "uploads", "media")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func create(t *testing.T, c Clients, in schema.Installation) *Created {
	t.Helper()
	made, err := Create(t.Context(), c, in)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestWhatIsDescribedIsCreatedAndASecondTimeChangesNothing(t *testing.T) {
	c, in := clients(t), installation(t, "twice")
	first := create(t, c, in)
	second := create(t, c, in)
	if first.PurgeURL == "" || first.PurgeURL != second.PurgeURL || first.DeadLetterURL != second.DeadLetterURL {
		t.Errorf("queues %q, then %q", first.PurgeURL, second.PurgeURL)
	}
	if err := second.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	create(t, c, in) // equal still: the second made nothing, so it took nothing away
	_, err := c.DynamoDB.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(in.Ledger.Name)})
	if err != nil {
		t.Errorf("the table is gone: %v", err)
	}
	if err := first.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestWhatWasCreatedIsDeletedWithEveryVersionInIt(t *testing.T) {
	c, in := clients(t), installation(t, "whole")
	made := create(t, c, in)
	bucket := aws.String(in.Buckets[0].Name)
	for range 3 {
		_, err := c.S3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: bucket, Key: aws.String("k"), Body: strings.NewReader("x")})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.S3.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: bucket, Key: aws.String("k")}); err != nil {
		t.Fatal(err)
	}
	if err := made.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := create(t, c, in)
	if len(again.tables) != 1 || len(again.queues) != 6 || len(again.buckets) != 2 {
		t.Errorf("still there: created again only %v %v %v", again.tables, again.queues, again.buckets)
	}
	if err := again.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Without the look before the creation, Delete would empty a bucket that
// somebody had before: S3 answers a second creation by its owner with success.
func TestABucketThatExistedIsNeverEmptied(t *testing.T) {
	c, in := clients(t), installation(t, "kept")
	create(t, c, in)
	bucket := aws.String(in.Buckets[1].Name)
	_, err := c.S3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: bucket, Key: aws.String("k"), Body: strings.NewReader("x")})
	if err != nil {
		t.Fatal(err)
	}
	if err := create(t, c, in).Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.S3.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: bucket, Key: aws.String("k")}); err != nil {
		t.Errorf("the object is gone: %v", err)
	}
}

// made forgives "exists" for a table of a name that no other test uses: it is
// our own creation, repeated by the SDK because the emulator broke the
// connection before it answered.
func made(err error) error {
	var exists *ddb.ResourceInUseException
	if errors.As(err, &exists) {
		return nil
	}
	return err
}

func TestATableOfTheNameThatIsAnotherIsOneClearError(t *testing.T) {
	c, in := clients(t), installation(t, "other-table")
	_, err := c.DynamoDB.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(in.Ledger.Name), BillingMode: ddb.BillingModePayPerRequest,
		AttributeDefinitions: []ddb.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: ddb.ScalarAttributeTypeS}},
		KeySchema:            []ddb.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: ddb.KeyTypeHash}},
	})
	if made(err) != nil {
		t.Fatal(err)
	}
	expectDifference(t, c, in, "table other-table-ledger exists and is another: its key is id and ")
}

func TestAQueueOfTheNameThatIsAnotherIsOneClearError(t *testing.T) {
	c, in := clients(t), installation(t, "other-queue")
	_, err := c.SQS.CreateQueue(t.Context(), &sqs.CreateQueueInput{
		QueueName: aws.String(in.Purge.Name), Attributes: map[string]string{"MessageRetentionPeriod": "1209600", "VisibilityTimeout": "7"},
	})
	if err != nil {
		t.Fatal(err)
	}
	expectDifference(t, c, in, "queue other-queue-purge exists and is another: its ")
}

func TestABucketOfTheNameWithoutVersioningIsOneClearError(t *testing.T) {
	c, in := clients(t), installation(t, "other-bucket")
	_, err := c.S3.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(in.Buckets[0].Name)})
	if err != nil {
		t.Fatal(err)
	}
	expectDifference(t, c, in, "bucket other-bucket-uploads exists and is another: its versioning is ")
}

func expectDifference(t *testing.T, c Clients, in schema.Installation, begins string) {
	t.Helper()
	made, err := Create(t.Context(), c, in)
	if err == nil || !strings.HasPrefix(err.Error(), begins) {
		t.Errorf("got %v", err)
	}
	if err := made.Delete(t.Context()); err != nil {
		t.Errorf("what was made before the error does not go: %v", err)
	}
}
