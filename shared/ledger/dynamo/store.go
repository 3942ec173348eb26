package dynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithytime "github.com/aws/smithy-go/time"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Store is a ledger in one DynamoDB table. Its methods may be called at the
// same time.
type Store struct {
	client *dynamodb.Client
	table  *string
	sleep  func(context.Context, time.Duration) error
}

// New returns the ledger in a table that package schema describes. The client
// repeats what failed on the way; see awsconf.
func New(client *dynamodb.Client, table string) *Store {
	return &Store{client: client, table: aws.String(table), sleep: smithytime.SleepWithContext}
}

// Waits between repetitions that the SDK does not make: of what DynamoDB left
// unprocessed, of transactions in each other's way, of a read that was torn.
const (
	maxTries  = 8
	firstWait = 10 * time.Millisecond
	longest   = 500 * time.Millisecond
)

// wait rests before the given repetition, the first of which is 1. The spread,
// 0 to 255, makes it longer by up to its own length, and so keeps those apart
// that met before.
func (s *Store) wait(ctx context.Context, repetition int, spread byte) error {
	d := min(firstWait<<(repetition-1), longest)
	d += d * time.Duration(spread) / 256
	if err := s.sleep(ctx, d); err != nil {
		return awsconf.Kind(err)
	}
	return nil
}

// Load returns the record; the zero Record if there is none.
func (s *Store) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	if err := ledger.CheckID(id); err != nil {
		return upload.Record{}, fmt.Errorf("load an upload: %w", err)
	}
	r, err := s.load(ctx, id)
	if err != nil {
		return upload.Record{}, fmt.Errorf("load upload %s: %w", id.Upload, err)
	}
	return r, nil
}

func (s *Store) load(ctx context.Context, id upload.ID) (upload.Record, error) {
	for repetition := 1; ; repetition++ {
		r, whole, err := s.loadOnce(ctx, id)
		if err != nil || whole {
			return r, err
		}
		if repetition == maxTries {
			return upload.Record{}, fmt.Errorf("%w: pages of its manifest are missing, or change all the time", upload.ErrChanged)
		}
		if err := s.wait(ctx, repetition, 0); err != nil {
			return upload.Record{}, err
		}
	}
}

// loadOnce reads the head and its pages. They are not whole if they do not
// belong together.
func (s *Store) loadOnce(ctx context.Context, id upload.ID) (r upload.Record, whole bool, err error) {
	items, err := s.query(ctx, &dynamodb.QueryInput{
		TableName:              s.table,
		ConsistentRead:         aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :head AND :pages"),
		ExpressionAttributeValues: item{
			":pk": text(uploadKey(id).pk), ":head": text(headSK), ":pages": text(pagesEnd),
		},
	})
	if err != nil || len(items) == 0 || textOf(items[0]["sk"]) != headSK {
		return upload.Record{}, err == nil, err // pages whose head is forgotten are nothing
	}
	var h head
	if err := attributevalue.UnmarshalMap(items[0], &h); err != nil {
		return upload.Record{}, false, err
	}
	r, err = h.record()
	if err != nil || h.Paged == "" || h.Schema > upload.Schema {
		return r, err == nil, err
	}
	for _, it := range items[1:] {
		var p page
		if err := attributevalue.UnmarshalMap(it, &p); err != nil {
			return upload.Record{}, false, err
		}
		r.Manifest.Objects = append(r.Manifest.Objects, unpackObjects(p.Objects)...)
		r.Manifest.Explicit = append(r.Manifest.Explicit, unpackExplicit(p.Explicit)...)
	}
	return r, sum(r.Manifest) == h.Paged, nil
}

// query returns everything a query finds, over all its pages.
func (s *Store) query(ctx context.Context, in *dynamodb.QueryInput) ([]item, error) {
	var all []item
	for {
		out, err := s.client.Query(ctx, in)
		if err != nil {
			return nil, awsconf.Kind(err)
		}
		all = append(all, out.Items...)
		if len(out.LastEvaluatedKey) == 0 {
			return all, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// get reads one item consistently; nil if there is none.
func (s *Store) get(ctx context.Context, k key) (item, error) {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: s.table, Key: k.attributes(), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, awsconf.Kind(err)
	}
	return out.Item, nil
}
