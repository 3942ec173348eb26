package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// document is a document's item.
type document struct {
	Collection string `dynamodbav:"pk"`
	ID         string `dynamodbav:"sk"`
	Stamp      string `dynamodbav:"stamp"`
	Revision   int64  `dynamodbav:"revision"`
	Data       []byte `dynamodbav:"data,omitempty"`
	ExpiresAt  *int64 `dynamodbav:"expires_at,omitempty"`
	TTL        int64  `dynamodbav:"ttl,omitempty"`
}

// Get returns a document; its revision is 0 if there is none.
func (s *Store) Get(ctx context.Context, collection, id string) (ledger.Document, error) {
	absent := ledger.Document{Collection: collection, ID: id}
	if err := ledger.CheckDocument(absent); err != nil {
		return ledger.Document{}, fmt.Errorf("get a document: %w", err)
	}
	it, err := s.get(ctx, key{collection, id})
	if err != nil {
		return ledger.Document{}, fmt.Errorf("get %s %s: %w", collection, id, err)
	}
	if it == nil {
		return absent, nil
	}
	return parseDocument(it)
}

// Put stores a document as the revision after the one it names;
// upload.ErrChanged if another is stored.
func (s *Store) Put(ctx context.Context, d ledger.Document) error {
	if err := ledger.CheckDocument(d); err != nil {
		return fmt.Errorf("put a document: %w", err)
	}
	if err := s.putDocument(ctx, d, rand.Text()); err != nil {
		return fmt.Errorf("put %s %s: revision %d: %w", d.Collection, d.ID, d.Revision, err)
	}
	return nil
}

func (s *Store) putDocument(ctx context.Context, d ledger.Document, stamp string) error {
	it, err := attributevalue.MarshalMap(document{
		Collection: d.Collection, ID: d.ID, Stamp: stamp, Revision: d.Revision + 1,
		Data: d.Data, ExpiresAt: millis(d.ExpiresAt), TTL: ttl(d.ExpiresAt),
	})
	if err != nil {
		return err
	}
	if _, err := checkItem(it); err != nil {
		return err
	}
	in := &dynamodb.PutItemInput{
		TableName: s.table, Item: it, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	if d.Revision > 0 {
		in.ConditionExpression = aws.String("revision = :before")
		in.ExpressionAttributeValues = item{":before": number(d.Revision)}
	}
	_, err = s.client.PutItem(ctx, in)
	var condition *types.ConditionalCheckFailedException
	if !errors.As(err, &condition) {
		return awsconf.Kind(err)
	}
	if textOf(condition.Item["stamp"]) == stamp {
		return nil // our own write, whose answer was lost
	}
	return upload.ErrChanged
}

// List yields the documents of a collection with ids in [from, to), ascending;
// an empty bound is open. After an error nothing more comes.
func (s *Store) List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error] {
	return func(yield func(ledger.Document, error) bool) {
		if err := ledger.CheckCollection(collection); err != nil {
			yield(ledger.Document{}, fmt.Errorf("list documents: %w", err))
			return
		}
		in, ok := s.between(collection, from, to)
		for ok {
			out, err := s.client.Query(ctx, in)
			if err != nil {
				yield(ledger.Document{}, fmt.Errorf("list %s: %w", collection, awsconf.Kind(err)))
				return
			}
			for _, it := range out.Items {
				d, err := parseDocument(it)
				if err == nil && to != "" && d.ID >= to {
					return
				}
				if !yield(d, err) || err != nil {
					return
				}
			}
			in.ExclusiveStartKey = out.LastEvaluatedKey
			ok = len(out.LastEvaluatedKey) > 0
		}
	}
}

// between is the query of a range; false if nothing can be in it. A key
// condition has one range, and BETWEEN includes both ends.
func (s *Store) between(collection, from, to string) (*dynamodb.QueryInput, bool) {
	in := &dynamodb.QueryInput{
		TableName: s.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: item{":pk": text(collection)},
	}
	switch {
	case from != "" && to != "":
		*in.KeyConditionExpression += " AND sk BETWEEN :from AND :to"
	case from != "":
		*in.KeyConditionExpression += " AND sk >= :from"
	case to != "":
		*in.KeyConditionExpression += " AND sk < :to"
	}
	if from != "" {
		in.ExpressionAttributeValues[":from"] = text(from)
	}
	if to != "" {
		in.ExpressionAttributeValues[":to"] = text(to)
	}
	return in, to == "" || from < to
}

func parseDocument(it item) (ledger.Document, error) {
	var d document
	if err := attributevalue.UnmarshalMap(it, &d); err != nil {
		return ledger.Document{}, fmt.Errorf("read a document: %w", err)
	}
	return ledger.Document{
		Collection: d.Collection, ID: d.ID, Data: d.Data, Revision: d.Revision, ExpiresAt: fromMillis(d.ExpiresAt),
	}, nil
}
